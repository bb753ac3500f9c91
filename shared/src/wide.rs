//! Loops compiled for the instruction set of the machine they run on.

/// A loop as a type, so that its body is compiled inside the dispatcher.
pub(crate) trait Job {
    /// What comes out.
    type Output;

    /// Must be `#[inline(always)]`, and so must everything it calls.
    fn call(self) -> Self::Output;
}

/// Runs with the widest vectors of this machine. The results do not depend on them.
#[cfg(feature = "simd")]
pub(crate) fn run<J: Job>(job: J) -> J::Output {
    struct Wide<J>(J);
    impl<J: Job> pulp::NullaryFnOnce for Wide<J> {
        type Output = J::Output;

        #[inline(always)]
        fn call(self) -> J::Output {
            self.0.call()
        }
    }
    pulp::Arch::new().dispatch(Wide(job))
}

/// Runs with the vectors of the target: two numbers wide on plain x86-64, four in the page.
#[cfg(not(feature = "simd"))]
pub(crate) fn run<J: Job>(job: J) -> J::Output {
    job.call()
}
