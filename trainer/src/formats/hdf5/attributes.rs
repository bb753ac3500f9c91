//! What HDF5 says of an array: the kind of its numbers, and its attributes.

use hdf5_reader::{Attribute, Datatype, H5Type};
use serde_json::Value;

use crate::formats::packing::Kind;

/// Attributes that tie axes to arrays by addresses, which mean nothing outside the file.
const LINKS: [&str; 4] = ["CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST"];

/// The kind of a number, unless it is something else.
pub fn kind_of(kind: &Datatype) -> Option<Kind> {
    match *kind {
        Datatype::FixedPoint {
            size: size @ (1 | 2 | 4 | 8),
            signed,
            ..
        } => {
            let bits = u32::from(size) * 8;
            Some(if signed {
                Kind::Signed(bits)
            } else {
                Kind::Unsigned(bits)
            })
        }
        Datatype::FloatingPoint {
            size: size @ (4 | 8),
            ..
        } => Some(Kind::Float(u32::from(size) * 8)),
        _ => None,
    }
}

/// Text and numbers; other kinds are of no use here.
pub fn json_of(attribute: &Attribute) -> Option<Value> {
    if LINKS.contains(&attribute.name.as_str()) {
        return None;
    }
    let Some(kind) = kind_of(&attribute.datatype) else {
        let text = attribute.read_string().ok()?;
        return Some(text.trim_end_matches('\0').into());
    };
    match kind {
        Kind::Signed(8) => numbers::<i8>(attribute),
        Kind::Signed(16) => numbers::<i16>(attribute),
        Kind::Signed(32) => numbers::<i32>(attribute),
        Kind::Signed(_) => numbers::<i64>(attribute),
        Kind::Unsigned(8) => numbers::<u8>(attribute),
        Kind::Unsigned(16) => numbers::<u16>(attribute),
        Kind::Unsigned(32) => numbers::<u32>(attribute),
        Kind::Unsigned(_) => numbers::<u64>(attribute),
        Kind::Float(32) => numbers::<f32>(attribute),
        Kind::Float(_) => numbers::<f64>(attribute),
    }
}

/// A list of one is what it holds.
fn numbers<T: H5Type + Into<Value>>(attribute: &Attribute) -> Option<Value> {
    let values: Vec<Value> = attribute
        .read_1d::<T>()
        .ok()?
        .into_iter()
        .map(Into::into)
        .collect();
    Some(match <[Value; 1]>::try_from(values) {
        Ok([one]) => one,
        Err(all) => Value::Array(all),
    })
}
