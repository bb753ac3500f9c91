use super::*;

/// The sample as a deterministic network with weights of its own.
fn network(number: usize) -> Checkpoint {
    let mut model = sample();
    model.header.spec.method = Method::Det;
    let weights = model.tensors.iter_mut().flatten();
    weights.for_each(|w| *w = *w * 0.5 + number as f32);
    model
}

fn ensemble() -> Checkpoint {
    let networks: Vec<_> = (0..3).map(network).collect();
    Checkpoint::of_networks(&networks).expect("alike")
}

#[test]
fn every_network_comes_back_from_the_file() {
    let model = ensemble();
    assert_eq!(model.header.spec.networks, 3);
    assert_eq!(
        (model.header.scores, &model.header.calibration),
        (None, &None)
    );
    let file = model.encode(Precision::F32).expect("encodes");
    let back = Checkpoint::decode(&file).expect("decodes");
    assert_eq!(back, model);
    for number in 0..3 {
        assert_eq!(back.network(number), network(number).tensors);
    }
    let one = network(0).header.spec;
    let spec = &back.header.spec;
    assert_eq!(spec.parameter_count(), 3 * one.parameter_count());
    assert_eq!(spec.tensors(), one.tensors());
    assert_eq!(spec.stored_tensors()[4].shape, [3, 4, 2, 2]);
    assert_eq!(network(1).network(0), network(1).tensors);
}

#[test]
fn networks_that_differ_are_no_ensemble() {
    let refused = |change: fn(&mut Checkpoint)| {
        let mut other = network(1);
        change(&mut other);
        let error = Checkpoint::of_networks(&[network(0), other]);
        error.expect_err("refused").to_string()
    };
    let wanted =
        "the network of an ensemble is number 2 of method `pno-d`, but must be of method `det`";
    assert_eq!(refused(|m| m.header.spec.method = Method::PnoD), wanted);
    assert!(refused(|m| m.header.spec.dropout = 0.5).contains("another specification"));
    assert!(refused(|m| m.header.task.input[0].size = 5).contains("another specification"));
    assert!(refused(|m| m.tensors[0].truncate(1)).contains("other tensors"));
    assert!(Checkpoint::of_networks(&[]).is_err());
    let alone = Checkpoint::of_networks(&[network(0)]).expect_err("one");
    assert!(
        alone
            .to_string()
            .contains("networks is 1, but must be 2 to 64")
    );
}

#[test]
fn a_file_cannot_claim_networks_it_does_not_hold() {
    let honest = ensemble().encode(Precision::F32).expect("encodes");
    let mut lying = ensemble();
    lying.header.spec.networks = 4;
    assert!(lying.encode(Precision::F32).is_err());
    let wire = layout::Wire {
        table: layout::table(&lying.header.spec, Precision::F32),
        header: lying.header,
    };
    let header = postcard::to_stdvec(&wire).expect("encodes");
    let length = u32::from_le_bytes([honest[12], honest[13], honest[14], honest[15]]) as usize;
    let end = honest.len() - limits::HASH_BYTES;
    let data = &honest[layout::data_start(length)..end];
    let message = Checkpoint::decode(&sealed(&header, data)).expect_err("a lie");
    assert!(
        message.to_string().contains("the file ends after"),
        "{message}"
    );
}

/// Some of the shipped models are of version 2.
#[test]
fn files_of_version_2_are_read_and_say_the_same_in_the_newest() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    for name in ["ks-pno-r.pno", "ks-pno-d.pno"] {
        let bytes = std::fs::read(format!("{folder}/{name}")).expect("a shipped model");
        assert_eq!(bytes[8..12], 2_u32.to_le_bytes(), "{name}");
        let model = Checkpoint::decode(&bytes).expect("a model of version 2");
        assert_eq!(
            Checkpoint::decode_header(&bytes).as_ref(),
            Ok(&model.header)
        );
        assert_eq!(model.header.spec.networks, 1);
        assert_eq!(model.header.calibration, None);
        assert!(model.header.scores.is_some_and(|s| s.members == 100));
        let newer = model.encode(Precision::F16).expect("encodes");
        assert_eq!(newer[8..12], limits::VERSION.to_le_bytes());
        assert_eq!(Checkpoint::decode(&newer), Ok(model));
        // The weights are where they were, in the same bytes.
        let data = |file: &[u8]| {
            let length = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
            file[layout::data_start(length)..file.len() - limits::HASH_BYTES].to_vec()
        };
        assert_eq!(data(&newer), data(&bytes), "{name}");
    }
}
