//! The most memory that this process has had at once.

use std::fs;

/// The most bytes in memory at once while `call` ran, of the whole process, where the system tells (Linux).
pub fn peak_bytes<T>(call: impl FnOnce() -> T) -> (T, Option<u64>) {
    // Sets the high-water mark back to what is in memory now.
    let is_reset = fs::write("/proc/self/clear_refs", "5").is_ok();
    let result = call();
    (result, is_reset.then(high_water_mark).flatten())
}

fn high_water_mark() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip::skip;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_large_array_is_seen_while_it_is_there_and_not_afterwards() {
        const SIZE: usize = 256 << 20;
        let filled = || std::hint::black_box(vec![1_u8; SIZE]).len();
        let ((), before) = peak_bytes(|| ());
        let Some(before) = before else {
            skip("this system does not set the mark back");
            return;
        };
        let (length, with) = peak_bytes(filled);
        assert_eq!(length, SIZE);
        // Other tests come and go: half of it is enough to tell.
        assert!(with.expect("told before") > before + SIZE as u64 / 2);
    }
}
