//! Loops compiled for the instruction set of the machine they run on.

/// A loop as a type, so that its body is compiled inside the dispatcher.
pub(crate) trait Job {
    /// Must be `#[inline(always)]`, and so must everything it calls.
    fn call(self);
}

/// Runs with the widest vectors of this machine.
#[cfg(feature = "simd")]
pub(crate) fn run(job: impl Job) {
    struct Wide<J>(J);
    impl<J: Job> pulp::NullaryFnOnce for Wide<J> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            self.0.call();
        }
    }
    pulp::Arch::new().dispatch(Wide(job));
}

/// Runs with the vectors of the target: two numbers wide on plain x86-64 and in the page.
#[cfg(not(feature = "simd"))]
pub(crate) fn run(job: impl Job) {
    job.call();
}
