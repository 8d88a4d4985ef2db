//! Where the library was built is nobody's business: the home folder of the builder is removed from the texts in it.
//!
//! The compiler puts the paths of source files into the messages of panics, and those of dependencies begin with the
//! folder of the builder's packages. The paths are overwritten in place, so that nothing in the library moves.

/// What follows the folder in question in all of them.
const MARK: &[u8] = b"/registry/src/";

/// Overwrites what all paths of packages have in common before they become the same everywhere.
pub fn scrub(library: &[u8]) -> Vec<u8> {
    let mut out = library.to_vec();
    // signatures of libraries do not survive changes there
    if cfg!(target_os = "macos") {
        return out;
    }
    let marks: Vec<usize> = library
        .windows(MARK.len())
        .enumerate()
        .filter(|(_, w)| *w == MARK)
        .map(|(k, _)| k)
        .collect();
    let [first, rest @ ..] = &marks[..] else { return out };
    let plain = |k: usize| library[k].is_ascii_graphic() || library[k] == b' ';
    let mut len = 0;
    while *first > len
        && plain(first - len - 1)
        && rest.iter().all(|m| *m > len && library[m - len - 1] == library[first - len - 1])
    {
        len += 1;
    }
    // texts follow each other without a gap: a path begins with its first slash, or with a drive
    let common = &library[first - len..*first];
    let drive = common.windows(2).position(|w| w[0].is_ascii_alphabetic() && w[1] == b':');
    let begin = drive.or_else(|| common.iter().position(|b| *b == b'/'));
    let Some(begin) = begin else { return out };
    for m in &marks {
        out[m - len + begin..*m].fill(b'.');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::scrub;

    #[test]
    fn homes_vanish_and_nothing_moves() {
        let library = b"\0one.rs/home/me/.cargo/registry/src/a-1/x.rstwo/home/me/.cargo/registry/src/b-2/y.rs\0";
        let out = String::from_utf8(scrub(library)).unwrap();
        assert_eq!(out.len(), library.len());
        assert!(!out.contains("home") && !out.contains("cargo"), "{out}");
        assert!(
            out.contains("one.rs...") && out.contains("two...") && out.contains("/b-2/y.rs"),
            "{out}"
        );
        assert_eq!(scrub(b"nothing of the kind"), b"nothing of the kind");
        assert_eq!(scrub(b"/registry/src/"), b"/registry/src/");
    }
}
