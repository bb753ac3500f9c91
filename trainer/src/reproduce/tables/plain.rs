//! Tables that need no training of their own: runtime, skill, settings; and the measurement of growth.

use pno::spec::{Method, Operator, Profile};

use crate::reproduce::source::{Data, Source, Training};
use crate::reproduce::table::{Column, Kind, Picture, RUNTIME, Row, SKILLS, Table};

/// Runtime of one-step shallow water.
pub fn runtime() -> Table {
    let training = |method| Training::paper(Data::Sswe, Operator::Sfno, method);
    let of = training(Method::Det);
    let laplace = Source::Laplace {
        of,
        profile: Profile::Paper,
    };
    let rows = vec![
        Row::trained("MCD", training(Method::Mcd), Some("mcd")),
        Row::new("LA", laplace, Some("laplace")),
        Row::trained("PNO_D", training(Method::PnoD), Some("pno-d")),
        Row::trained("PNO_R", training(Method::PnoR), Some("pno-r")),
    ];
    Table {
        columns: RUNTIME,
        ..Table::scores("runtime", "Runtime (shallow water, one-step training)", rows)
    }
    .with_pictures(&[Picture::Runtime])
    .with_note("Wall-clock time on this machine beside that of an RTX A6000: only ratios between rows can be compared.")
}

/// Skill of PNO_D relative to PNO_R; a heading per experiment.
pub fn skill() -> Table {
    let two_step = |method| Training::paper(Data::Sswe, Operator::Sfno, method).varied("two-step");
    let fno = |data: Data| move |method| Training::paper(data, Operator::Fno, method);
    let pair = |group: &str, training: &dyn Fn(Method) -> Training| {
        [
            Row::trained("PNO_D", training(Method::PnoD), None).under(group),
            Row::trained("PNO_R", training(Method::PnoR), None).under(group),
        ]
    };
    let rows = [
        pair("darcy", &fno(Data::Darcy)),
        pair("ks", &fno(Data::Ks)),
        pair("sswe", &two_step),
        pair("era5", &fno(Data::Era5)),
    ];
    Table {
        kind: Kind::Skill,
        columns: SKILLS,
        ..Table::scores("skill", "Skill of PNO_D relative to PNO_R", rows.concat())
    }
    .with_note("1 - S(PNO_D) / S(PNO_R) of the mean scores: positive where PNO_D is better.")
}

const fn words(key: &'static str, label: &'static str) -> Column {
    Column {
        key,
        label,
        latex: label,
        better: crate::reproduce::table::Better::Neither,
    }
}

const SETTINGS: &[Column] = &[
    words("batch", "batch"),
    words("learning_rate", "learning rate"),
    words("width", "channels"),
    words("projection", "projection"),
    words("lifting", "lifting"),
    words("modes", "modes"),
    words("dropout", "dropout"),
];

/// Hyper-parameters: the presets beside the printed ones.
pub fn hyper_parameters() -> Table {
    Table {
        kind: Kind::Settings,
        columns: SETTINGS,
        ..Table::scores("hyper-parameters", "Hyper-parameters", vec![])
    }
    .with_note("Dropout is that of PNO_D / PNO_R / MCD / DET and LA; the batch that of PNO_D / the others. Neither is printed in the paper's table.")
}

const SCALING: &[Column] = &[
    words("value", "value"),
    words("seconds", "s per epoch"),
    words("memory", "peak MB"),
];

/// How time and memory of an epoch grow.
pub fn scaling() -> Table {
    Table {
        kind: Kind::Scaling,
        columns: SCALING,
        published: None,
        ..Table::scores("scaling", "Growth of epoch time and memory", vec![])
    }
}
