//! The functions of the standards, as a host calls them.
//!
//! All unsafe code of the workspace is here. What a host passes is trusted as far as C allows no check: pointers that are
//! not null are valid for as many values as the call says, texts end with a zero byte, an instance is used until it is
//! freed and not after. Everything else is checked, and a panic never reaches the host: the instance is then unusable and
//! says so.

#![allow(unsafe_code)]
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "hosts in C call these functions, and know no `unsafe`; what they promise is stated above"
)]

pub mod fmi2;
pub mod fmi3;

use crate::error::FmuError;
use crate::instance::{Instance, Kind, Refusal, Reply, Saved, Status, refuse};
use crate::package::Package;
use delassus::sim::planted;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Codes of a status, the same in both versions.
pub const OK: c_int = 0;
/// The step was not made.
pub const DISCARD: c_int = 2;
/// The call was refused.
pub const ERROR: c_int = 3;
/// The instance is unusable.
pub const FATAL: c_int = 4;

/// How a host wants to be told things.
#[derive(Clone, Copy)]
enum Logger {
    Two { call: Option<fmi2::LogFunction>, environment: *mut c_void },
    Three { call: Option<fmi3::LogFunction>, environment: *mut c_void },
}

impl Logger {
    fn log(self, name: &CStr, status: c_int, text: &str) {
        let category = match status {
            DISCARD => c"logStatusDiscard",
            FATAL => c"logStatusFatal",
            _ => c"logStatusError",
        };
        // version 2 formats the text like printf does
        let text = match self {
            Logger::Two { .. } => text.replace('%', "%%"),
            Logger::Three { .. } => text.to_owned(),
        };
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        match self {
            Logger::Two { call: Some(call), environment } => {
                // SAFETY: the function of the host, called with what the standard says; the texts outlive the call.
                unsafe {
                    call(environment, name.as_ptr(), status, category.as_ptr(), text.as_ptr());
                }
            }
            Logger::Three { call: Some(call), environment } => {
                // SAFETY: as above.
                unsafe { call(environment, status, category.as_ptr(), text.as_ptr()) }
            }
            _ => {}
        }
    }
}

/// What a host holds.
pub struct Handle {
    /// One call at a time.
    instance: Mutex<Instance>,
    name: CString,
    logger: Logger,
    /// A panic left the instance in an unknown state.
    broken: AtomicBool,
}

/// What a host says when it creates an instance.
struct Request<'a> {
    kind: Kind,
    early: bool,
    token: &'a str,
    resources: &'a Path,
}

/// Creates an instance, or says why not and returns null.
fn create(name: CString, logger: Logger, request: impl FnOnce() -> Reply<Instance>) -> *mut c_void {
    let made = catch_unwind(AssertUnwindSafe(|| {
        planted::bug("fmu-instantiate");
        request()
    }));
    match made {
        Ok(Ok(instance)) => {
            let broken = AtomicBool::new(false);
            let handle = Handle { instance: Mutex::new(instance), name, logger, broken };
            Box::into_raw(Box::new(handle)).cast()
        }
        Ok(Err(refusal)) => {
            logger.log(&name, ERROR, &refusal.text);
            std::ptr::null_mut()
        }
        Err(panic) => {
            logger.log(&name, FATAL, &bug(&*panic));
            std::ptr::null_mut()
        }
    }
}

fn start(r: &Request<'_>) -> Reply<Instance> {
    let package = Package::read(r.resources)?;
    let instance = Instance::new(package, r.kind, r.early)?;
    if r.token != instance.token() {
        let message = "the token of the call is not that of the model in the resources";
        let help = "unpack the FMU again, and pass the token of its modelDescription.xml";
        return Err(FmuError::new("E_FMU", message, help).into());
    }
    Ok(instance)
}

/// Runs a call on an instance: catches panics, tells what went wrong, returns the status.
fn call(name: &str, handle: *mut c_void, what: impl FnOnce(&mut Instance) -> Reply<()>) -> c_int {
    // SAFETY: null, or an instance that was created here and not freed, as the standard demands of the host.
    let Some(handle) = (unsafe { handle.cast::<Handle>().as_ref() }) else { return ERROR };
    let (status, text) = run(name, handle, what);
    if status != OK {
        handle.logger.log(&handle.name, status, &text);
    }
    status
}

