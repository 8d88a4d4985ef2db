//! A host: exports a model, unpacks it, creates instances, and collects what they say.
#![allow(unsafe_code, reason = "the logger is a C function")]

use delassus::io::model_file::{self, LoadedModel};
use delassus_fmu::abi::{fmi2, fmi3};
use delassus_fmu::variables::{Role, Variables};
use delassus_fmu::{Bundle, Exported, FmuError, Opened, Version};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

pub const OK: c_int = 0;
pub const DISCARD: c_int = 2;
pub const ERROR: c_int = 3;
pub const FATAL: c_int = 4;

pub fn model_path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file)
}

pub fn loaded(file: &str) -> LoadedModel {
    model_file::load(&model_path(file), &Default::default()).unwrap()
}

/// Exports with a library that is none: tests call the functions directly.
pub fn export_as(
    loaded: LoadedModel,
    version: Version,
    set: &[(String, String)],
) -> Result<Bundle, FmuError> {
    let (method, analysis) = (loaded.spec.method.clone(), loaded.spec.analysis.clone());
    let what = Exported {
        version,
        model_exchange: None,
        lenient: false,
        set,
        input: &[],
        method,
        analysis,
        runtime: b"library",
        name: "model",
    };
    delassus_fmu::export(loaded, &what)
}

pub fn export(file: &str) -> Bundle {
    export_as(loaded(file), Version::Three, &[]).unwrap()
}

/// An unpacked FMU.
pub struct Fmu {
    pub opened: Opened,
    pub variables: Variables,
    _folder: tempfile::TempDir,
}

impl Fmu {
    pub fn of_model(loaded: LoadedModel) -> Fmu {
        Fmu::of(export_as(loaded, Version::Three, &[]).unwrap())
    }

    pub fn of_file(file: &str) -> Fmu {
        Fmu::of_model(loaded(file))
    }

    /// Of a text, through a file.
    pub fn of_text(text: &str) -> Fmu {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.toml");
        std::fs::write(&path, text).unwrap();
        Fmu::of_model(model_file::load(&path, &Default::default()).unwrap())
    }

    pub fn of(bundle: Bundle) -> Fmu {
        let folder = tempfile::tempdir().unwrap();
        let opened = delassus_fmu::open(&bundle.bytes, &folder.path().join("resources")).unwrap();
        Fmu { opened, variables: bundle.variables, _folder: folder }
    }

    pub fn vr(&self, name: &str) -> u32 {
        let found = self.variables.list.iter().position(|v| v.name == name);
        found.unwrap_or_else(|| panic!("no {name}")) as u32
    }

    /// Numbers of all continuous states.
    pub fn states(&self) -> Vec<u32> {
        self.variables.pick(|r| matches!(r, Role::State(_))).map(|(k, _)| k as u32).collect()
    }

    /// Numbers and columns of all outputs.
    pub fn outputs(&self) -> Vec<(u32, usize)> {
        let all = self.variables.list.iter().enumerate();
        all.filter_map(|(k, v)| match v.role {
            Role::Output(column) => Some((k as u32, column)),
            _ => None,
        })
        .collect()
    }

    pub fn co_simulation(&self) -> Three {
        self.three(Use::CoSimulation { early: false })
    }

    pub fn three(&self, what: Use) -> Three {
        let resources = self.opened.resources().to_str().unwrap().to_owned();
        Three::new(what, &self.opened.manifest.token, &resources)
    }

    pub fn two(&self, kind: c_int) -> Two {
        let mut uri = "file://".to_owned();
        for b in self.opened.resources().to_str().unwrap().bytes() {
            // every character that is not plain, as hosts do
            match b {
                b'/' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(b as char),
                b => uri.push_str(&format!("%{b:02X}")),
            }
        }
        Two::new(kind, &self.opened.manifest.token, &uri)
    }
}

/// What an instance said.
pub struct Log(Box<Mutex<Vec<(c_int, String)>>>);

impl Log {
    fn new() -> Log {
        Log(Box::default())
    }

    fn environment(&self) -> *mut c_void {
        (&raw const *self.0).cast_mut().cast()
    }

    pub fn take(&self) -> Vec<(c_int, String)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

unsafe fn say(environment: *mut c_void, status: c_int, text: *const c_char) {
    let log = unsafe { &*environment.cast::<Mutex<Vec<(c_int, String)>>>() };
    let text = unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned();
    log.lock().unwrap().push((status, text));
}

unsafe extern "C" fn say3(
    environment: *mut c_void,
    status: c_int,
    _: *const c_char,
    text: *const c_char,
) {
    unsafe { say(environment, status, text) }
}

/// Without the arguments that printf would take: there are none.
unsafe extern "C" fn say2(
    environment: *mut c_void,
    _: *const c_char,
    status: c_int,
    _: *const c_char,
    text: *const c_char,
) {
    unsafe { say(environment, status, text) }
}

#[derive(Clone, Copy)]
pub enum Use {
    CoSimulation { early: bool },
    ModelExchange,
}

/// An instance of version 3.
pub struct Three {
    pub i: *mut c_void,
    pub log: Log,
}

// SAFETY: an instance may be used from any thread, one at a time.
unsafe impl Send for Three {}

impl Three {
    pub fn new(what: Use, token: &str, resources: &str) -> Three {
        let log = Log::new();
        let [token, path] = [token, resources].map(|t| CString::new(t).unwrap());
        let (token, path, name) = (token.as_ptr(), path.as_ptr(), c"test".as_ptr());
        let env = log.environment();
        let i = match what {
            Use::CoSimulation { early } => fmi3::fmi3InstantiateCoSimulation(
                name,
                token,
                path,
                false,
                true,
                false,
                early,
                null(),
                0,
                env,
                Some(say3),
                null(),
            ),
            Use::ModelExchange => {
                fmi3::fmi3InstantiateModelExchange(name, token, path, false, true, env, Some(say3))
            }
        };
        Three { i, log }
    }

