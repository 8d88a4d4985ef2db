//! The file around an FMU: a ZIP archive.
//!
//! It is written by the crate `zip`. It is read by a reader of our own (`read.rs`) that accepts only plain archives: every
//! entry is checked before the first byte is unpacked, and nothing is unpacked to the disk.

mod read;
mod write;

pub use read::{Archive, Limits};
pub use write::pack;

/// Longest name of a file or folder, and longest path, that all systems can hold, bytes.
const LONGEST: [usize; 2] = [255, 1000];

/// Whether a path inside an archive is a plain one: relative, with `/`, without parent segments, empty parts, drives or
/// characters that mean something else elsewhere.
pub fn is_plain_path(path: &str) -> bool {
    let odd =
        |c: char| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let part = |part: &str| !matches!(part, "" | "." | "..") && part.len() <= LONGEST[0];
    !path.is_empty() && path.len() <= LONGEST[1] && !path.contains(odd) && path.split('/').all(part)
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
        let long = "x".repeat(255);
        assert!(is_plain_path(&format!("a/{long}")) && !is_plain_path(&format!("a/{long}x")));
        assert!(
            !is_plain_path(&"a/".repeat(500)) && !is_plain_path(&format!("{}a", "a/".repeat(500)))
        );
    }
}
