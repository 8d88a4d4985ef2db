//! Whether there is memory, before it is used: a program that finds none while it works is ended by the system.

/// Whether so many bytes can be had at once. Asks and gives them back. Systems that promise more than they have
/// say yes; limits of the process (`ulimit -v`) are felt.
pub fn has_room(bytes: f64) -> bool {
    let mut asked: Vec<u8> = Vec::new();
    let had = bytes < isize::MAX as f64 && asked.try_reserve_exact(bytes as usize).is_ok();
    // an allocation that nobody looks at would be left out
    std::hint::black_box(&asked);
    had
}

#[cfg(test)]
mod tests {
    use super::has_room;

    #[test]
    fn a_megabyte_but_not_everything() {
        assert!(has_room(1e6));
        assert!(!has_room(1e18) && !has_room(1e300));
    }
}
