//! A device without memory says so in the middle of a step: by a panic, or by the error of a read that comes later. So does
//! a kernel that cannot number its values. All become one sentence that says what to do.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use pno::nn::ops::TOO_MANY_VALUES;
use pno::task::Task;

use super::indices;
use super::memory::{self, Way, spoken};
use super::settings::Settings;

/// What burn, cubecl, wgpu and the drivers say, in small letters.
const WORDS: [&str; 5] = [
    "out of device memory",
    "out of memory",
    "out-of-memory",
    "can't allocate",
    "not enough memory",
];

/// Whether a message is about memory that a device does not have.
fn is_about_memory(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    WORDS.iter().any(|words| message.contains(words))
}

/// Whether a message becomes a sentence here.
fn is_known(message: &str) -> bool {
    is_about_memory(message) || message.contains(TOO_MANY_VALUES)
}

/// Does some work on a device. A panic about memory or too many values is its message, any other goes on its way.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    keep_quiet();
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match words(&*payload) {
        Some(message) if is_known(message) => message.to_owned(),
        _ => panic::resume_unwind(payload),
    })
}

/// The sentence for an error of a training, if it is about memory or too many values.
pub fn sentence(error: &str, settings: &Settings, task: &Task) -> Option<String> {
    // The first line says it; a backtrace may follow.
    let told = error.lines().map(str::trim).find(|line| is_known(line));
    if !is_about_memory(error) {
        let too_many = told?;
        let advice = indices::advice(settings, task);
        return Some(format!(
            "a step of this run is too large for the device ({too_many}): {advice}"
        ));
    }
    let needed = memory::bytes(settings, task, Way::Gpu);
    Some(format!(
        "the device has no memory left ({}): a step of this run needs about {}. Begin it again with --memory-budget {} or less, which works on a batch in chunks, with a smaller train.batch, or with --device cpu",
        told.unwrap_or("it says no more"),
        spoken(needed),
        spoken(needed / 2).replace(' ', "")
    ))
}

/// Panics about memory or too many values are told as a sentence, without a backtrace; all others as before.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !words(info.payload()).is_some_and(is_known) {
                before(info);
            }
        }));
    });
}

fn words(payload: &(dyn Any + Send)) -> Option<&str> {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use pno::spec::{Experiment, Method, Operator, Profile};

    #[test]
    fn a_panic_about_memory_or_too_many_values_is_caught_and_no_other() {
        assert_eq!(caught(|| 7), Ok(7));
        let message = "Can't allocate buffer of size: 4294967296\n   0: somewhere";
        let found = caught(|| panic!("{message}"));
        assert_eq!(found, Err::<(), _>(message.to_owned()));
        let message =
            format!("a kernel would work on 9 rows of 2^31 values, but its {TOO_MANY_VALUES}");
        let found = caught(|| panic!("{message}"));
        assert_eq!(found, Err::<(), _>(message.clone()));
        let other = panic::catch_unwind(|| caught(|| panic!("index out of bounds")));
        assert!(other.is_err(), "goes on its way");
    }

    #[test]
    fn the_sentence_says_what_is_needed_and_what_to_do() {
        let task = Task::published(Experiment::Ks).expect("published");
        let settings = Settings::preset(
            Experiment::Ks,
            Operator::Fno,
            Method::PnoD,
            Profile::Fixed,
            Size::Paper,
            None,
        );
        let settings = settings.expect("a preset");
        let error =
            "failed to read\n  out of device memory allocating 1073741824 bytes\n  0: a frame";
        let told = sentence(error, &settings, &task).expect("about memory");
        assert!(
            told.contains("(out of device memory allocating 1073741824 bytes)"),
            "{told}"
        );
        assert!(
            told.contains("about 3.7 GB") && told.contains("--memory-budget 1.8GB"),
            "{told}"
        );
        assert!(!told.contains("a frame"), "{told}");
        let error = format!(
            "a kernel would work on 9 rows, but its {TOO_MANY_VALUES} in all\n  0: a frame"
        );
        let told = sentence(&error, &settings, &task).expect("about values");
        assert!(
            told.contains("(a kernel would work on 9 rows")
                && told.contains("--set train.micro_batch="),
            "{told}"
        );
        assert!(!told.contains("a frame"), "{told}");
        assert_eq!(
            sentence("a shader does not compile", &settings, &task),
            None
        );
    }
}
