//! A trained network as the beginning of a probabilistic one.

use pno::spec::{Method, Operator};

use crate::reproduce::source::{Data, Training};
use crate::reproduce::table::{FINE_TUNING, Picture, Row, Table};

/// Fine-tuning on Kuramoto-Sivashinsky.
pub fn table() -> Table {
    let fno = |method| Training::paper(Data::Ks, Operator::Fno, method);
    let mut tuned = fno(Method::PnoD).varied("fine-tune");
    tuned.from = Some(Box::new(fno(Method::Mcd)));
    let rows = vec![
        Row::trained("PNO_D", fno(Method::PnoD), Some("pno-d")),
        Row::trained("MCD (printed as DET)", fno(Method::Mcd), Some("mcd")),
        Row::trained("PNO_D from MCD", tuned, Some("pno-d-fine-tuned")),
    ];
    Table {
        columns: FINE_TUNING,
        ..Table::scores(
            "fine-tuning",
            "Fine-tuning of a trained model (Kuramoto-Sivashinsky, FNO)",
            rows,
        )
    }
    .with_pictures(&[Picture::Curves])
    .with_note("Time and epochs of the last row are those after the MCD model was there.")
}
