//! The folder of a run while its files are made: one run at a time, and all of its files or none.
//!
//! Files are made in a separate folder inside the results folder. When all of them exist it is renamed, and from that
//! moment on the new results are valid: if this run is killed, the next run can finish moving them to their places, and
//! readers find them in the meantime.

use crate::checkpoint::CHECKPOINT_BIN;
use crate::exit::Failure;
use crate::fault::Fault;
use crate::output::{NAMES, Output, leftover, refused};
use crate::prepare::hex;
use delassus::io::results::{atomic_write, open_regular, read_regular_text, sync_folder};
use delassus_report::{COMPLETE, FILES, UNFINISHED};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Lock file for systems on which the folder itself cannot be locked (Windows, some network drives).
const LOCK: &str = ".delassus-lock";

/// Where the files of a run are made.
#[derive(Debug)]
pub struct Place {
    /// The folder in which they are made.
    dir: PathBuf,
    /// The folder to which they are moved together; none for single files.
    folder: Option<PathBuf>,
    /// Folders that were created.
    made: Vec<PathBuf>,
    /// The files in the folder are those of this run.
    begun: bool,
    /// The files in the folder are worth keeping.
    keep: bool,
    /// Held as long as this value lives.
    _lock: File,
}

impl Place {
    /// The place where samples are written; none if none are requested. Rejects a folder that another run is writing
    /// to.
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

    /// A place inside a folder, which is created and locked.
    pub fn inside(folder: &Path) -> Result<Place, Failure> {
        let failed = |e: io::Error| Failure::file(refused(folder, &e));
        let missing = folder.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        // a failing run removes the folder that it created, perhaps at this moment
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

    /// Removes what an earlier run left unfinished, and prepares the folder for this one.
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

    /// Continues with what an earlier run left: keeps these files, which may be among the results of an interrupted
    /// run, and nothing else.
    pub fn take_up(&mut self, scene: Option<&str>, kept: &[&str]) -> Result<(), Failure> {
        self.keep = true;
        let failed = |e: io::Error| Failure::file(refused(&self.dir, &e));
        let there = kept.iter().all(|name| self.dir.join(name).is_file());
        if let (false, Some(folder)) = (there, &self.folder) {
            fs::create_dir_all(&self.dir).map_err(failed)?;
            for name in kept {
                let mut from = open_regular(&folder.join(name)).map_err(failed)?;
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

    /// The folder in which files are made.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the files are moved to a folder together.
    pub fn is_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Leaves the unfinished files for `delassus report` if they have a folder; returns whether it does.
    pub fn keep(&mut self) -> bool {
        self.keep = self.is_folder() && self.dir.exists();
        self.keep
    }

    /// Replaces the previous files by the new ones.
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
            // only empty folders are removed
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A random token that nobody else has.
pub fn token() -> Result<String, Failure> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(|e| {
        let message = format!("the system has no random numbers: {e}");
        Failure::file(Fault::new("E_OUTPUT", "", message).help("give a folder with --out"))
    })?;
    Ok(hex(&bytes))
}

/// Locks a folder, or a file in it. A process that only checks the lock holds it for a moment.
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

/// Whether a run is writing to a folder now.
pub fn is_busy(folder: &Path) -> bool {
    let held = |path: PathBuf| {
        File::open(path).is_ok_and(|f| matches!(f.try_lock(), Err(TryLockError::WouldBlock)))
    };
    held(folder.to_owned()) || held(folder.join(LOCK))
}

/// Whether a path still refers to the open file.
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

/// Moves the files of a completed run to their places, and removes those of the previous run. Can be resumed wherever
/// it was interrupted.
fn publish(folder: &Path) -> io::Result<()> {
    let complete = folder.join(COMPLETE);
    if !complete.is_dir() {
        return Ok(());
    }
    let list = complete.join(FILES);
    if let Ok(text) = read_regular_text(&list, 1 << 20) {
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

/// Removes temporary files left behind by killed commands.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if leftover(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file that does not exist need not be removed.
fn absent(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
