//! The same work for many things, on all processors where the crate is built so. Results are in
//! order, and the same at any number of threads. Depends on nothing.

/// What `work` gives for each number below `count`; `room` is memory that it uses again. Of fewer
/// than `least` numbers no thread is woken.
#[cfg(feature = "parallel")]
pub fn map<R, T: Send>(
    (count, least): (usize, usize),
    room: impl Fn() -> R + Sync + Send,
    work: impl Fn(&mut R, usize) -> T + Sync + Send,
) -> Vec<T> {
    use rayon::prelude::*;
    if count <= least || rayon::current_num_threads() == 1 {
        let mut room = room();
        return (0..count).map(|at| work(&mut room, at)).collect();
    }
    let all = (0..count).into_par_iter().with_min_len(least);
    all.map_init(room, |room, at| work(room, at)).collect()
}

/// What `work` gives for each number below `count`; `room` is memory that it uses again. Of fewer
/// than `least` numbers no thread is woken.
#[cfg(not(feature = "parallel"))]
pub fn map<R, T>(
    (count, _least): (usize, usize),
    room: impl Fn() -> R,
    work: impl Fn(&mut R, usize) -> T,
) -> Vec<T> {
    let mut room = room();
    (0..count).map(|at| work(&mut room, at)).collect()
}

/// What two pieces of work give, done at the same time where there is more than one processor.
#[cfg(feature = "parallel")]
pub fn both<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(first, second)
}

/// What two pieces of work give.
#[cfg(not(feature = "parallel"))]
pub fn both<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    (first(), second())
}
