//! One member.

use super::{Kind, Page};

pub(super) const PAGE: Page = Page {
    title: |_, _| "Member".to_owned(),
    caption: "one possible future",
    kind: Kind::Field,
    field: |source| {
        let member = source.members()?.member(source.knobs.member)?;
        Some(source.case.scene.shape.channel(member, source.channel))
    },
};
