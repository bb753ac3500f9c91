//! How long a device may take for a pass.

/// A GPU that has not answered by then is given up.
///
/// Passes are cut so that they take about a second ([`crate::chunks`]). The first one also waits for the driver to build a
/// few dozen kernels, which slow ones do in some ten seconds. A browser that notices a hanging GPU takes it away after ten
/// to twenty seconds, and then the page hears that it is lost; what is still silent after a minute stays silent.
pub const PASS_MS: i32 = 60_000;

/// The same for a program that plays a GPU. Nobody gets one without asking for it by name, it is some forty times slower
/// than the CPU, and in tests it shares two cores with everything else: no test waits as long.
pub const SOFTWARE_PASS_MS: i32 = 300_000;

/// The time that an adapter has for a pass.
pub fn pass_ms(software: bool) -> i32 {
    if software { SOFTWARE_PASS_MS } else { PASS_MS }
}

/// What a visitor reads of a device that did not answer.
pub fn late(milliseconds: i32) -> String {
    format!("The GPU gave no answer in {} s", milliseconds / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_plays_a_gpu_has_more_time() {
        assert!(pass_ms(true) > pass_ms(false));
        assert_eq!(late(pass_ms(false)), "The GPU gave no answer in 60 s");
    }
}
