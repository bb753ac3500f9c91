//! Headers that are well formed and ask for more than a machine gives.

use pno::checkpoint::{Checkpoint, CheckpointError, Header, Precision};
use pno::spec::{Level, Limits, Operator, SpecError};
use pno::sphere::Latitudes;
use pno::task::{Axis, Coordinate, Domain};

use super::{decode, sealed, small_model};

/// The refusal of a file whose header says this, with an empty table and some data: what a lying writer makes of nothing.
fn refusal(model: &Checkpoint) -> CheckpointError {
    model
        .encode(Precision::F32)
        .expect_err("not written either");
    let mut header = postcard::to_stdvec(&model.header).expect("encodes");
    header.push(0);
    decode(&sealed(&header, 64)).expect_err("refused")
}

/// What a refusal says there is too much of, asked for and allowed.
fn too_much(error: &CheckpointError) -> (&'static str, u64, u64) {
    match error {
        CheckpointError::Spec(SpecError::Budget {
            quantity,
            found,
            most,
            ..
        })
        | CheckpointError::Task(SpecError::Budget {
            quantity,
            found,
            most,
            ..
        }) => (quantity, *found, *most),
        other => panic!("refused for another reason: {other}"),
    }
}

/// The small model on axes of these sizes, with modes for each. Its mask would not fit them.
fn on_axes(sizes: &[usize], modes: &[usize]) -> Checkpoint {
    let mut model = small_model();
    let Header { spec, task, .. } = &mut model.header;
    spec.modes = modes.to_vec();
    let axes: Vec<Axis> = sizes
        .iter()
        .map(|&size| Axis::new("x", size, 0.0, 1.0, ""))
        .collect();
    (task.input, task.output) = (axes.clone(), axes);
    task.coordinates = vec![Coordinate::unit(0); 2];
    task.outputs[0].mask = None;
    model
}

/// In 32 bits these modes have 2^32 = 0 weight matrices: a model without spectral weights.
pub fn modes_whose_product_wraps_in_32_bits_are_refused() {
    let error = refusal(&on_axes(&[8, 8, 8], &[4096, 4096, 510]));
    let (quantity, found, most) = too_much(&error);
    assert_eq!(quantity, "the number of parameters");
    assert!(found > 2 << 32, "{found}");
    assert_eq!(most, Limits::HERE.parameters);
}

/// Less than a megabyte of weights whose 32 levels each have tables of their own.
pub fn tables_that_are_each_small_are_refused_in_sum() {
    let mut model = on_axes(&[4096], &[1]);
    let spec = &mut model.header.spec;
    (spec.operator, spec.layers, spec.modes) = (Operator::Uno, 0, vec![]);
    let level = Level {
        width: 1,
        modes: vec![4096],
        scale: vec![1.01],
    };
    spec.levels = vec![level; 32];
    assert!(spec.parameter_count() < 400_000);
    let error = refusal(&model);
    let (quantity, found, most) = too_much(&error);
    assert_eq!(quantity, "the bytes of the transform tables");
    assert!(found > 6 << 30, "{found}");
    assert_eq!(most, Limits::HERE.table_bytes);
}

/// A few weights on a field of 64 GiB.
pub fn many_channels_on_many_points_are_refused() {
    let mut model = on_axes(&[4096, 4096], &[1, 1]);
    model.header.spec.width = 1024;
    let error = refusal(&model);
    let (quantity, found, most) = too_much(&error);
    assert_eq!(quantity, "the bytes of the fields of one member");
    assert_eq!(found, 4 << 34);
    assert_eq!(most, Limits::HERE.field_bytes);
}

/// Nodes of a Gauss quadrature take as many steps as their number squared.
pub fn a_sphere_of_millions_of_latitudes_is_refused() {
    for latitudes in [Latitudes::Gauss, Latitudes::Equiangular] {
        let mut model = on_axes(&[1 << 23, 2], &[1, 2]);
        model.header.spec.operator = Operator::Sfno;
        model.header.task.domain = Domain::Sphere(latitudes);
        let message = refusal(&model).to_string();
        assert!(
            message.contains("the number of latitudes is 8388608"),
            "{message}"
        );
    }
}

/// Grids that only a network inside makes.
pub fn a_network_that_grows_without_limit_is_refused() {
    let mut model = on_axes(&[8], &[1]);
    let spec = &mut model.header.spec;
    (spec.operator, spec.layers, spec.modes) = (Operator::Uno, 0, vec![]);
    let level = Level {
        width: 1,
        modes: vec![1],
        scale: vec![16.0],
    };
    spec.levels = vec![level; 32];
    let message = refusal(&model).to_string();
    assert!(message.contains("a grid inside the network"), "{message}");
}

/// What is just above a limit of this machine is refused, and what is just below is read.
pub fn the_limits_are_those_of_this_machine() {
    let width = |model: &mut Checkpoint, width: usize| {
        model.header.spec.width = width;
        let tensors = model.header.spec.tensors();
        model.tensors = tensors.iter().map(|t| vec![0.5; t.len()]).collect();
    };
    let values = usize::try_from(Limits::HERE.field_bytes / 4).expect("an address");
    let mut model = on_axes(&[values / 64 / 64, 64], &[1, 1]);
    width(&mut model, 64);
    let file = model.encode(Precision::F32).expect("at the limit");
    decode(&file).expect("at the limit");
    width(&mut model, 65);
    let (quantity, ..) = too_much(&refusal(&model));
    assert_eq!(quantity, "the bytes of the fields of one member");
    let limits = if cfg!(target_arch = "wasm32") {
        Limits::PAGE
    } else {
        Limits::NATIVE
    };
    assert_eq!(Limits::HERE, limits);
}

/// A coordinate that stands still is no reason to refuse a file.
pub fn a_coordinate_that_stands_still_is_read() {
    let mut model = small_model();
    for coordinate in &mut model.header.task.coordinates {
        coordinate.last = coordinate.first;
    }
    let file = model.encode(Precision::F32).expect("encodes");
    assert_eq!(decode(&file).expect("decodes").header, model.header);
}