fn run(
    name: &str,
    handle: &Handle,
    what: impl FnOnce(&mut Instance) -> Reply<()>,
) -> (c_int, String) {
    if handle.broken.load(Ordering::Acquire) {
        return (FATAL, format!("{name}: a bug made this instance unusable; free it"));
    }
    let Ok(mut instance) = handle.instance.try_lock() else {
        let text = format!("E_FMU_ORDER: {name}: another call of this instance has not ended yet");
        return (ERROR, text);
    };
    let done = catch_unwind(AssertUnwindSafe(|| {
        planted::bug(name);
        what(&mut instance)
    }));
    match done {
        Ok(Ok(())) => (OK, String::new()),
        Ok(Err(Refusal { status: Status::Discard, text })) => (DISCARD, text),
        Ok(Err(Refusal { status: Status::Error, text })) => (ERROR, text),
        Err(panic) => {
            handle.broken.store(true, Ordering::Release);
            (FATAL, format!("{name}: {}", bug(&*panic)))
        }
    }
}

/// What is told about a panic.
fn bug(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!(
        "E_INTERNAL: a bug of Delassus {}: {}; please report it with the FMU",
        env!("CARGO_PKG_VERSION"),
        text.unwrap_or("no text")
    )
}

/// Frees an instance.
fn free(handle: *mut c_void) {
    if handle.is_null() {
        return;
    }
    // SAFETY: made by `create`, and the host gives it up with this call.
    let handle = unsafe { Box::from_raw(handle.cast::<Handle>()) };
    // what a broken instance holds may panic again
    let _ = catch_unwind(AssertUnwindSafe(move || drop(handle)));
}

/// Values that the host gives.
fn list<'a, T>(name: &str, p: *const T, n: usize) -> Reply<&'a [T]> {
    match (n, p.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => refuse(format!("E_FMU_VALUE: {name}: a pointer is null")),
        // SAFETY: not null, and valid for n values, as the standard demands of the host.
        _ => Ok(unsafe { std::slice::from_raw_parts(p, n) }),
    }
}

/// Room for values that the host gets.
fn room<'a, T>(name: &str, p: *mut T, n: usize) -> Reply<&'a mut [T]> {
    match (n, p.is_null()) {
        (0, _) => Ok(&mut []),
        (_, true) => refuse(format!("E_FMU_VALUE: {name}: a pointer is null")),
        // SAFETY: not null, valid for n values and given to this call alone, as the standard demands of the host.
        _ => Ok(unsafe { std::slice::from_raw_parts_mut(p, n) }),
    }
}

/// Writes a result where the host wants it; a null pointer means that it does not.
fn put<T>(p: *mut T, x: T) {
    if !p.is_null() {
        // SAFETY: not null, and valid for one value, as the standard demands of the host.
        unsafe { p.write(x) }
    }
}

/// A text of the host; null is an empty text.
fn text<'a>(p: *const c_char) -> Reply<&'a str> {
    if p.is_null() {
        return Ok("");
    }
    // SAFETY: not null and ended by a zero byte, as the standard demands of the host; it lives as long as the call.
    let text = unsafe { CStr::from_ptr(p) };
    text.to_str().or_else(|_| refuse("E_FMU_VALUE: a text is not valid UTF-8"))
}

/// The name of an instance, for messages.
fn name_of(p: *const c_char) -> CString {
    if p.is_null() {
        return CString::default();
    }
    // SAFETY: as in `text`.
    unsafe { CStr::from_ptr(p) }.to_owned()
}

/// A call for something that the FMU does not have; it may be asked for nothing of it.
fn nothing(name: &str, handle: *mut c_void, asked: usize) -> c_int {
    call(name, handle, |_| match asked {
        0 => Ok(()),
        _ => refuse(format!(
            "E_FMU_KIND: {name}: this FMU does not have that; see modelDescription.xml"
        )),
    })
}

