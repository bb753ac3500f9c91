//! Fields as their pictures have them: of a forecast whose frames are stacked, all frames so far.

use super::{Kind, Source, View};

/// The field of a view as its picture shows it, `[point]`; rows that have not come are not numbers.
pub fn pictured(view: View, source: &Source) -> Option<Vec<f32>> {
    let scene = &source.case.scene;
    let field = view.page().field;
    if view == View::Input || !scene.is_stacked() {
        return field(source);
    }
    let frames = (0..scene.shape.frames).map_while(|frame| field(&Source { frame, ..*source }));
    let mut picture = start(view, source);
    let before = picture.len();
    frames.for_each(|frame| picture.extend(frame));
    if picture.len() == before {
        return None;
    }
    picture.resize(scene.stacked_rows() * scene.shape.columns, f32::NAN);
    Some(picture)
}

/// The lowest row: what all members start from, or what really was there; nothing for what measures a forecast.
fn start(view: View, source: &Source) -> Vec<f32> {
    let case = source.case;
    let from = match view.page().kind {
        Kind::Field if view == View::Truth => case.start(),
        Kind::Field => case.input.as_deref(),
        _ => None,
    };
    let channel = |from| case.scene.input_shape().channel(from, source.channel);
    from.map_or_else(|| vec![f32::NAN; case.scene.shape.columns], channel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::Case;
    use crate::ensemble::tests::of_members;
    use crate::field::Scene;
    use crate::views::{Knobs, sheet};
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn steps_so_far_are_rows_above_the_start() {
        let scene = Scene::new(Experiment::KsStep, &Task::ks_step().on_grid(&[2]), 3);
        let fields = vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]];
        let case = Case::from_fields(scene, fields).expect("whole");
        let ensemble = of_members(vec![3.0, 4.0, 5.0, 4.0], 2);
        let source = Source {
            case: &case,
            ensemble: Some(&ensemble),
            other: None,
            frame: 0,
            channel: 0,
            knobs: Knobs {
                member: 1,
                quantile: 0.5,
                level: 0.9,
                threshold: 0.0,
            },
        };
        let shown = |view| pictured(view, &source).expect("a picture");
        let truth = shown(View::Truth);
        assert_eq!(truth.len(), 21 * 2);
        assert_eq!(truth[..6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(truth[6..].iter().all(|value| value.is_nan()));
        let mean = shown(View::Mean);
        assert_eq!(mean[..4], [1.0, 2.0, 4.0, 4.0]);
        assert!(
            mean[4..].iter().all(|value| value.is_nan()),
            "not there yet"
        );
        let error = shown(View::Error);
        assert!(error[0].is_nan() && error[2..4] == [1.0, 0.0]);
        assert_eq!(shown(View::Input), [1.0, 2.0]);
        let sheet = sheet(&source).expect("members");
        assert_eq!((sheet.count, sheet.shape.columns), (2, 5));
        let alone = Source {
            ensemble: None,
            ..source
        };
        assert_eq!(pictured(View::Mean, &alone), None);
    }
}
