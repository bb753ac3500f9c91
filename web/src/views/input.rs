//! What the network sees.

use super::{Kind, Page};

pub(super) const PAGE: Page = Page {
    title: |_, _| "Input".to_owned(),
    caption: "what the network sees",
    kind: Kind::Input,
    field: |source| {
        let shape = source.case.scene.input_shape();
        let channel = source.channel.min(shape.channels - 1);
        // Of several frames the last is the present.
        let input = source.case.input.as_ref()?;
        let frame = input.chunks_exact(shape.values()).last()?;
        Some(shape.channel(frame, channel))
    },
};
