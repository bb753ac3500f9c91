//! Ours: what the paper did not try on Kuramoto-Sivashinsky.

use pno::spec::{Method, Operator};

use crate::reproduce::size::Size;
use crate::reproduce::source::{Data, Source, Training};
use crate::reproduce::table::{Picture, Row, Table};

/// Other losses, a deep ensemble, intervals scaled on validation data.
pub fn methods(size: Size) -> Table {
    let fno = |method| Training::paper(Data::Ks, Operator::Fno, method);
    let networks = match size {
        Size::Tiny => 2,
        Size::Small => 3,
        Size::Paper => 5,
    };
    let mut rows = vec![];
    for (method, label) in [(Method::PnoD, "PNO_D"), (Method::PnoR, "PNO_R")] {
        let with_loss = |loss: &str, suffix: &str| {
            let set = format!("train.loss=\"{loss}\"");
            Row::trained(
                &format!("{label}, {loss}"),
                fno(method).with(suffix, &[&set]),
                None,
            )
        };
        rows.extend([
            Row::trained(&format!("{label}, energy"), fno(method), None),
            with_loss("crps", "crps"),
            with_loss("energy+crps", "energy-crps"),
            Row::new(
                &format!("{label}, energy, conformal"),
                Source::Conformal(fno(method)),
                None,
            ),
        ]);
    }
    let ensemble = Source::DeepEnsemble {
        of: fno(Method::Det),
        networks,
    };
    rows.extend([
        Row::trained("DET", fno(Method::Det), None),
        Row::new(&format!("deep ensemble of {networks} DET"), ensemble, None),
        Row::trained("MCD", fno(Method::Mcd), None),
        Row::new("MCD, conformal", Source::Conformal(fno(Method::Mcd)), None),
    ]);
    Table {
        published: None,
        ..Table::scores(
            "methods",
            "Kuramoto-Sivashinsky: losses and methods that are not in the paper",
            rows,
        )
    }
    .with_pictures(&[Picture::Predictions])
    .with_note("Conformal scaling uses the validation cases; the deep ensemble is one of networks with different seeds, so its row is of one run.")
}
