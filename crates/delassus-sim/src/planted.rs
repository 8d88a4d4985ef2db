//! Faults on purpose, for tests of what becomes of a run, its files and its message. Without the feature `faults`,
//! which no program that is handed out has, there are none.

/// Whether the feature is on and the variable `DELASSUS_FAULT` has this name.
#[inline]
pub fn is(fault: &str) -> bool {
    cfg!(feature = "faults") && std::env::var_os("DELASSUS_FAULT").is_some_and(|at| at == fault)
}

/// Panics where that is so.
#[inline]
#[allow(clippy::panic)] // that is what it is for
pub fn bug(place: &str) {
    if is(place) {
        panic!("planted at {place}");
    }
}
