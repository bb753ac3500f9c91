//! Names of settings: which there are, and which one a slip of the fingers meant.

use anyhow::{Result, bail};
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

/// The fields of a struct as serde knows them, in the order of the struct.
pub fn fields_of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // Only the question matters; that there is nothing to read is the answer to it.
    let _ = T::deserialize(Ask(&mut fields));
    fields
}

/// A source of nothing that notes what it was asked for.
struct Ask<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Error::custom("there is nothing to read"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Refuses a name that is none of the known ones, with the one that was probably meant.
///
/// `kind` is what is named, for example `setting`. Where nothing is near, all are told.
pub fn check(kind: &str, found: &str, known: &[String]) -> Result<()> {
    if known.iter().any(|name| name == found) {
        return Ok(());
    }
    match nearest(found, known) {
        Some(near) => bail!("unknown {kind} `{found}`, did you mean `{near}`?"),
        None => bail!("unknown {kind} `{found}`; known: {}", known.join(", ")),
    }
}

/// The known name that `found` is a slip of, if there is one.
pub fn nearest<'a>(found: &str, known: &'a [String]) -> Option<&'a str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    // The right key with a wrong section, or with none.
    if let Some(name) = known
        .iter()
        .find(|name| name.contains('.') && last(name) == last(found))
    {
        return Some(name);
    }
    let tolerated = (found.chars().count() / 3).max(2);
    known
        .iter()
        .map(|name| (distance(found, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= tolerated)
        .map(|(_, name)| name.as_str())
}

/// How many letters must be added, left out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        ["train.batch", "train.learning_rate", "model.modes"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn the_fields_of_a_struct_are_its_own_in_order() {
        #[derive(serde::Deserialize)]
        #[expect(dead_code, reason = "only its names matter")]
        struct Two {
            first: usize,
            #[serde(rename = "second")]
            other: String,
        }
        assert_eq!(fields_of::<Two>(), ["first", "second"]);
        assert_eq!(fields_of::<Vec<usize>>(), [""; 0]);
    }

    #[test]
    fn letters_are_counted_by_hand() {
        for (a, b, wanted) in [
            ("", "abc", 3),
            ("lerning", "learning", 1),
            ("bath", "batch", 1),
            ("trian", "train", 1),
            ("kitten", "sitting", 3),
            ("same", "same", 0),
        ] {
            assert_eq!(distance(a, b), wanted, "{a} {b}");
            assert_eq!(distance(b, a), wanted, "{b} {a}");
        }
    }

    #[test]
    fn a_slip_is_told_what_was_meant() {
        let refused = |name| {
            check("setting", name, &known())
                .expect_err(name)
                .to_string()
        };
        assert_eq!(
            refused("train.lerning_rate"),
            "unknown setting `train.lerning_rate`, did you mean `train.learning_rate`?"
        );
        assert!(refused("trian.batch").contains("`train.batch`"));
        assert!(refused("batch").contains("did you mean `train.batch`"));
        assert!(refused("train.modes").contains("did you mean `model.modes`"));
        let far = refused("train.colour_of_the_sky");
        assert!(far.ends_with("known: train.batch, train.learning_rate, model.modes"));
        check("setting", "train.batch", &known()).expect("known");
    }
}
