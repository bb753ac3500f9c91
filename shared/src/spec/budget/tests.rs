use super::*;
use crate::spec::{Experiment, Level, Method};
use crate::task::Task;

fn small() -> ModelSpec {
    ModelSpec {
        in_channels: 1,
        width: 1,
        lifting: 1,
        projection: 1,
        layers: 1,
        ..ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("an FNO")
    }
}

fn refusal(spec: &ModelSpec, grid: &Grid, limits: &Limits) -> String {
    let refused = spec.demand(grid).check(limits);
    refused.expect_err("refused").to_string()
}

#[test]
fn published_models_ask_for_little_everywhere() {
    use {Experiment as E, Operator as O};
    for (experiment, operator) in [
        (E::Darcy, O::Fno),
        (E::Darcy, O::Uno),
        (E::Ks, O::Fno),
        (E::Ks, O::Uno),
        (E::Sswe, O::Sfno),
        (E::Era5, O::Fno),
    ] {
        let grid = Task::published(experiment).expect("published").grid();
        for method in [Method::PnoD, Method::PnoR, Method::Laplace] {
            let spec = ModelSpec::paper(experiment, operator, method, Profile::Fixed);
            let demand = spec.expect("published").demand(&grid);
            for limits in [Limits::PAGE, Limits::NATIVE] {
                demand.check(&limits).expect("within the limits");
            }
            // Nothing published comes near but the features of a Laplace approximation of ERA5.
            let tables = demand.table_bytes();
            assert!(tables < PAGE_TABLE_BYTES / 16, "{experiment}: {tables}");
        }
    }
}

#[test]
fn a_small_demand_is_what_counting_by_hand_gives() {
    let spec = ModelSpec {
        width: 2,
        layers: 3,
        modes: vec![3, 4],
        ..small()
    };
    let demand = spec.demand(&Grid::flat(&[6, 10]));
    // Kept 3 x 3 frequencies, as real and imaginary parts. First axis [6, 12] and [12, 6], second [6, 10] and [10, 6];
    // once for three equal blocks. On the host each also transposed.
    let device = 2 * (6 * 12 + 6 * 10);
    assert_eq!(demand.device_table_bytes, 4 * device);
    assert_eq!(demand.host_table_bytes, 4 * 2 * device);
    assert_eq!(demand.setup_steps, 3 * device);
    // Two channels on 60 points: no spectrum on the way is wider.
    assert_eq!(demand.field_bytes, 4 * 120);
    assert_eq!(demand.parameters, spec.parameter_count() as u64);
}

#[test]
fn a_sphere_and_a_resized_axis_are_what_counting_by_hand_gives() {
    let sphere = ModelSpec {
        operator: Operator::Sfno,
        modes: vec![5, 6],
        ..small()
    };
    let grid = Grid::sphere(crate::sphere::Latitudes::Gauss, [4, 7]);
    let demand = sphere.demand(&grid);
    let entries = 2 * (3 * 5 * 4 + 6 * 7);
    assert_eq!(demand.device_table_bytes, 4 * entries);
    assert_eq!(demand.host_table_bytes, 0);
    let steps = entries + 2 * (3 * 5 * 4) * LEGENDRE + 16 * NODES;
    assert_eq!(demand.setup_steps, steps);

    let demand = uno(&[0.5, 1.0]).demand(&Grid::flat(&[8]));
    // 8 to 4 and 4 to 8 points with 3 kept frequencies, and a matrix of 8 x 4 for the skip of either block. The second
    // joins the first's output, which is on its grid.
    let entries = 2 * (6 * 8 + 6 * 4) + 2 * 32;
    assert_eq!(demand.device_table_bytes, 4 * entries);
    assert_eq!(demand.host_table_bytes, 0);
    assert_eq!(demand.setup_steps, entries + 2 * 32 * SINES);
    // Three complex frequencies of two channels, and beside them a channel on four points, kept for the second block.
    assert_eq!(demand.field_bytes, 4 * (12 + 4));
}

/// A UNO in one dimension whose levels are of width 1 and change the grid by these factors.
fn uno(scales: &[f64]) -> ModelSpec {
    let level = |&scale: &f64| Level {
        width: 1,
        modes: vec![4],
        scale: vec![scale],
    };
    ModelSpec {
        operator: Operator::Uno,
        layers: 0,
        modes: vec![],
        levels: scales.iter().map(level).collect(),
        ..small()
    }
}

