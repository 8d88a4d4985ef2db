//! FMI 2.0. Names, types and orders of arguments are those of the standard.

#![allow(non_snake_case, missing_docs)]

use super::{
    DISCARD, Logger, OK, Request, call, create, directional, free, free_state, get_real, get_state,
    list, name_of, nothing, put, read_state, room, set_real, set_state, start, state_size, text,
    write_state,
};
use crate::instance::{Kind, refuse};
use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

/// Tells the host something: environment, instance, status, category, text in the form of printf.
pub type LogFunction =
    unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);

/// Functions of the host.
#[repr(C)]
pub struct CallbackFunctions {
    pub logger: Option<LogFunction>,
    pub allocate_memory: *const c_void,
    pub free_memory: *const c_void,
    pub step_finished: *const c_void,
    pub environment: *mut c_void,
}

/// What an event changed.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EventInfo {
    pub new_discrete_states_needed: c_int,
    pub terminate_simulation: c_int,
    pub nominals_changed: c_int,
    pub values_changed: c_int,
    pub next_event_time_defined: c_int,
    pub next_event_time: f64,
}

type Component = *mut c_void;

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetDebugLogging(
    c: Component,
    _on: c_int,
    _n: usize,
    _categories: *const *const c_char,
) -> c_int {
    // refused calls are always told, and there is nothing else to tell
    call("fmi2SetDebugLogging", c, |_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    guid: *const c_char,
    resources: *const c_char,
    functions: *const CallbackFunctions,
    _visible: c_int,
    _logging: c_int,
) -> Component {
    // SAFETY: null, or the functions of the host, which live as long as the instance.
    let functions = unsafe { functions.as_ref() };
    let logger = Logger::Two {
        call: functions.and_then(|f| f.logger),
        environment: functions.map_or(std::ptr::null_mut(), |f| f.environment),
    };
    create(name_of(name), logger, || {
        let kind = match kind {
            0 => Kind::ModelExchange,
            1 => Kind::CoSimulation,
            other => return refuse(format!("E_FMU_VALUE: there is no kind {other} of FMU")),
        };
        let resources = folder(text(resources)?)?;
        start(&Request { kind, early: false, token: text(guid)?, resources: &resources })
    })
}

/// The folder of a `file:` address.
pub(super) fn folder(uri: &str) -> crate::instance::Reply<PathBuf> {
    let Some(rest) = uri.strip_prefix("file:") else {
        return refuse(format!(
            "E_FMU_VALUE: the place of the resources, {uri:?}, is no file: address"
        ));
    };
    let path = match rest.strip_prefix("//") {
        // a machine may be named before the path; only this one is meant
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    if !path.starts_with('/') {
        return refuse(format!(
            "E_FMU_VALUE: the place of the resources, {uri:?}, is not on this machine"
        ));
    }
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = if *first == b'%' { tail.get(..2) } else { None };
        let code = digits.and_then(|d| std::str::from_utf8(d).ok());
        match code.and_then(|d| u8::from_str_radix(d, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    let Ok(mut path) = String::from_utf8(bytes) else {
        return refuse("E_FMU_VALUE: the place of the resources is not valid UTF-8");
    };
    if cfg!(windows) {
        path.remove(0);
    }
    Ok(PathBuf::from(path))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2FreeInstance(c: Component) {
    free(c);
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetupExperiment(
    c: Component,
    tolerance_defined: c_int,
    tolerance: f64,
    start: f64,
    stop_defined: c_int,
    stop: f64,
) -> c_int {
    let name = "fmi2SetupExperiment";
    call(name, c, |i| {
        let tolerance = (tolerance_defined != 0).then_some(tolerance);
        i.set_up(name, start, (stop_defined != 0).then_some(stop), tolerance)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterInitializationMode(c: Component) -> c_int {
    let name = "fmi2EnterInitializationMode";
    call(name, c, |i| i.enter_initialization(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2ExitInitializationMode(c: Component) -> c_int {
    let name = "fmi2ExitInitializationMode";
    call(name, c, |i| i.exit_initialization(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Terminate(c: Component) -> c_int {
    let name = "fmi2Terminate";
    call(name, c, |i| i.terminate(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Reset(c: Component) -> c_int {
    call("fmi2Reset", c, crate::instance::Instance::reset)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetReal(c: Component, vr: *const u32, n: usize, value: *mut f64) -> c_int {
    get_real("fmi2GetReal", c, vr, n, value, n)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetReal(c: Component, vr: *const u32, n: usize, value: *const f64) -> c_int {
    set_real("fmi2SetReal", c, vr, n, value, n)
}

/// Functions for types of variables that there are none of.
macro_rules! no_variables {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            c: Component,
            _vr: *const u32,
            n: usize,
            _value: *mut c_void,
        ) -> c_int {
            nothing(stringify!($name), c, n)
        }
    )*};
}
no_variables! {
    fmi2GetInteger fmi2GetBoolean fmi2GetString fmi2SetInteger fmi2SetBoolean fmi2SetString
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetFMUstate(c: Component, state: *mut *mut c_void) -> c_int {
    get_state("fmi2GetFMUstate", c, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetFMUstate(c: Component, state: *mut c_void) -> c_int {
    set_state("fmi2SetFMUstate", c, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2FreeFMUstate(c: Component, state: *mut *mut c_void) -> c_int {
    free_state("fmi2FreeFMUstate", c, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SerializedFMUstateSize(
    c: Component,
    state: *mut c_void,
    size: *mut usize,
) -> c_int {
    state_size("fmi2SerializedFMUstateSize", c, state, size)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SerializeFMUstate(
    c: Component,
    state: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> c_int {
    write_state("fmi2SerializeFMUstate", c, state, bytes, size)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2DeSerializeFMUstate(
    c: Component,
    bytes: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> c_int {
    read_state("fmi2DeSerializeFMUstate", c, bytes, size, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetDirectionalDerivative(
    c: Component,
    unknown: *const u32,
    n_unknown: usize,
    known: *const u32,
    n_known: usize,
    seed: *const f64,
    sensitivity: *mut f64,
) -> c_int {
    directional(
        "fmi2GetDirectionalDerivative",
        c,
        (unknown, n_unknown),
        (known, n_known),
        (seed, n_known),
        (sensitivity, n_unknown),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterEventMode(c: Component) -> c_int {
    let name = "fmi2EnterEventMode";
    call(name, c, |i| i.enter_event_mode(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2NewDiscreteStates(c: Component, info: *mut EventInfo) -> c_int {
    let name = "fmi2NewDiscreteStates";
    call(name, c, |i| {
        let info = room(name, info, 1)?;
        let (changed, next) = i.update(name)?;
        info[0] = EventInfo {
            values_changed: c_int::from(changed),
            next_event_time_defined: c_int::from(next.is_some()),
            next_event_time: next.unwrap_or(0.0),
            ..EventInfo::default()
        };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterContinuousTimeMode(c: Component) -> c_int {
    let name = "fmi2EnterContinuousTimeMode";
    call(name, c, |i| i.enter_continuous_mode(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2CompletedIntegratorStep(
    c: Component,
    _no_way_back: c_int,
    event: *mut c_int,
    terminate: *mut c_int,
) -> c_int {
    let name = "fmi2CompletedIntegratorStep";
    call(name, c, |i| {
        i.completed(name)?;
        put(event, 0);
        put(terminate, 0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetTime(c: Component, time: f64) -> c_int {
    let name = "fmi2SetTime";
    call(name, c, |i| i.set_time(name, time))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetContinuousStates(c: Component, x: *const f64, n: usize) -> c_int {
    let name = "fmi2SetContinuousStates";
    call(name, c, |i| i.set_states(name, list(name, x, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetDerivatives(c: Component, out: *mut f64, n: usize) -> c_int {
    let name = "fmi2GetDerivatives";
    call(name, c, |i| i.rates(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetEventIndicators(c: Component, out: *mut f64, n: usize) -> c_int {
    let name = "fmi2GetEventIndicators";
    call(name, c, |i| i.indicators(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetContinuousStates(c: Component, out: *mut f64, n: usize) -> c_int {
    let name = "fmi2GetContinuousStates";
    call(name, c, |i| i.states(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetNominalsOfContinuousStates(
    c: Component,
    out: *mut f64,
    n: usize,
) -> c_int {
    let name = "fmi2GetNominalsOfContinuousStates";
    call(name, c, |i| i.nominals(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetRealInputDerivatives(
    c: Component,
    _vr: *const u32,
    n: usize,
    _order: *const c_int,
    _value: *const f64,
) -> c_int {
    nothing("fmi2SetRealInputDerivatives", c, n)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetRealOutputDerivatives(
    c: Component,
    _vr: *const u32,
    n: usize,
    _order: *const c_int,
    _value: *mut f64,
) -> c_int {
    nothing("fmi2GetRealOutputDerivatives", c, n)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2DoStep(c: Component, from: f64, step: f64, _no_way_back: c_int) -> c_int {
    let name = "fmi2DoStep";
    call(name, c, |i| i.do_step(name, from, step).map(drop))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2CancelStep(c: Component) -> c_int {
    let name = "fmi2CancelStep";
    call(name, c, |_| refuse(format!("E_FMU_ORDER: {name}: steps end before the call does")))
}

/// Kinds of status: of the last step, of a pending one, the last time reached, whether it has ended.
const LAST_TIME: c_int = 2;
const TERMINATED: c_int = 3;

fn no_status(name: &str, c: Component, kind: c_int) -> c_int {
    let told = call(name, c, |_| refuse(format!("E_FMU_KIND: {name}: there is no status {kind}")));
    if told == super::ERROR { DISCARD } else { told }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStatus(c: Component, kind: c_int, value: *mut c_int) -> c_int {
    let name = "fmi2GetStatus";
    match kind {
        0 => call(name, c, |_| {
            put(value, OK);
            Ok(())
        }),
        _ => no_status(name, c, kind),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetRealStatus(c: Component, kind: c_int, value: *mut f64) -> c_int {
    let name = "fmi2GetRealStatus";
    match kind {
        LAST_TIME => call(name, c, |i| {
            put(value, i.last_time());
            Ok(())
        }),
        _ => no_status(name, c, kind),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetIntegerStatus(c: Component, kind: c_int, _value: *mut c_int) -> c_int {
    no_status("fmi2GetIntegerStatus", c, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetBooleanStatus(c: Component, kind: c_int, value: *mut c_int) -> c_int {
    let name = "fmi2GetBooleanStatus";
    match kind {
        TERMINATED => call(name, c, |_| {
            put(value, 0);
            Ok(())
        }),
        _ => no_status(name, c, kind),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStringStatus(
    c: Component,
    kind: c_int,
    _value: *mut *const c_char,
) -> c_int {
    no_status("fmi2GetStringStatus", c, kind)
}
