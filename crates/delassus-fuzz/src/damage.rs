//! Results folders with damaged files.

use delassus_adversary::random::Random;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files without a checksum: the list of checksums itself, and what is made from the others.
const UNGUARDED: [&str; 2] = ["summary.json", "report.html"];

/// A file of a folder, and whether the command has to notice that it was changed.
#[derive(Debug, Clone)]
pub struct Damaged {
    pub file: String,
    pub guarded: bool,
}

/// Copies the results in `from` to the new folder `to` and damages one to three of their files; `other` contains
/// results of another run.
pub fn damage(
    from: &Path,
    other: &Path,
    to: &Path,
    random: &mut Random,
) -> io::Result<Vec<Damaged>> {
    fs::create_dir(to)?;
    let files = files(from)?;
    for file in &files {
        fs::copy(from.join(file), to.join(file))?;
    }
    let mut damaged: Vec<Damaged> = Vec::new();
    for _ in 0..random.whole(1, 3) {
        let file = random.pick(&files);
        change(&to.join(&file), &other.join(&file), random)?;
        damaged.retain(|d| d.file != file);
        let changed = fs::read(to.join(&file)).ok() != fs::read(from.join(&file)).ok();
        if changed {
            let guarded = !UNGUARDED.contains(&file.as_str());
            damaged.push(Damaged { file, guarded });
        }
    }
    Ok(damaged)
}

/// Names of the files in a folder, in order.
pub fn files(folder: &Path) -> io::Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn change(file: &Path, foreign: &Path, random: &mut Random) -> io::Result<()> {
    let Ok(mut bytes) = fs::read(file) else { return Ok(()) };
    let at = random.whole(0, bytes.len());
    match random.whole(0, 7) {
        0 => bytes.truncate(at),
        1 => bytes.clear(),
        2 => return fs::remove_file(file),
        3 => {
            return match foreign.exists() {
                true => fs::copy(foreign, file).map(|_| ()),
                false => Ok(()),
            };
        }
        4 => bytes.extend_from_slice(b"\n1,2,nan\0{"),
        5 => {
            let again = bytes.clone();
            bytes.extend(again);
        }
        _ => {
            for _ in 0..random.whole(1, 4) {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.whole(0, 7);
                }
            }
        }
    }
    fs::write(file, bytes)
}

/// An empty folder of that name.
pub fn fresh(folder: PathBuf) -> io::Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
