//! How the globe turns: after a finger, by keys, and on by itself for a while.

use super::camera::Camera;

/// Time after which the speed has fallen to a third, in milliseconds.
const SLOWING_MS: f64 = 320.0;
/// Below this, in degrees per millisecond, it stands still.
const STILL: f64 = 0.004;
/// The speed of a finger is taken over this time.
const MEMORY_MS: f64 = 60.0;

/// A globe in motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spin {
    /// What is in the middle.
    pub camera: Camera,
    /// Degrees per millisecond to the north and to the east.
    speed: [f64; 2],
    held: bool,
}

impl Spin {
    /// At rest.
    pub fn at(camera: Camera) -> Self {
        Self {
            camera,
            speed: [0.0; 2],
            held: false,
        }
    }

    /// A finger takes hold of it.
    pub fn hold(&mut self) {
        (self.held, self.speed) = (true, [0.0; 2]);
    }

    /// The finger moves by a part of the radius, within some milliseconds: the surface goes along.
    pub fn drag(&mut self, right: f64, up: f64, elapsed_ms: f64) {
        let north = -up.to_degrees();
        // Near a pole a turn of the axis moves the surface less; it is still bounded.
        let east = -right.to_degrees() / self.camera.middle.lat.to_radians().cos().max(0.35);
        self.camera = self.camera.turned(north, east);
        let fresh = (elapsed_ms / MEMORY_MS).clamp(0.0, 1.0);
        for (speed, moved) in self.speed.iter_mut().zip([north, east]) {
            *speed += fresh * (moved / elapsed_ms.max(1.0) - *speed);
        }
    }

    /// The finger lets go; without `inertia` the globe stands still.
    pub fn release(&mut self, inertia: bool) {
        self.held = false;
        if !inertia {
            self.speed = [0.0; 2];
        }
    }

    /// Time goes by; gives whether the globe moves by itself.
    pub fn pass(&mut self, elapsed_ms: f64) -> bool {
        if self.held {
            // A finger that rests has no speed to give.
            let rest = (-elapsed_ms / MEMORY_MS).exp();
            self.speed = self.speed.map(|speed| speed * rest);
            return false;
        }
        if self.speed[0].hypot(self.speed[1]) < STILL {
            self.speed = [0.0; 2];
            return false;
        }
        let elapsed_ms = elapsed_ms.min(100.0);
        self.camera = self
            .camera
            .turned(self.speed[0] * elapsed_ms, self.speed[1] * elapsed_ms);
        let slower = (-elapsed_ms / SLOWING_MS).exp();
        self.speed = self.speed.map(|speed| speed * slower);
        true
    }

    /// Whether it moves or is held.
    pub fn is_moving(&self) -> bool {
        self.held || self.speed != [0.0; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_goes_along_with_the_finger() {
        let mut spin = Spin::at(Camera::above(0.0, 90.0));
        let under = spin.camera.spot(0.0, 0.0).expect("on the globe");
        spin.hold();
        spin.drag(0.02, -0.01, 16.0);
        let [right, up, _] = spin.camera.project(under);
        assert!(
            (right - 0.02).abs() < 1e-3 && (up + 0.01).abs() < 1e-3,
            "{right} {up}"
        );
    }

    #[test]
    fn it_goes_on_slower_and_slower_and_then_stands_still() {
        let mut spin = Spin::at(Camera::above(0.0, 90.0));
        spin.hold();
        for _ in 0..10 {
            spin.drag(0.03, 0.0, 16.0);
        }
        spin.release(true);
        let mut steps = vec![];
        while spin.pass(16.0) {
            steps.push(spin.camera.middle.lon);
            assert!(steps.len() < 200, "it must come to rest");
        }
        assert!(steps.len() > 10);
        let moved: Vec<f64> = steps.windows(2).map(|w| w[0] - w[1]).collect();
        assert!(
            moved.is_sorted_by(|a, b| a >= b) && moved[0] > 0.0,
            "{moved:?}"
        );
        assert!(!spin.is_moving());
    }

    #[test]
    fn without_inertia_and_after_a_rest_it_stays() {
        let mut spin = Spin::at(Camera::above(0.0, 90.0));
        spin.hold();
        spin.drag(0.03, 0.0, 16.0);
        spin.release(false);
        assert!(!spin.pass(16.0));
        spin.hold();
        spin.drag(0.03, 0.0, 16.0);
        spin.pass(500.0);
        spin.release(true);
        assert!(!spin.pass(16.0), "a finger that rested gives no speed");
    }
}
