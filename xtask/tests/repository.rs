//! The documents of this repository, and the checker on small made-up ones.

use std::fs;
use std::path::{Path, PathBuf};
use xtask::{check_repository, root};

#[test]
fn documents_name_only_what_exists() {
    let faults = check_repository(root()).unwrap();
    let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "\n{}", text.join("\n"));
}

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Folder(path)
    }

    fn faults(&self) -> Vec<String> {
        let faults = check_repository(&self.0).unwrap();
        faults.iter().map(ToString::to_string).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_path_that_is_gone_is_a_fault() {
    let folder = Folder::new(
        "gone",
        &[
            ("ARCHITECTURE.md", "`crates/a/src/lib.rs` is there.\n\n`crates/b/` was.\n"),
            ("CONTRIBUTING.md", "Only links count here: `crates/b/`.\n"),
            ("crates/a/src/lib.rs", ""),
        ],
    );
    assert_eq!(folder.faults(), ["ARCHITECTURE.md:3: `crates/b/` does not exist"]);
}

#[test]
fn links_are_followed_from_their_own_folder() {
    let folder = Folder::new(
        "links",
        &[
            ("README.md", "[a](docs/a.md#part) [b](docs/b.md) [c](docs/a.md#other)\n"),
            ("docs/a.md", "# Part\n[up](../README.md) [out](../../x.md) [self](#part)\n"),
            ("target/made.md", "[no](nowhere.md)\n"),
        ],
    );
    assert_eq!(
        folder.faults(),
        [
            "README.md:1: the link `docs/b.md` leads nowhere",
            "README.md:1: `docs/a.md` has no heading `#other`",
            "docs/a.md:2: the link `../../x.md` leads nowhere",
        ]
    );
}

#[test]
fn the_book_is_complete() {
    let folder = Folder::new(
        "book",
        &[
            (
                "docs/src/SUMMARY.md",
                "- [Start](start.md)\n- [Codes](reference/errors.md)\n- [Gone](gone.md)\n- [Again](start.md)\n",
            ),
            ("docs/src/start.md", "Run models/a.toml, then models/b.toml.\n"),
            ("docs/src/lost.md", "Nobody finds me.\n"),
            ("docs/src/reference/errors.md", "| `E_A` | x |\n| `E_OLD` | y |\n"),
            ("models/a.toml", ""),
            ("models/c.toml", ""),
            ("models/benchmarks/d.toml", ""),
            ("crates/x/src/lib.rs", "f(\"E_A\"); f(\"E_NEW\");"),
            ("crates/x/tests/t.rs", "f(\"E_TEST\");"),
        ],
    );
    assert_eq!(
        folder.faults(),
        [
            "docs/src/SUMMARY.md:3: the link `gone.md` leads nowhere",
            "docs/src/start.md:1: there is no model `models/b.toml`",
            "docs/src/SUMMARY.md:4: the page `start.md` is listed twice",
            "docs/src/lost.md: the page is not in docs/src/SUMMARY.md",
            "docs/src/SUMMARY.md: no page of the book names the model `models/c.toml`",
            "docs/src/reference/errors.md: the code `E_NEW` is not explained",
            "docs/src/reference/errors.md: no source uses the code `E_OLD`",
        ]
    );
}
