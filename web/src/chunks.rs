//! How many members to draw in the next pass.

/// A pass should not keep a newer request waiting for longer.
const PATIENCE_MS: f64 = 1200.0;

/// Doubles from one, so that the first picture comes early; stops at the memory budget and the visitor's patience.
pub fn next(drawn: u32, wanted: u32, largest: u32, ms_per_member: f64) -> u32 {
    let patient = (PATIENCE_MS / ms_per_member.max(0.01)) as u32;
    drawn
        .clamp(1, largest.min(patient).max(1))
        .min(wanted - drawn.min(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(wanted: u32, largest: u32, ms: f64) -> Vec<u32> {
        let (mut drawn, mut out) = (0, vec![]);
        while drawn < wanted {
            let size = next(drawn, wanted, largest, ms);
            assert!(size > 0, "it goes on");
            out.push(size);
            drawn += size;
        }
        out
    }

    #[test]
    fn passes_double_up_to_the_budget_and_end_exactly() {
        assert_eq!(passes(64, 16, 1.0), [1, 1, 2, 4, 8, 16, 16, 16]);
        assert_eq!(passes(5, 16, 1.0), [1, 1, 2, 1]);
        assert_eq!(passes(1, 16, 1.0), [1]);
    }

    #[test]
    fn a_slow_device_gets_short_passes() {
        assert_eq!(passes(6, 16, 600.0), [1, 1, 2, 2]);
        assert_eq!(passes(3, 16, 5000.0), [1, 1, 1]);
    }
}