#[test]
fn modes_whose_product_is_two_to_the_32_are_counted() {
    // In 32 bits the number of weight matrices is 0, and so were the parameters.
    let spec = ModelSpec {
        modes: vec![4096, 4096, 510],
        ..small()
    };
    let demand = spec.demand(&Grid::flat(&[2, 2, 2]));
    assert_eq!(demand.parameters, (2 << 32) + 2 + 2 * 4);
    for limits in [Limits::PAGE, Limits::NATIVE] {
        let message = refusal(&spec, &Grid::flat(&[2, 2, 2]), &limits);
        let wanted = format!("takes at most {};", limits.parameters);
        assert!(message.starts_with("the number of parameters would be 8589934602, but"));
        assert!(message.contains(&wanted), "{message}");
    }
    let message = spec.validate().expect_err("refused").to_string();
    assert!(message.contains("the number of parameters"), "{message}");
}

#[test]
fn tables_that_are_each_small_are_refused_in_sum() {
    // 32 levels on a little more than 4096 points, each on a grid of its own: 0.8 MB of weights, 8 GB of tables.
    let mut spec = uno(&[1.01; 32]);
    for level in &mut spec.levels {
        level.modes = vec![4096];
    }
    spec.validate().expect("valid on its own");
    assert!(spec.parameter_count() < 400_000);
    let demand = spec.demand(&Grid::flat(&[4096]));
    assert!(demand.table_bytes() > 6 << 30, "{demand:?}");
    for limits in [Limits::PAGE, Limits::NATIVE] {
        let message = refusal(&spec, &Grid::flat(&[4096]), &limits);
        assert!(message.contains("transform tables"), "{message}");
        assert!(message.contains(limits.whose), "{message}");
    }
}

#[test]
fn many_channels_on_many_points_are_refused() {
    let spec = ModelSpec {
        width: 1024,
        modes: vec![1, 1],
        ..small()
    };
    let grid = Grid::flat(&[4096, 4096]);
    let demand = spec.demand(&grid);
    assert_eq!(demand.field_bytes, 4 << (24 + 10));
    for limits in [Limits::PAGE, Limits::NATIVE] {
        let message = refusal(&spec, &grid, &limits);
        assert!(message.contains("fields of one member"), "{message}");
    }
}

#[test]
fn more_modes_than_points_make_a_wide_spectrum() {
    // Four points and 2049 frequencies: the spectrum on the way is a thousand times the field.
    let spec = ModelSpec {
        width: 8,
        modes: vec![1, 4096],
        ..small()
    };
    let demand = spec.demand(&Grid::flat(&[1 << 18, 4]));
    assert_eq!(demand.field_bytes, 4 * (1 << 18) * 2 * 2049 * 8);
    let message = refusal(&spec, &Grid::flat(&[1 << 18, 4]), &Limits::NATIVE);
    assert!(message.contains("fields of one member"), "{message}");
}

#[test]
fn what_does_not_fit_into_64_bits_is_refused_and_not_wrapped() {
    let mut spec = uno(&[16.0; 32]);
    for level in &mut spec.levels {
        level.modes = vec![4096; 3];
        level.scale = vec![16.0; 3];
    }
    let grid = Grid::flat(&[usize::MAX; 3]);
    let demand = spec.demand(&grid);
    assert_eq!(demand.table_bytes(), u64::MAX);
    assert_eq!(demand.field_bytes, u64::MAX);
    assert_eq!(demand.setup_steps, u64::MAX);
    refusal(&spec, &grid, &Limits::NATIVE);
}

#[test]
fn every_limit_of_the_page_is_within_that_of_the_program() {
    let (page, native) = (Limits::PAGE, Limits::NATIVE);
    assert!(page.parameters <= native.parameters);
    assert!(page.table_bytes <= native.table_bytes);
    assert!(page.field_bytes <= native.field_bytes);
    assert!(page.setup_steps <= native.setup_steps);
    // Two models with all that each may hold are within an address space of 4 GiB.
    let model = 3 * 4 * page.parameters + page.table_bytes + 3 * page.field_bytes;
    assert!(2 * model < 4 << 30, "{model}");
}
