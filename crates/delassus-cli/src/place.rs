//! The folder of a run while it is made: one run at a time, and all of its files or none.
//!
//! Files are made in a folder of their own inside the results folder. When all are there it gets another name, and
//! from that moment on the new results count: moving them to their places can be taken up by the next run if
//! this one is killed, and readers find them on the way.

use crate::checkpoint::CHECKPOINT_BIN;
use crate::exit::Failure;
use crate::fault::Fault;
use crate::output::{NAMES, Output, leftover, refused};
use crate::prepare::hex;
use delassus::io::results::{atomic_write, sync_folder};
use delassus_report::{COMPLETE, FILES, UNFINISHED};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the folder itself cannot be locked (Windows, some network drives).
const LOCK: &str = ".delassus-lock";

/// Where the files of a run are made.
#[derive(Debug)]
pub struct Place {
    /// In here.
    dir: PathBuf,
    /// They go here as a whole; none for single files.
    folder: Option<PathBuf>,
    /// Folders that were made.
    made: Vec<PathBuf>,
    /// What is in there is of this run.
    begun: bool,
    /// What is in there is of use to somebody.
    keep: bool,
    /// Held as long as this lives.
    _lock: File,
}

impl Place {
    /// Where samples are to be written; nothing where none are asked for. Refuses a folder that another run
    /// writes to.
    pub fn open(output: &Output) -> Result<Option<Place>, Failure> {
        if let Some(folder) = &output.folder {
            return Place::inside(folder).map(Some);
        }
        let files: Vec<&PathBuf> = [&output.csv, &output.parquet].into_iter().flatten().collect();
        let Some(first) = files.first() else { return Ok(None) };
        let lasting = |f: &&&PathBuf| fs::metadata(f).map_or(true, |m| m.is_file());
        let dir = match files.iter().find(lasting) {
            Some(file) => {
                let mut name = OsString::from(file.file_name().unwrap_or(first.as_os_str()));
                name.push(format!(".{UNFINISHED}"));
                file.with_file_name(name)
            }
            // pipes and devices
            None => std::env::temp_dir().join(format!("{UNFINISHED}-{}", token()?)),
        };
        fs::create_dir_all(&dir).map_err(|e| Failure::file(refused(&dir, &e)))?;
        let (lock, _) = lock(&dir)?;
        let made = vec![dir.clone()];
        Ok(Some(Place { dir, folder: None, made, begun: true, keep: false, _lock: lock }))
    }

    /// Inside a folder, which is made and held.
    pub fn inside(folder: &Path) -> Result<Place, Failure> {
        let failed = |e: io::Error| Failure::file(refused(folder, &e));
        let missing = folder.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        // a run that made the folder and fails takes it away again, perhaps just now
        for _ in 0..100 {
            fs::create_dir_all(folder).map_err(failed)?;
            let (lock, locked) = match lock(folder) {
                Err(_) if !folder.exists() => continue,
                other => other?,
            };
            if !same(&lock, &locked) {
                continue;
            }
            publish(folder).map_err(failed)?;
            sweep(folder);
            let dir = folder.join(UNFINISHED);
            let folder = Some(folder.to_owned());
            return Ok(Place { dir, folder, made, begun: false, keep: false, _lock: lock });
        }
        Err(failed(io::Error::new(io::ErrorKind::NotFound, "the folder vanishes again and again")))
    }

    /// Takes away what an earlier run left unfinished, and makes room for this one.
    pub fn begin(&mut self, scene: Option<&str>) -> Result<(), Failure> {
        self.begun = true;
        let failed = |e: io::Error| Failure::file(refused(&self.dir, &e));
        if let Some(folder) = &self.folder {
            absent(fs::remove_file(folder.join(CHECKPOINT_BIN))).map_err(failed)?;
        }
        if self.dir.exists() {
            for entry in fs::read_dir(&self.dir).map_err(failed)?.flatten() {
                absent(fs::remove_file(entry.path())).map_err(failed)?;
            }
        } else {
            fs::create_dir(&self.dir).map_err(failed)?;
        }
        self.scene(scene)
    }

    /// Goes on in what an earlier run left: keeps these files, which may be among the results of a run that
    /// was interrupted, and nothing else.
    pub fn take_up(&mut self, scene: Option<&str>, kept: &[&str]) -> Result<(), Failure> {
        self.keep = true;
        let failed = |e: io::Error| Failure::file(refused(&self.dir, &e));
        let there = kept.iter().all(|name| self.dir.join(name).is_file());
        if let (false, Some(folder)) = (there, &self.folder) {
            fs::create_dir_all(&self.dir).map_err(failed)?;
            for name in kept {
                let mut from = File::open(folder.join(name)).map_err(failed)?;
                let copied = atomic_write(&self.dir.join(name), |w| {
                    io::copy(&mut from, w)?;
                    Ok(())
                });
                copied.map_err(|e| failed(io::Error::other(e.to_string())))?;
            }
        }
        for entry in fs::read_dir(&self.dir).map_err(failed)?.flatten() {
            if !kept.iter().any(|name| entry.file_name() == *name) {
                absent(fs::remove_file(entry.path())).map_err(failed)?;
            }
        }
        self.scene(scene)
    }

