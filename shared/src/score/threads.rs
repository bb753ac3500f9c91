//! Work shared out among threads, where there are any.

/// `f` of every item, in their order. What comes out does not depend on the number of threads.
#[cfg(feature = "parallel")]
pub(crate) fn map_in_order<T: Send, R: Send>(
    items: Vec<T>,
    f: impl Fn(T) -> R + Send + Sync,
) -> Vec<R> {
    use rayon::prelude::*;
    items.into_par_iter().map(f).collect()
}

/// `f` of every item, in their order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map_in_order<T, R>(items: Vec<T>, f: impl Fn(T) -> R) -> Vec<R> {
    items.into_iter().map(f).collect()
}
