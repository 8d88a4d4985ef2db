//! The file around an FMU: a ZIP archive.
//!
//! It is written by the crate `zip`. It is read by a reader of our own (`read.rs`) that accepts only plain archives: every
//! entry is checked before the first byte is unpacked, and nothing is unpacked to the disk.

mod read;
mod write;

pub use read::{Archive, Limits};
pub use write::pack;

/// Whether a path inside an archive is a plain one: relative, with `/`, without parent segments, empty parts, drives or
/// characters that mean something else elsewhere.
pub fn is_plain_path(path: &str) -> bool {
    let odd =
        |c: char| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    !path.is_empty()
        && !path.contains(odd)
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::is_plain_path;

    #[test]
    fn plain_paths() {
        for good in ["a", "resources/model/car.toml", "binaries/x86_64-linux/car.so", "a b", "..a"]
        {
            assert!(is_plain_path(good), "{good}");
        }
        for bad in ["", "/a", "a/", "a//b", "../a", "a/../b", "./a", "c:/a", "a\\b", "a\0b", "a\nb"]
        {
            assert!(!is_plain_path(bad), "{bad:?}");
        }
    }
}