    pub fn enter(&self, start: f64) -> c_int {
        fmi3::fmi3EnterInitializationMode(self.i, false, 0.0, start, false, 0.0)
    }

    pub fn leave(&self) -> c_int {
        fmi3::fmi3ExitInitializationMode(self.i)
    }

    /// To the first step.
    pub fn begin(&self) {
        assert_eq!(self.enter(0.0), OK, "{:?}", self.log.take());
        assert_eq!(self.leave(), OK, "{:?}", self.log.take());
    }

    pub fn get(&self, vr: &[u32]) -> Vec<f64> {
        let mut out = vec![f64::NAN; vr.len()];
        let status =
            fmi3::fmi3GetFloat64(self.i, vr.as_ptr(), vr.len(), out.as_mut_ptr(), out.len());
        assert_eq!(status, OK, "{:?}", self.log.take());
        out
    }

    pub fn try_get(&self, vr: u32) -> c_int {
        let mut out = 0.0;
        fmi3::fmi3GetFloat64(self.i, &raw const vr, 1, &raw mut out, 1)
    }

    pub fn set(&self, vr: u32, x: f64) -> c_int {
        fmi3::fmi3SetFloat64(self.i, &raw const vr, 1, &raw const x, 1)
    }

    /// Status, whether it ended early, and where.
    pub fn step(&self, from: f64, h: f64) -> (c_int, bool, f64) {
        let (mut event, mut end, mut early, mut last) = (true, true, true, f64::NAN);
        let out = (&raw mut event, &raw mut end, &raw mut early, &raw mut last);
        let status = fmi3::fmi3DoStep(self.i, from, h, true, out.0, out.1, out.2, out.3);
        assert!(!event && !end);
        (status, early, last)
    }

    pub fn save(&self) -> *mut c_void {
        let mut state = null_mut();
        assert_eq!(fmi3::fmi3GetFMUState(self.i, &raw mut state), OK, "{:?}", self.log.take());
        state
    }

    pub fn free_state(&self, mut state: *mut c_void) {
        assert_eq!(fmi3::fmi3FreeFMUState(self.i, &raw mut state), OK);
        assert!(state.is_null());
    }

    pub fn bytes(&self, state: *mut c_void) -> Vec<u8> {
        let mut size = 0;
        assert_eq!(fmi3::fmi3SerializedFMUStateSize(self.i, state, &raw mut size), OK);
        let mut bytes = vec![0; size];
        assert_eq!(fmi3::fmi3SerializeFMUState(self.i, state, bytes.as_mut_ptr(), size), OK);
        bytes
    }

    pub fn read(&self, bytes: &[u8]) -> Result<*mut c_void, c_int> {
        let mut state = null_mut();
        let p = bytes.as_ptr();
        match fmi3::fmi3DeserializeFMUState(self.i, p, bytes.len(), &raw mut state) {
            OK => Ok(state),
            status => Err(status),
        }
    }

    pub fn restore(&self, state: *mut c_void) -> c_int {
        fmi3::fmi3SetFMUState(self.i, state)
    }
}

impl Drop for Three {
    fn drop(&mut self) {
        fmi3::fmi3FreeInstance(self.i);
    }
}

/// An instance of version 2.
pub struct Two {
    pub i: *mut c_void,
    pub log: Log,
    _functions: Box<fmi2::CallbackFunctions>,
}

impl Two {
    pub fn new(kind: c_int, token: &str, uri: &str) -> Two {
        let log = Log::new();
        let plain: unsafe extern "C" fn(_, _, _, _, _) = say2;
        // SAFETY: a function that takes the fixed arguments may be called with no others on the platforms of tests.
        let logger =
            unsafe { std::mem::transmute::<*const (), fmi2::LogFunction>(plain as *const ()) };
        let functions = Box::new(fmi2::CallbackFunctions {
            logger: Some(logger),
            allocate_memory: null(),
            free_memory: null(),
            step_finished: null(),
            environment: log.environment(),
        });
        let [token, uri] = [token, uri].map(|t| CString::new(t).unwrap());
        let i = fmi2::fmi2Instantiate(
            c"test".as_ptr(),
            kind,
            token.as_ptr(),
            uri.as_ptr(),
            &raw const *functions,
            0,
            1,
        );
        Two { i, log, _functions: functions }
    }

    pub fn begin(&self) {
        assert_eq!(fmi2::fmi2SetupExperiment(self.i, 0, 0.0, 0.0, 0, 0.0), OK);
        assert_eq!(fmi2::fmi2EnterInitializationMode(self.i), OK, "{:?}", self.log.take());
        assert_eq!(fmi2::fmi2ExitInitializationMode(self.i), OK, "{:?}", self.log.take());
    }

    pub fn get(&self, vr: &[u32]) -> Vec<f64> {
        let mut out = vec![f64::NAN; vr.len()];
        let status = fmi2::fmi2GetReal(self.i, vr.as_ptr(), vr.len(), out.as_mut_ptr());
        assert_eq!(status, OK, "{:?}", self.log.take());
        out
    }
}

impl Drop for Two {
    fn drop(&mut self) {
        fmi2::fmi2FreeInstance(self.i);
    }
}
