use serde_json::Map;

use super::*;

fn variable(shape: &[usize]) -> Variable {
    Variable {
        name: "t".into(),
        dimensions: vec![String::new(); shape.len()],
        shape: shape.to_vec(),
        attributes: Map::new(),
    }
}

/// Every value of a block by its indices, counted out one by one.
fn counted(shape: &[usize], block: &[Range<usize>]) -> Vec<usize> {
    let total: usize = shape.iter().product();
    (0..total)
        .filter(|&at| {
            let mut rest = at;
            shape.iter().zip(block).rev().all(|(&size, range)| {
                let index = rest % size;
                rest /= size;
                range.contains(&index)
            })
        })
        .collect()
}

#[test]
fn runs_visit_exactly_the_values_of_a_block_in_order() {
    let shape = [3, 2, 4];
    let mut blocks = 0;
    for a in 0..=3 {
        for b in a..=3 {
            for c in 0..=2 {
                for d in c..=2 {
                    for e in 0..=4 {
                        for f in e..=4 {
                            let block = [a..b, c..d, e..f];
                            let mut visited = Vec::new();
                            runs(&shape, &block, |first, count| {
                                visited.extend(first..first + count);
                                Ok(())
                            })
                            .expect("nothing fails");
                            assert_eq!(visited, counted(&shape, &block), "{block:?}");
                            blocks += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(blocks, 10 * 6 * 15);
}

#[test]
fn whole_axes_are_joined_into_one_run() {
    let count = |block: &[Range<usize>]| {
        let mut count = 0;
        runs(&[5, 4, 3], block, |_, _| {
            count += 1;
            Ok(())
        })
        .expect("nothing fails");
        count
    };
    assert_eq!(count(&[0..5, 0..4, 0..3]), 1);
    assert_eq!(count(&[1..3, 0..4, 0..3]), 1);
    assert_eq!(count(&[1..3, 1..3, 0..3]), 2);
    assert_eq!(count(&[0..5, 0..4, 0..2]), 20);
}

#[test]
fn a_single_number_is_one_run_of_one() {
    let mut visited = Vec::new();
    runs(&[], &[], |first, count| {
        visited.push((first, count));
        Ok(())
    })
    .expect("nothing fails");
    assert_eq!(visited, [(0, 1)]);
    assert_eq!(check(&variable(&[]), &[]).expect("it is there"), 1);
}

#[test]
fn a_block_outside_is_refused_with_its_axis() {
    let variable = variable(&[3, 4]);
    assert_eq!(check(&variable, &[1..3, 0..4]).expect("inside"), 8);
    for (block, wanted) in [
        (
            variable.shape[..1].iter().map(|&size| 0..size).collect(),
            "a block of `t` is given by 1 ranges, but it has 2 axes",
        ),
        (
            vec![0..3, 2..5],
            "a block of `t` goes from 2 to 5 on axis 1, which has 4 entries",
        ),
        (
            vec![0..4, 0..4],
            "a block of `t` goes from 0 to 4 on axis 0, which has 3 entries",
        ),
        (
            vec![Range { start: 2, end: 1 }, 0..4],
            "a block of `t` goes from 2 to 1 on axis 0, which has 3 entries",
        ),
    ] {
        let error = check(&variable, &block).expect_err("outside");
        assert_eq!(error.to_string(), wanted);
    }
}
