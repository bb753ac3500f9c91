//! Every operator, method and loss learns.

use super::*;

#[test]
fn every_operator_learns_a_smooth_map() {
    let sphere = Domain::Sphere(Latitudes::Gauss);
    for (operator, task) in [
        (Operator::Fno, task(&[24], Domain::Flat, 1)),
        (Operator::Fno, task(&[8, 12], Domain::Flat, 1)),
        (Operator::Fno, task(&[4, 6, 8], Domain::Flat, 2)),
        (Operator::Uno, task(&[8, 12], Domain::Flat, 1)),
        (Operator::Sfno, task(&[8, 16], sphere, 3)),
    ] {
        for method in [Method::PnoD, Method::PnoR] {
            let (first, last) = learn_smooth_map(operator, method, Loss::Energy, &task);
            let shape = task.input_shape();
            assert!(
                last < 0.6 * first,
                "{operator} {method} {shape:?}: {first} to {last}"
            );
        }
    }
}

#[test]
fn every_method_learns_with_every_loss_it_takes() {
    let task = task(&[24], Domain::Flat, 1);
    // Laplace approximations and ensembles are made of networks that are trained as `det`.
    let trained = |m: &&Method| m.trained_as() == **m;
    for &method in Method::ALL.iter().filter(trained) {
        for &loss in Loss::ALL {
            if method.trains_with(loss).is_err() {
                continue;
            }
            let (first, last) = learn_smooth_map(Operator::Fno, method, loss, &task);
            assert!(last < 0.6 * first, "{method} {loss}: {first} to {last}");
        }
    }
}