fn get_real(
    name: &str,
    h: *mut c_void,
    vr: *const u32,
    n: usize,
    out: *mut f64,
    m: usize,
) -> c_int {
    call(name, h, |i| {
        same(name, n, m)?;
        i.get(name, list(name, vr, n)?, room(name, out, n)?)
    })
}

fn set_real(
    name: &str,
    h: *mut c_void,
    vr: *const u32,
    n: usize,
    x: *const f64,
    m: usize,
) -> c_int {
    call(name, h, |i| {
        same(name, n, m)?;
        i.set(name, list(name, vr, n)?, list(name, x, n)?)
    })
}

/// Derivatives along a direction: unknowns with their changes, knowns with theirs.
fn directional(
    name: &str,
    h: *mut c_void,
    (unknowns, n): (*const u32, usize),
    (knowns, m): (*const u32, usize),
    (seed, m_seed): (*const f64, usize),
    (out, n_out): (*mut f64, usize),
) -> c_int {
    call(name, h, |i| {
        same(name, n, n_out)?;
        same(name, m, m_seed)?;
        let numbers = [list(name, unknowns, n)?, list(name, knowns, m)?];
        i.directional(name, numbers, list(name, seed, m)?, room(name, out, n)?)
    })
}

fn same(name: &str, n: usize, m: usize) -> Reply<()> {
    if n == m {
        return Ok(());
    }
    refuse(format!("E_FMU_VALUE: {name}: {m} values for {n} variables, which all have one"))
}

fn get_state(name: &str, h: *mut c_void, state: *mut *mut c_void) -> c_int {
    call(name, h, |i| {
        let place = room(name, state, 1)?;
        let saved = Box::new(i.save());
        // SAFETY: null, or a state that was made here and is to be used again, as the standard says.
        match unsafe { place[0].cast::<Saved>().as_mut() } {
            Some(old) => *old = *saved,
            None => place[0] = Box::into_raw(saved).cast(),
        }
        Ok(())
    })
}

/// A state that was made here.
fn state<'a>(name: &str, p: *mut c_void) -> Reply<&'a Saved> {
    // SAFETY: null, or a state that was made here and not freed, as the standard demands of the host.
    match unsafe { p.cast::<Saved>().as_ref() } {
        Some(saved) => Ok(saved),
        None => refuse(format!("E_FMU_VALUE: {name}: the state is null")),
    }
}

fn set_state(name: &str, h: *mut c_void, saved: *mut c_void) -> c_int {
    call(name, h, |i| i.restore(state(name, saved)?))
}

fn free_state(name: &str, h: *mut c_void, saved: *mut *mut c_void) -> c_int {
    call(name, h, |_| {
        let place = room(name, saved, 1)?;
        if !place[0].is_null() {
            // SAFETY: made by `get_state` or `read_state`, and the host gives it up with this call.
            drop(unsafe { Box::from_raw(place[0].cast::<Saved>()) });
            place[0] = std::ptr::null_mut();
        }
        Ok(())
    })
}

fn state_size(name: &str, h: *mut c_void, saved: *mut c_void, size: *mut usize) -> c_int {
    call(name, h, |_| {
        room(name, size, 1)?[0] = state(name, saved)?.to_bytes().len();
        Ok(())
    })
}

fn write_state(name: &str, h: *mut c_void, saved: *mut c_void, out: *mut u8, size: usize) -> c_int {
    call(name, h, |_| {
        let bytes = state(name, saved)?.to_bytes();
        if bytes.len() != size {
            return refuse(format!(
                "E_FMU_VALUE: {name}: room for {size} bytes, but the state has {}",
                bytes.len()
            ));
        }
        room(name, out, size)?.copy_from_slice(&bytes);
        Ok(())
    })
}

fn read_state(
    name: &str,
    h: *mut c_void,
    bytes: *const u8,
    size: usize,
    out: *mut *mut c_void,
) -> c_int {
    call(name, h, |_| {
        let saved = Saved::from_bytes(list(name, bytes, size)?);
        let saved = saved.or_else(|why| refuse(format!("E_FMU_STATE: {name}: {why}")))?;
        room(name, out, 1)?[0] = Box::into_raw(Box::new(saved)).cast();
        Ok(())
    })
}
