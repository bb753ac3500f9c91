//! What a model is said to ask for, against what its tables take.
#![cfg(feature = "nn")]
#![allow(missing_docs)]

mod cases;
mod counting;

use burn::tensor::Device;
use cases::each_operator;
use pno::nn::Plan;
use pno::task::Grid;

// One test alone in this file: another beside it would be counted too.
#[test]
fn the_tables_of_every_operator_take_what_the_budget_says() {
    let device = Device::flex();
    for case in each_operator() {
        // Large enough that tables are most of what a plan holds.
        let sizes = case.grid.sizes.iter().map(|n| 40 * n).collect();
        let mut spec = case.spec.clone();
        let many = |modes: &mut Vec<usize>| modes.iter_mut().for_each(|n| *n *= 8);
        many(&mut spec.modes);
        spec.levels
            .iter_mut()
            .for_each(|level| many(&mut level.modes));
        let grid = Grid {
            sizes,
            domain: case.grid.domain,
        };
        let demand = spec.demand(&grid);
        let before = counting::live();
        counting::restart();
        let plan = Plan::new(&spec, &grid, &device);
        let (held, peak) = (counting::live() - before, counting::peak() - before);
        let ratio = held as f64 / demand.table_bytes() as f64;
        println!("{}: {held} bytes, {ratio:.3} of the budget's", case.name);
        assert!((0.95..1.05).contains(&ratio), "{}: {ratio}", case.name);
        // On the way the table in the making exists in f64 or twice, and phases beside it.
        assert!(
            (peak as f64) < 2.5 * demand.table_bytes() as f64,
            "{}: {peak}",
            case.name
        );
        assert_eq!(plan.points(), grid.points());
    }
}
