//! Headers of edition 1. Octets are numbered as in the WMO's manual on codes, volume I.2, FM 92 GRIB.

use anyhow::{Context, Result, bail, ensure};

use super::bits::{Octets, ibm_float};
use super::grid::{Described, Grid};
use super::index::{Code, Field, Message, Packing};
use super::names::{Parameter, Table};
use crate::formats::cf;

/// Octets before the first section.
const INDICATOR: u64 = 8;
/// Bytes of a section that are read; what is needed of any is in its first 32.
const SECTION_HEAD: usize = 32;
/// A length with this bit is counted in larger steps, for fields of many millions of points.
const LARGE: u64 = 0x0080_0000;

/// The length of a message from its first bytes.
pub fn length(head: &[u8]) -> Result<u64> {
    let length = Octets::new("indicator", head).unsigned(5, 7)?;
    ensure!(
        length & LARGE == 0,
        "its length is {length:#x}: messages of more than 8 MB in edition 1 are not known"
    );
    Ok(length)
}

/// The field of a message.
pub fn field(message: &Message) -> Result<Field> {
    let (product_bytes, next) = section(message, message.range.start + INDICATOR, "product")?;
    let product = Octets::new("product", &product_bytes);
    let present = product.octet(8)?;
    ensure!(
        present & 0x80 != 0,
        "it has no grid section, and the grids of catalogues are not known"
    );
    let (grid_bytes, next) = section(message, next.end, "grid")?;
    let grid = grid(&Octets::new("grid", &grid_bytes))?;
    let (bitmap, data_start) = if present & 0x40 == 0 {
        (None, next.end)
    } else {
        let (bytes, range) = section(message, next.end, "bitmap")?;
        let catalogue = Octets::new("bitmap", &bytes).unsigned(5, 6)?;
        ensure!(
            catalogue == 0,
            "its bitmap is number {catalogue} of a catalogue, which is not known"
        );
        (Some(range.start + 6..range.end), range.end)
    };
    let (data_bytes, range) = section(message, data_start, "data")?;
    Ok(Field {
        message: message.number,
        offset: message.range.start,
        parameter: Parameter {
            centre: product.small(5, 5)?,
            table: Table::One(product.octet(4)?),
            number: product.octet(9)?,
            level_type: product.octet(10)?,
            level_value: product.unsigned(11, 12)? as i64,
            level_scale: 0,
        },
        time: time(&product)?,
        grid,
        bitmap,
        data: range.start + 11..range.end,
        packing: packing(
            &Octets::new("data", &data_bytes),
            product.signed(27, 28)? as i32,
        )?,
    })
}

/// The first bytes of a section, and where it is.
fn section(
    message: &Message,
    start: u64,
    name: &'static str,
) -> Result<(Vec<u8>, std::ops::Range<u64>)> {
    let head = message.part(start, 3, name)?;
    let length = Octets::new(name, &message.bytes.at(head.start, 3)?).unsigned(1, 3)?;
    let shortest = match name {
        "data" => 11,
        "bitmap" => 6,
        _ => 28,
    };
    ensure!(
        length >= shortest,
        "its {name} section has {length} octets, but at least {shortest} are needed"
    );
    let range = message.part(start, length, name)?;
    let count = SECTION_HEAD.min(length as usize);
    Ok((message.bytes.at(start, count)?, range))
}

fn grid(octets: &Octets) -> Result<Grid> {
    let kind = octets.octet(6)?;
    ensure!(
        kind == 0,
        "its grid is of type {kind}, but type 0 (regular latitudes and longitudes) is wanted"
    );
    let (columns, rows) = (octets.unsigned(7, 8)?, octets.unsigned(9, 10)?);
    ensure!(
        columns != 0xffff && rows != 0xffff,
        "its grid has rows of different lengths, but a regular one is wanted"
    );
    Grid::new(&Described {
        columns,
        rows,
        parts: 1000,
        latitude: (octets.signed(11, 13)?, octets.signed(18, 20)?),
        longitude: (octets.signed(14, 16)?, octets.signed(21, 23)?),
        // Bit 4 means nothing in this edition.
        scan: octets.octet(28)? & 0xe0,
    })
}

/// When the field is valid: the reference time and the step after it; the end of an interval.
fn time(octets: &Octets) -> Result<i64> {
    let (year, century) = (octets.small(13, 13)?, octets.small(25, 25)?);
    let year = i64::from(century) * 100 + i64::from(year) - 100;
    let date = format!(
        "{year:04}-{:02}-{:02}T{:02}:{:02}",
        octets.octet(14)?,
        octets.octet(15)?,
        octets.octet(16)?,
        octets.octet(17)?
    );
    let reference = cf::parse_date(&date).context("its reference time")?;
    let steps = match octets.octet(21)? {
        0 | 1 => octets.unsigned(19, 19)?,
        2..=5 => octets.unsigned(20, 20)?,
        10 => octets.unsigned(19, 20)?,
        other => bail!("its time range is of type {other}, but 0 to 5 and 10 are known"),
    };
    let unit = seconds_of(octets.octet(18)?)?;
    Ok(reference + steps as i64 * unit)
}

/// Seconds of a unit of time, in either edition.
pub fn seconds_of(unit: u8) -> Result<i64> {
    Ok(match unit {
        0 => 60,
        1 => 3600,
        2 => 86_400,
        10 => 3 * 3600,
        11 => 6 * 3600,
        12 => 12 * 3600,
        other => bail!(
            "its unit of time is number {other}, but minutes, hours and days (0, 1, 2, 10, 11, 12) are known"
        ),
    })
}

fn packing(octets: &Octets, decimal_scale: i32) -> Result<Packing> {
    let flags = octets.octet(4)?;
    for (flag, what) in [
        (0x80, "spherical harmonics"),
        (0x40, "complex packing"),
        (0x10, "packing with more flags"),
    ] {
        ensure!(
            flags & flag == 0,
            "its data are in {what}, but simple packing is wanted"
        );
    }
    let bits = octets.small(11, 11)?;
    ensure!(
        bits <= 32,
        "its values have {bits} bits, but at most 32 are known"
    );
    Ok(Packing {
        reference: ibm_float(octets.small(7, 10)?),
        binary_scale: octets.signed(5, 6)? as i32,
        decimal_scale,
        bits,
        count: None,
        code: Code::Plain,
    })
}
