//! The locked scales: one per kind of view, for all frames and both sides.

use crate::ensemble::Extent;
use crate::field::Unit;
use crate::picture::{Bar, Palette};
use crate::scale::nice_above;
use crate::settings::ColourMap;
use crate::views::Kind;

/// A 95 % interval is four standard deviations wide.
const WIDTH_OF_SPREAD: f32 = 4.0;
/// A field reaches to both sides of zero if the smaller side has this share of the larger.
const BOTH_SIDES: f32 = 0.15;

/// Ends and colours of every kind of view, in physical units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    field: Bar,
    input: Bar,
    spread: f32,
}

impl Scales {
    /// Scales of a quantity from its ranges; what is not known yet is guessed.
    pub fn new(
        unit: &Unit,
        extent: Extent,
        input: Extent,
        input_unit: &Unit,
        map: ColourMap,
    ) -> Self {
        Self {
            field: field(unit, extent, map),
            input: if input_unit.name == unit.name {
                field(unit, extent.union(input), map)
            } else {
                field(input_unit, input, ColourMap::Auto)
            },
            spread: if extent.spread > 0.0 {
                nice_above(extent.spread)
            } else {
                1.0
            },
        }
    }

    /// The bar of a kind; `None` for the interval, which has three colours.
    pub fn bar(&self, kind: Kind) -> Option<Bar> {
        let from_zero = |hi| Bar {
            lo: 0.0,
            hi,
            palette: Palette::Spread,
        };
        Some(match kind {
            Kind::Field => self.field,
            Kind::Input => self.input,
            Kind::Spread => from_zero(self.spread),
            Kind::Width => from_zero(WIDTH_OF_SPREAD * self.spread),
            Kind::Probability => Bar {
                lo: 0.0,
                hi: 1.0,
                palette: Palette::Sequential,
            },
            Kind::Difference => Bar {
                lo: -self.spread,
                hi: self.spread,
                palette: Palette::Diverging,
            },
            Kind::Interval => return None,
        })
    }
}

fn field(unit: &Unit, extent: Extent, map: ColourMap) -> Bar {
    let Extent { least, most, .. } = extent;
    if !(least.is_finite() && most.is_finite()) {
        return Bar {
            lo: -1.0,
            hi: 1.0,
            palette: map.palette().unwrap_or(Palette::Diverging),
        };
    }
    // The zero of the unit that is shown: freezing, where that is °C.
    let zero = unit.value(0.0) as f32;
    let (below, above) = (zero - least, most - zero);
    let both = below > 0.0 && above > 0.0 && below.min(above) > BOTH_SIDES * below.max(above);
    let (lo, hi, palette) = match unit.middle.map(|middle| middle as f32) {
        Some(middle) => {
            let reach = nice_above((most - middle).abs().max((least - middle).abs()));
            (middle - reach, middle + reach, Palette::Diverging)
        }
        None if both => {
            let reach = nice_above(above.max(below));
            (zero - reach, zero + reach, Palette::Diverging)
        }
        None if least >= 0.0 && least < 0.5 * most => (0.0, nice_above(most), Palette::Sequential),
        None => {
            // Round ends in the unit that is shown.
            let shown = |v: f32| unit.shown(f64::from(v));
            let step = f64::from(nice_above(((shown(most) - shown(least)) / 10.0) as f32));
            let lo = (shown(least) / step).floor() * step;
            let hi = (shown(most) / step).ceil() * step;
            let hi = if hi > lo { hi } else { lo + step };
            (
                unit.value(lo) as f32,
                unit.value(hi) as f32,
                Palette::Sequential,
            )
        }
    };
    Bar {
        lo,
        hi,
        palette: map.palette().unwrap_or(palette),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::task::Task;

    fn extent(least: f32, most: f32, spread: f32) -> Extent {
        Extent {
            least,
            most,
            spread,
        }
    }

    fn bar(task: &Task, channel: usize, least: f32, most: f32) -> Bar {
        let unit = Unit::of(&task.outputs[channel]);
        let input = Unit::of(&task.inputs[0]);
        let extent = extent(least, most, 0.37);
        let scales = Scales::new(&unit, extent, extent, &input, ColourMap::Auto);
        scales.bar(Kind::Field).expect("a bar")
    }

    #[test]
    fn every_published_quantity_has_round_ends_that_hold_it() {
        let waves = bar(&Task::ks(), 0, -2.9, 3.2);
        assert_eq!(
            (waves.lo, waves.hi, waves.palette),
            (-4.0, 4.0, Palette::Diverging)
        );
        let pressure = bar(&Task::darcy(), 0, 0.001, 0.21);
        assert_eq!((pressure.lo, pressure.palette), (0.0, Palette::Sequential));
        assert!((pressure.hi - 0.3).abs() < 1e-6);
        let depth = bar(&Task::sswe(), 0, 97_300.0, 98_100.0);
        assert_eq!((depth.lo, depth.hi), (97_262.0, 98_862.0));
        for (least, most, lo, hi, palette) in [
            (262.0, 301.0, -30.0, 30.0, Palette::Diverging),
            (281.0, 301.0, 6.0, 28.0, Palette::Sequential),
        ] {
            let found = bar(&Task::era5(), 0, least, most);
            let celsius = [found.lo, found.hi].map(|kelvin| kelvin - 273.15);
            assert!((celsius[0] - lo).abs() < 1e-3, "{celsius:?} °C");
            assert!((celsius[1] - hi).abs() < 1e-3, "{celsius:?} °C");
            assert_eq!(found.palette, palette);
        }
    }

    #[test]
    fn spreads_share_a_scale_and_differences_go_both_ways() {
        let unit = Unit::of(&Task::ks().outputs[0]);
        let extent = extent(-1.0, 1.0, 0.37);
        let scales = Scales::new(&unit, extent, extent, &unit, ColourMap::Batlow);
        let ends = |kind| scales.bar(kind).map(|bar| (bar.lo, bar.hi));
        let close = |found: Option<(f32, f32)>, lo: f32, hi: f32| {
            found.is_some_and(|(a, b)| (a - lo).abs() < 1e-6 && (b - hi).abs() < 1e-6)
        };
        assert!(close(ends(Kind::Spread), 0.0, 0.4));
        assert!(close(ends(Kind::Width), 0.0, 1.6));
        assert!(close(ends(Kind::Difference), -0.4, 0.4));
        assert_eq!(ends(Kind::Probability), Some((0.0, 1.0)));
        assert_eq!(ends(Kind::Interval), None);
        let field = scales.bar(Kind::Field).expect("a bar");
        assert_eq!(field.palette, Palette::Sequential, "as chosen");
    }

    #[test]
    fn nothing_known_is_no_panic() {
        let unit = Unit::of(&Task::ks().outputs[0]);
        let none = Extent::of([]);
        let scales = Scales::new(&unit, none, none, &unit, ColourMap::Auto);
        assert_eq!(scales.bar(Kind::Field).map(|bar| bar.hi), Some(1.0));
        let flat = Extent::of([3.0]);
        let bar = Scales::new(&unit, flat, flat, &unit, ColourMap::Auto).bar(Kind::Field);
        assert!(bar.is_some_and(|bar| bar.hi > bar.lo));
    }
}
