//! The longest set-ups that the page accepts: what is not refused must be made in seconds.

use pno::spec::budget::{PAGE_SETUP_STEPS, PAGE_TABLE_BYTES};
use pno::spec::{Experiment, Level, Limits, Method, ModelSpec, Operator, Profile};
use pno::spectral::{Resampling, half_frequencies, resize, signed_frequencies, tables};
use pno::sphere::{Latitudes, tables as harmonics};
use pno::task::Grid;

/// A bound and not a measurement: tests run on machines that do other things too.
#[cfg(not(target_arch = "wasm32"))]
const MOST_SECONDS: f64 = 60.0;

fn small(operator: Operator) -> ModelSpec {
    ModelSpec {
        operator,
        in_channels: 1,
        width: 1,
        lifting: 1,
        projection: 1,
        layers: 1,
        profile: Profile::Fixed,
        ..ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("an FNO")
    }
}

/// Checks that a model is close to a limit of the page and within all, then makes its tables.
fn made(name: &str, spec: &ModelSpec, grid: &Grid, make: impl FnOnce() -> usize) {
    spec.validate().expect(name);
    let demand = spec.demand(grid);
    demand.check(&Limits::PAGE).expect(name);
    let (steps, bytes) = (demand.setup_steps, demand.table_bytes());
    assert!(
        steps > PAGE_SETUP_STEPS / 4 * 3 || bytes > PAGE_TABLE_BYTES / 4 * 3,
        "{name} is not near a limit: {demand:?}"
    );
    #[cfg(not(target_arch = "wasm32"))]
    let start = std::time::Instant::now();
    let values = make() as u64;
    assert!(4 * values <= demand.device_table_bytes, "{name}: {values}");
    assert!(8 * values > demand.device_table_bytes, "{name}: {values}");
    #[cfg(not(target_arch = "wasm32"))]
    {
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {steps} steps, {bytes} bytes, {seconds:.2} s");
        assert!(seconds < MOST_SECONDS, "{name}: {seconds} s");
    }
}

/// Two sizes without a common divisor, so that no entry of a matrix comes twice.
pub fn the_longest_resizing_of_the_page_is_made() {
    let mut spec = small(Operator::Uno);
    (spec.layers, spec.modes) = (0, vec![]);
    let level = |scale| Level {
        width: 1,
        modes: vec![1],
        scale: vec![scale],
    };
    let (fine, coarse) = (5501, 5477);
    spec.levels = vec![level(f64::from(5477_u16) / 5501.0), level(1.0)];
    assert_eq!(spec.grids(&[fine]), [[coarse], [fine]]);
    made("resizing", &spec, &Grid::flat(&[fine]), || {
        let there = resize::fourier(fine, coarse).values.len();
        there + resize::fourier(coarse, fine).values.len()
    });
}

/// As many latitudes as a task may have, and as many harmonics as the tables may hold.
pub fn the_largest_sphere_of_the_page_is_made() {
    let (degrees, orders, sizes) = (88, 88, [4096, 8]);
    let spec = ModelSpec {
        modes: vec![degrees, 2 * orders],
        ..small(Operator::Sfno)
    };
    let grid = Grid::sphere(Latitudes::Gauss, sizes);
    made("sphere", &spec, &grid, || {
        let there = harmonics::analysis(Latitudes::Gauss, sizes[0], degrees, orders).len();
        there + harmonics::synthesis(Latitudes::Gauss, sizes[0], degrees, orders).len()
    });
}

/// As many modes as an axis may have, there and back on both axes.
pub fn the_largest_fourier_tables_of_the_page_are_made() {
    let (modes, sizes) = ([2048, 4096], [800, 800]);
    let spec = ModelSpec {
        modes: modes.to_vec(),
        ..small(Operator::Fno)
    };
    let (first, last) = (signed_frequencies(modes[0]), half_frequencies(modes[1]));
    made("Fourier", &spec, &Grid::flat(&sizes), || {
        let (a, b) = (sizes[0], sizes[1]);
        let (inner, outer) = (
            tables::half_spectrum_from_grid(&last, b).values.len(),
            tables::spectrum_from_grid(&first, a).values.len(),
        );
        let rule = Resampling::Signed;
        let back = tables::resampled_grid_from_half_spectrum(&last, b, b, rule);
        let outer_back = tables::resampled_grid_from_spectrum(&first, a, a, rule);
        inner + outer + back.values.len() + outer_back.values.len()
    });
}
