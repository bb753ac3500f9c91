use super::*;
use crate::checkpoint::limits::{MAX_MASK_BYTES, MAX_MASKS_BYTES};

/// The header of the sample, changed behind the back of the writer's own checks, in a sealed file.
fn refused(change: impl FnOnce(&mut Header)) -> String {
    let mut model = sample();
    change(&mut model.header);
    model.encode(Precision::F32).expect_err("not written");
    let table = layout::table(&model.header.spec, Precision::F32);
    let header = model.header;
    let wire = postcard::to_stdvec(&layout::Wire { header, table }).expect("encodes");
    let error = Checkpoint::decode(&sealed(&wire, &[])).expect_err("not read");
    error.to_string()
}

#[test]
fn a_mask_comes_back_from_the_file() {
    let model = sample();
    let back = model.encode(Precision::F16).expect("encodes");
    let back = Checkpoint::decode(&back).expect("decodes").header.task;
    assert_eq!(back, model.header.task);
    let masked: Vec<usize> = (0..600).filter(|&i| back.masks_output(i)).collect();
    assert_eq!(masked, [9, 109, 209, 309, 409, 509]);
}

#[test]
fn a_mask_that_does_not_fit_its_grid_is_refused_by_writer_and_reader() {
    let mask = |sizes: &[usize], bits: Vec<u8>| Some(Mask::from_parts(sizes.to_vec(), bits));
    let said = refused(|h| h.task.outputs[0].mask = mask(&[299], vec![1; 38]));
    assert!(said.contains("last axes of [4, 300]"), "{said}");
    let said = refused(|h| h.task.outputs[0].mask = mask(&[300], vec![1; 37]));
    assert!(said.contains("38 bytes for 300 points"), "{said}");
    let said = refused(|h| h.task.inputs[0].mask = mask(&[300], vec![0xff; 38]));
    assert!(said.contains("beyond the last one"), "{said}");
    let said = refused(|h| h.task.inputs[0].mask = mask(&[300], vec![0; 38]));
    assert!(said.contains("at 0 of 300 points"), "{said}");
    let said = refused(|h| h.task.inputs[0].mask = mask(&[usize::MAX, 300], vec![1; 38]));
    assert!(said.contains("last axes"), "{said}");
    let long = vec![1; MAX_MASK_BYTES + 1];
    let said = refused(|h| h.task.inputs[0].mask = mask(&[300], long));
    assert!(said.contains("bytes"), "{said}");
}

#[test]
fn a_refusal_quotes_no_name_that_steers_the_terminal() {
    let said = refused(|h| {
        h.task.inputs[0].name = "\u{1b}[2J".into();
        h.task.inputs[0].mask = Some(Mask::from_parts(vec![299], vec![1; 38]));
    });
    assert!(said.contains("the name of a quantity"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn masks_have_a_limit_together() {
    let size = 8 * MAX_MASK_BYTES;
    let said = refused(|h| {
        h.task.input[1].size = size;
        h.task.output[1].size = size;
        h.task.outputs[0].mask = Mask::new(&[size], |x| x == 7);
        let field = h.task.outputs[0].clone();
        h.task.inputs = vec![field; 1 + MAX_MASKS_BYTES / MAX_MASK_BYTES];
        h.spec.in_channels = h.task.network_channels();
    });
    assert!(said.contains("bytes"), "{said}");
}

#[test]
fn a_task_that_no_file_takes_is_known_before_there_is_a_model() {
    let task = || sample().header.task;
    assert_eq!(Checkpoint::check_task(&task()), Ok(()));
    let size = 8 * MAX_MASK_BYTES;
    let mut masked = task();
    masked.input[1].size = size;
    masked.output[1].size = size;
    masked.outputs[0].mask = Mask::new(&[size], |x| x == 7);
    masked.inputs = vec![masked.outputs[0].clone(); MAX_MASKS_BYTES / MAX_MASK_BYTES];
    let said = Checkpoint::check_task(&masked).expect_err("too many");
    assert!(said.to_string().contains("bytes of all masks"), "{said}");
    let mut named = task();
    named.inputs[0].unit = "K".repeat(65);
    let said = Checkpoint::check_task(&named).expect_err("too long");
    assert!(
        said.to_string().contains("the unit of a quantity"),
        "{said}"
    );
}

/// The models of version 3 that are shipped have no masks, and are the same in the newest.
#[test]
fn files_of_version_3_are_read_and_say_the_same_in_version_4() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    for name in ["darcy-laplace.pno", "sswe-pno-r.pno", "air-pno-d.pno"] {
        let bytes = std::fs::read(format!("{folder}/{name}")).expect("a shipped model");
        assert_eq!(Checkpoint::version(&bytes), 3, "{name}");
        let model = Checkpoint::decode(&bytes).expect("a model of version 3");
        assert!(!model.header.task.has_masks());
        let newer = model.encode(model.header.precision).expect("encodes");
        assert_eq!(Checkpoint::version(&newer), limits::VERSION);
        assert_eq!(Checkpoint::decode(&newer), Ok(model));
    }
}
