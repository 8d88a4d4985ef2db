//! Deliberate faults, for tests of what becomes of a run, its files and its message. Without the feature `faults`,
//! which no distributed program has, there are none.

use std::ffi::OsString;
use std::sync::LazyLock;

/// Whether the feature is on and the variable `DELASSUS_FAULT` has this name.
#[inline]
pub fn is(fault: &str) -> bool {
    static PLANTED: LazyLock<Option<OsString>> =
        LazyLock::new(|| std::env::var_os("DELASSUS_FAULT"));
    cfg!(feature = "faults") && PLANTED.as_ref().is_some_and(|at| at == fault)
}

/// Panics if that is so.
#[inline]
#[allow(clippy::panic)] // that is its purpose
pub fn bug(place: &str) {
    if is(place) {
        panic!("planted at {place}");
    }
}
