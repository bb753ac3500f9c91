//! Masks on the disk: beside the array `sst` an array `mask_sst` over the axes of space, 1 where `sst` never has a value.
//!
//! The array is the only place: the description in the attributes has none.

use anyhow::{Context, Result, bail, ensure};
use pno::task::Mask;
use serde_json::json;

use super::zarr::{Array, Layout, Store, attributes};
use super::{Description, Split};

/// The array of a quantity's mask.
fn name_of(quantity: &str) -> String {
    format!("mask_{quantity}")
}

/// No quantity may have the name that belongs to the mask of another.
pub fn check_names(names: &[&str]) -> Result<()> {
    for quantity in names {
        let mask = name_of(quantity);
        ensure!(
            !names.contains(&mask.as_str()),
            "a quantity is called `{mask}`, which is the name of the mask of `{quantity}`: give it another name"
        );
    }
    Ok(())
}

/// Writes the masks of a description.
pub fn write(store: &Store, description: &Description) -> Result<Vec<Array>> {
    let mut arrays = Vec::new();
    let dimensions: Vec<&str> = description
        .space()
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    for quantity in description.arrays() {
        let Some(mask) = description.mask_of(quantity) else {
            continue;
        };
        let about = json!({
            "long_name": format!("points at which {quantity} never has a value"),
            "flag_values": [0, 1],
            "flag_meanings": "valid masked",
        });
        let layout = Layout {
            name: &name_of(quantity),
            dimensions: &dimensions,
            shape: mask.sizes().to_vec(),
            rows: mask.sizes()[0],
            attributes: attributes(about),
        };
        let values = (0..mask.points()).map(|point| i8::from(mask.is_masked(point)));
        arrays.push(store.write(layout, values.collect())?);
    }
    Ok(arrays)
}

/// The description without its masks, which are arrays of their own.
pub fn without(mut description: Description) -> Description {
    let task = &mut description.task;
    for quantity in task.inputs.iter_mut().chain(&mut task.outputs) {
        quantity.mask = None;
    }
    description
}

/// Puts the masks of a data set into its description.
pub fn read(store: &Store, description: &mut Description) -> Result<()> {
    *description = without(description.clone());
    let names: Vec<String> = description
        .arrays()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let space: Vec<(String, usize)> = description
        .space()
        .iter()
        .map(|axis| (axis.name.clone(), axis.size))
        .collect();
    let sizes: Vec<usize> = space.iter().map(|(_, size)| *size).collect();
    for quantity in names {
        let name = name_of(&quantity);
        if !store.has(&name) {
            continue;
        }
        let array = store.open::<i8>(&name)?;
        let found: Vec<(String, usize)> = (array.dimensions().into_iter())
            .zip(array.shape().iter().copied())
            .collect();
        ensure!(
            found == space && array.shape() == sizes,
            "the array `{name}` has the axes {found:?}, but those of space are wanted, {space:?}"
        );
        let values = array.read::<i8>()?;
        if let Some(at) = values.iter().position(|value| !matches!(value, 0 | 1)) {
            bail!(
                "the array `{name}` has the value {} at point {at}, but 0 or 1 is wanted",
                values[at]
            );
        }
        let mask = Mask::new(&sizes, |point| values[point] == 1);
        let task = &mut description.task;
        for field in task.inputs.iter_mut().chain(&mut task.outputs) {
            if field.name == quantity {
                field.mask.clone_from(&mask);
            }
        }
    }
    // A grid that is thinned out may be left without a value.
    for split in Split::ALL {
        let task = description.task_of(split);
        task.validate()
            .with_context(|| format!("the masks of its {split} split"))?;
    }
    Ok(())
}

/// What a fingerprint hears of a mask.
pub fn bytes(mask: &Mask) -> Vec<u8> {
    (0..mask.points())
        .map(|point| u8::from(mask.is_masked(point)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::task::Task;

    #[test]
    fn a_mask_in_json_is_hexadecimal_and_comes_back() {
        let mask = Mask::new(&[3, 4], |i| [1, 5, 11].contains(&i)).expect("a mask");
        let text = serde_json::to_string(&mask).expect("JSON");
        assert_eq!(text, r#"{"sizes":[3,4],"bits":"2208"}"#);
        assert_eq!(serde_json::from_str::<Mask>(&text).expect("read"), mask);
        for wrong in ["220", "22zz", "\u{20ac}"] {
            let text = text.replace("2208", wrong);
            assert!(serde_json::from_str::<Mask>(&text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn masks_come_back_from_the_disk_and_from_nowhere_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path()).expect("a store");
        let mut task = Task::darcy().on_grid(&[3, 4]);
        task.outputs[0].mask = Mask::new(&[3, 4], |i| i > 9);
        let description = Description::whole(task);
        let arrays = write(&store, &description).expect("written");
        assert_eq!(arrays.len(), 1);
        assert_eq!(arrays[0].name(), "mask_u");
        assert_eq!(arrays[0].dimensions(), ["x", "y"]);
        let mut found = without(description.clone());
        assert!(!found.task.has_masks());
        // One that another program left in the attributes does not count.
        found.task.inputs[0].mask = Mask::new(&[3, 4], |i| i == 0);
        read(&store, &mut found).expect("read");
        assert_eq!(found, description);
    }

    #[test]
    fn a_mask_of_another_grid_or_with_other_values_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path()).expect("a store");
        let mut description = Description::whole(Task::darcy().on_grid(&[3, 4]));
        let mut refused = |shape: [usize; 2], values: Vec<i8>| {
            let layout = Layout {
                name: "mask_a",
                dimensions: &["x", "y"],
                shape: shape.to_vec(),
                rows: shape[0],
                attributes: attributes(json!({})),
            };
            store.write(layout, values).expect("written");
            let error = read(&store, &mut description).expect_err("refused");
            format!("{error:#}")
        };
        assert!(refused([4, 3], vec![0; 12]).contains("those of space are wanted"));
        let mut values = vec![0; 12];
        values[7] = 3;
        assert!(refused([3, 4], values).contains("the value 3 at point 7"));
        let all = refused([3, 4], vec![1; 12]);
        assert!(all.contains("12 of 12 points"), "{all}");
    }

    #[test]
    fn names_of_masks_are_not_taken() {
        check_names(&["a", "mask", "mask_b"]).expect("no clash");
        let said = check_names(&["a", "mask_a"])
            .expect_err("a clash")
            .to_string();
        assert!(said.contains("the mask of `a`"), "{said}");
    }
}
