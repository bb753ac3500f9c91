//! Members in rising order at every value, kept up while more arrive.

/// Sorted members `[value, count]` and new ones `[member, value]`, merged: `[value, count + new]`.
///
/// # Panics
/// If `sorted` is not `values * count` long, or `new` is not a whole number of fields.
pub fn merged(sorted: &[f32], count: usize, new: &[f32], values: usize) -> Vec<f32> {
    assert_eq!(sorted.len(), values * count, "sorted members");
    assert!(new.len().is_multiple_of(values), "whole new members");
    let added = new.len() / values;
    let mut out = Vec::with_capacity(values * (count + added));
    let mut fresh = Vec::with_capacity(added);
    for value in 0..values {
        fresh.clear();
        fresh.extend(new.iter().skip(value).step_by(values));
        fresh.sort_unstable_by(f32::total_cmp);
        let mut old = sorted[value * count..(value + 1) * count].iter().peekable();
        for &next in &fresh {
            while let Some(before) = old.next_if(|before| before.total_cmp(&next).is_le()) {
                out.push(*before);
            }
            out.push(next);
        }
        out.extend(old);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_in_any_parts_is_sorting_at_once() {
        let values = 7;
        let members: Vec<f32> = (0..values * 13)
            .map(|i| ((i * 7919) % 101) as f32)
            .collect();
        let at_once = merged(&[], 0, &members, values);
        let mut sorted = vec![];
        let mut count = 0;
        for part in [1, 1, 2, 4, 5] {
            let new = &members[count * values..(count + part) * values];
            sorted = merged(&sorted, count, new, values);
            count += part;
        }
        assert_eq!(sorted, at_once);
        for (value, column) in sorted.chunks(13).enumerate() {
            assert!(column.is_sorted());
            let mut wanted: Vec<f32> = members
                .iter()
                .skip(value)
                .step_by(values)
                .copied()
                .collect();
            wanted.sort_unstable_by(f32::total_cmp);
            assert_eq!(column, wanted);
        }
    }
}
