//! What is done with a header that was taken: everything before the first number of the network is computed.

use pno::checkpoint::Header;
use pno::task::Domain;

/// Points of an axis whose coordinates are made.
const MOST_POINTS: usize = 1 << 12;

/// Counts, grids and costs of a header that passed every check.
pub fn plan(header: &Header) {
    let Header { spec, task, .. } = header;
    spec.validate().expect("a checked specification");
    task.validate().expect("a checked task");
    spec.fits(task).expect("a checked pair");
    let tensors: usize = spec.tensors().iter().map(pno::spec::TensorSpec::len).sum();
    assert_eq!(spec.networks * tensors, spec.parameter_count());
    let sizes = task.input_shape();
    let (blocks, grids) = (spec.blocks(), spec.grids(&sizes));
    assert_eq!(blocks.len(), grids.len());
    assert_eq!(grids.last(), Some(&sizes));
    let _ = spec.flops(&sizes);
    let _ = task.feeds_back();
    if sizes.iter().all(|&size| size <= MOST_POINTS) {
        let all = task.output_coordinates();
        assert_eq!(all.len(), sizes.len());
        if let Domain::Sphere(_) = task.domain {
            assert!(all[0].iter().all(|latitude| latitude.abs() <= 90.0 + 1e-9));
        }
    }
    if task.points() <= MOST_POINTS {
        let fields = vec![0.5; task.input_values()];
        let wanted = task.network_channels() * task.points();
        assert_eq!(task.network_input(&fields).len(), wanted);
        let mut values = task.network_output(&vec![0.5; task.output_values()]);
        task.restore(&mut values);
    }
    if let Some(calibration) = &header.calibration {
        let _ = calibration.of(task, 0);
    }
}