    fn scene(&self, scene: Option<&str>) -> Result<(), Failure> {
        let Some(text) = scene else { return Ok(()) };
        let path = self.dir.join(delassus_report::SCENE_JSON);
        let written = atomic_write(&path, |w| Ok(w.write_all(text.as_bytes())?));
        written.map_err(|e| {
            let help = "choose a folder that may be written to, and check the space on the disk";
            Failure::file(Fault::new("E_OUTPUT", "", e.to_string()).help(help))
        })
    }

    /// Where files are made.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the files go to a folder as a whole.
    pub fn is_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Leaves the unfinished files for `delassus report`, where they have a folder; tells whether it does.
    pub fn keep(&mut self) -> bool {
        self.keep = self.is_folder() && self.dir.exists();
        self.keep
    }

    /// Puts the files in the place of those that were there.
    pub fn commit(mut self) -> Result<(), Failure> {
        let Some(folder) = self.folder.clone() else { return Ok(()) };
        self.keep = true;
        let failed = |e: io::Error| Failure::file(refused(&folder, &e));
        let here = NAMES.iter().filter(|name| self.dir.join(name).is_file());
        let list = here.fold(String::new(), |list, name| list + name + "\n");
        let written = atomic_write(&self.dir.join(FILES), |w| Ok(w.write_all(list.as_bytes())?));
        written.map_err(|e| failed(io::Error::other(e.to_string())))?;
        fs::rename(&self.dir, folder.join(COMPLETE)).map_err(failed)?;
        sync_folder(&folder.join(COMPLETE));
        publish(&folder).map_err(failed)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // a bug must not cost the samples
        if self.keep || (self.begun && self.is_folder() && std::thread::panicking()) {
            return;
        }
        if self.begun {
            let _ = fs::remove_dir_all(&self.dir);
        }
        for folder in &self.made {
            // only empty ones go
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Digits that nobody else has.
pub fn token() -> Result<String, Failure> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(|e| {
        let message = format!("the system has no random numbers: {e}");
        Failure::file(Fault::new("E_OUTPUT", "", message).help("give a folder with --out"))
    })?;
    Ok(hex(&bytes))
}

/// Locks a folder, or a file in it. One who only looks whether it is locked holds it for a moment.
fn lock(folder: &Path) -> Result<(File, PathBuf), Failure> {
    for _ in 0..10 {
        match try_lock(folder) {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::Error(e)) => return Err(Failure::file(refused(folder, &e))),
            Ok(taken) => return Ok(taken),
        }
    }
    let message = format!("another run writes to {} just now", folder.display());
    let help = "wait until it has ended, or choose another folder with --out";
    Err(Failure::file(Fault::new("E_OUTPUT_BUSY", "", message).help(help)))
}

fn try_lock(folder: &Path) -> Result<(File, PathBuf), TryLockError> {
    let taken = File::open(folder).map_err(TryLockError::Error);
    let taken = taken.and_then(|f| f.try_lock().map(|()| (f, folder.to_owned())));
    taken.or_else(|e| match e {
        TryLockError::WouldBlock => Err(TryLockError::WouldBlock),
        TryLockError::Error(_) => {
            let path = folder.join(LOCK);
            let mut options = OpenOptions::new();
            let opened = options.write(true).create(true).truncate(false).open(&path);
            opened.map_err(TryLockError::Error).and_then(|f| f.try_lock().map(|()| (f, path)))
        }
    })
}

/// Whether a run writes to a folder now.
pub fn is_busy(folder: &Path) -> bool {
    let held = |path: PathBuf| {
        File::open(path).is_ok_and(|f| matches!(f.try_lock(), Err(TryLockError::WouldBlock)))
    };
    held(folder.to_owned()) || held(folder.join(LOCK))
}

/// Whether a path still names the file that is open.
#[cfg(unix)]
fn same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |m: &fs::Metadata| (m.dev(), m.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if id(&a) == id(&b))
}

#[cfg(not(unix))]
fn same(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Moves the files of a run that is complete to their places, and takes those of the run before away. Can be
/// taken up again wherever it was left.
fn publish(folder: &Path) -> io::Result<()> {
    let complete = folder.join(COMPLETE);
    if !complete.is_dir() {
        return Ok(());
    }
    let list = complete.join(FILES);
    if let Ok(text) = fs::read_to_string(&list) {
        let new = |name: &str| text.lines().any(|line| line == name);
        for name in NAMES.iter().filter(|name| !new(name)) {
            absent(fs::remove_file(folder.join(name)))?;
        }
        for name in NAMES.iter().filter(|name| new(name)) {
            absent(fs::rename(complete.join(name), folder.join(name)))?;
        }
        sync_folder(&list);
        sync_folder(&complete);
        fs::remove_file(&list)?;
    }
    fs::remove_dir_all(&complete)
}

/// Takes away temporary files that killed commands left.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if leftover(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// What is not there need not be taken away.
fn absent(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
