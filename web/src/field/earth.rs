//! Where the points of a scene lie on a sphere.

use super::{Layout, Order, Probe, Scene, Span};
use crate::coast::Window;
use crate::globe::{Spot, Surface};
use crate::live::Place;

impl Scene {
    /// Whether its points have latitude and longitude.
    fn is_placed(&self) -> bool {
        self.row.unit == "degrees_north" && self.column.unit == "degrees_east"
    }

    /// The place of a probe on the sphere.
    pub fn spot(&self, probe: Probe) -> Option<Spot> {
        let at = |span: &Span, index: usize| span.coordinates.get(index).copied();
        self.is_placed().then_some(())?;
        Some(Spot {
            lat: at(&self.row, probe.row)?,
            lon: at(&self.column, probe.column)?.rem_euclid(360.0),
        })
    }

    /// The place in the picture of the point that is nearest to a place on the sphere.
    pub fn nearest(&self, spot: Spot) -> Place {
        let row = least(&self.row, |lat| (lat - spot.lat).abs());
        let column = least(&self.column, |lon| {
            let apart = (lon - spot.lon).rem_euclid(360.0);
            apart.min(360.0 - apart)
        });
        Place::of_cell(column, row, self.shape.columns, self.shape.rows)
    }

    /// A field `[point]` as a surface to draw a globe of; `stepwise` for fields of yes and no.
    /// None where the scene is no whole sphere.
    pub fn surface(&self, field: &[f32], stepwise: bool) -> Option<Surface> {
        if self.layout != Layout::Sphere || !self.is_placed() {
            return None;
        }
        let mut latitudes = self.row.coordinates.clone();
        if self.shape.order == Order::Downwards {
            latitudes.reverse();
        }
        let first = self.column.coordinates.first().copied()?;
        let make = if stepwise {
            Surface::cells
        } else {
            Surface::new
        };
        make(&latitudes, first, field).ok()
    }

    /// The part of the Earth that a map shows, for its coastlines. The spheres of the page have none.
    pub fn window(&self) -> Option<Window> {
        if self.layout != Layout::Map || !self.is_placed() {
            return None;
        }
        let ((south, north), (west, east)) = (self.row.borders(), self.column.borders());
        Some(Window {
            west: west as f32,
            east: east as f32,
            south: south as f32,
            north: north as f32,
        })
    }

    /// Width of a map by its height on the Earth, at the latitude in its middle; none for what is no map of it.
    pub fn aspect(&self) -> Option<f64> {
        let Window {
            west,
            east,
            south,
            north,
        } = self.window()?;
        let middle = f64::from(f32::midpoint(south, north)).to_radians();
        let shape = f64::from(east - west) / f64::from(north - south);
        Some((shape * middle.cos()).clamp(0.6, 2.4))
    }
}

fn least(span: &Span, distance: impl Fn(f64) -> f64) -> usize {
    let all = span.coordinates.iter().enumerate();
    let nearest = all.min_by(|a, b| distance(*a.1).total_cmp(&distance(*b.1)));
    nearest.map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::Experiment;
    use pno::task::{Axis, Task};

    fn water() -> Scene {
        Scene::new(Experiment::Sswe, &Task::sswe().on_grid(&[32, 64]), 1)
    }

    #[test]
    fn every_point_of_a_sphere_is_the_nearest_to_its_own_place() {
        let scene = water();
        for (row, column) in [(0, 0), (31, 63), (16, 32), (7, 1)] {
            let probe = Probe {
                frame: 0,
                row,
                column,
                channel: 0,
            };
            let spot = scene.spot(probe).expect("a sphere");
            let place = scene.nearest(spot);
            assert_eq!(place.cell(64, 32), (column, row));
        }
        let east_of_the_last = Spot {
            lat: 1.0,
            lon: 359.0,
        };
        assert_eq!(scene.nearest(east_of_the_last).cell(64, 32).0, 0);
    }

    #[test]
    fn a_surface_has_the_values_of_the_points() {
        let scene = water();
        let field: Vec<f32> = (0..32 * 64).map(|i| (i % 640) as f32).collect();
        for stepwise in [true, false] {
            let surface = scene.surface(&field, stepwise).expect("a sphere");
            for (row, column) in [(3, 5), (20, 63), (16, 0)] {
                let probe = Probe {
                    frame: 0,
                    row,
                    column,
                    channel: 0,
                };
                let spot = scene.spot(probe).expect("a place");
                let found = surface.value(spot.lat, spot.lon);
                let wanted = field[scene.shape.point(row, column)];
                assert!((found - wanted).abs() < 25.0, "{found} for {wanted}");
            }
        }
        let waves = Scene::new(Experiment::Ks, &Task::ks(), 1);
        assert_eq!(waves.surface(&vec![0.0; 20 * 256], false), None);
    }

    #[test]
    fn a_map_of_the_earth_has_a_window_and_the_planet_without_coasts_none() {
        let mut task = Task::era5();
        task.output[1] = Axis::new("latitude", 25, 15.0, 2.5, "degrees_north");
        task.output[2] = Axis::new("longitude", 53, 200.0, 2.5, "degrees_east");
        let scene = Scene::new(Experiment::Era5, &task, 1);
        let window = scene.window().expect("a map");
        assert_eq!((window.west, window.east), (198.75, 331.25));
        assert_eq!((window.south, window.north), (13.75, 76.25));
        let aspect = scene.aspect().expect("a map");
        assert!((aspect - 132.5 / 62.5 * 0.5_f64.sqrt()).abs() < 1e-6);
        assert_eq!(water().window(), None);
        let flow = Scene::new(Experiment::Darcy, &Task::darcy(), 1);
        assert_eq!((flow.window(), flow.aspect()), (None, None));
    }
}
