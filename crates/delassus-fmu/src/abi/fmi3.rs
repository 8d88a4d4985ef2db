//! FMI 3.0. Names, types and orders of arguments are those of the standard.

#![allow(non_snake_case, missing_docs, clippy::too_many_arguments)]

use super::{
    Logger, Request, call, create, directional, free, free_state, get_real, get_state, list,
    name_of, nothing, put, read_state, room, set_real, set_state, start, state_size, text,
    write_state,
};
use crate::instance::{Instance as Model, Kind, refuse};
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

/// Tells the host something: environment, status, category, text.
pub type LogFunction = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

type Instance = *mut c_void;

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetDebugLogging(
    i: Instance,
    _on: bool,
    _n: usize,
    _categories: *const *const c_char,
) -> c_int {
    // refused calls are always told, and there is nothing else to tell
    call("fmi3SetDebugLogging", i, |_| Ok(()))
}

fn instantiate(
    name: *const c_char,
    logger: Logger,
    kind: Kind,
    early: bool,
    token: *const c_char,
    resources: *const c_char,
) -> Instance {
    create(name_of(name), logger, || {
        let resources = text(resources)?;
        if resources.is_empty() {
            return refuse("E_FMU_VALUE: the path of the resources is missing");
        }
        start(&Request { kind, early, token: text(token)?, resources: Path::new(resources) })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateModelExchange(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    _logging: bool,
    environment: *mut c_void,
    log: Option<LogFunction>,
) -> Instance {
    let logger = Logger::Three { call: log, environment };
    instantiate(name, logger, Kind::ModelExchange, false, token, resources)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateCoSimulation(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    _logging: bool,
    event_mode: bool,
    early: bool,
    _intermediate: *const u32,
    n_intermediate: usize,
    environment: *mut c_void,
    log: Option<LogFunction>,
    _update: *const c_void,
) -> Instance {
    let logger = Logger::Three { call: log, environment };
    let odd = match (event_mode, n_intermediate) {
        (true, _) => "an event mode for co-simulation",
        (_, 1..) => "values between communication points",
        _ => return instantiate(name, logger, Kind::CoSimulation, early, token, resources),
    };
    create(name_of(name), logger, || {
        refuse(format!("E_FMU_KIND: this FMU does not offer {odd}; see modelDescription.xml"))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateScheduledExecution(
    name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _logging: bool,
    environment: *mut c_void,
    log: Option<LogFunction>,
    _clock: *const c_void,
    _lock: *const c_void,
    _unlock: *const c_void,
) -> Instance {
    let logger = Logger::Three { call: log, environment };
    create(name_of(name), logger, || {
        refuse("E_FMU_KIND: this FMU does not offer scheduled execution")
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3FreeInstance(i: Instance) {
    free(i);
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterInitializationMode(
    i: Instance,
    tolerance_defined: bool,
    tolerance: f64,
    start: f64,
    stop_defined: bool,
    stop: f64,
) -> c_int {
    let name = "fmi3EnterInitializationMode";
    call(name, i, |m| {
        let tolerance = tolerance_defined.then_some(tolerance);
        m.set_up(name, start, stop_defined.then_some(stop), tolerance)?;
        m.enter_initialization(name)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitInitializationMode(i: Instance) -> c_int {
    let name = "fmi3ExitInitializationMode";
    call(name, i, |m| m.exit_initialization(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterEventMode(i: Instance) -> c_int {
    let name = "fmi3EnterEventMode";
    call(name, i, |m| m.enter_event_mode(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3Terminate(i: Instance) -> c_int {
    let name = "fmi3Terminate";
    call(name, i, |m| m.terminate(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3Reset(i: Instance) -> c_int {
    call("fmi3Reset", i, Model::reset)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetFloat64(
    i: Instance,
    vr: *const u32,
    n: usize,
    values: *mut f64,
    m: usize,
) -> c_int {
    get_real("fmi3GetFloat64", i, vr, n, values, m)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetFloat64(
    i: Instance,
    vr: *const u32,
    n: usize,
    values: *const f64,
    m: usize,
) -> c_int {
    set_real("fmi3SetFloat64", i, vr, n, values, m)
}

/// Functions for types of variables that there are none of.
macro_rules! no_variables {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            i: Instance,
            _vr: *const u32,
            n: usize,
            _values: *mut c_void,
            _m: usize,
        ) -> c_int {
            nothing(stringify!($name), i, n)
        }
    )*};
}
no_variables! {
    fmi3GetFloat32 fmi3GetInt8 fmi3GetUInt8 fmi3GetInt16 fmi3GetUInt16 fmi3GetInt32 fmi3GetUInt32
    fmi3GetInt64 fmi3GetUInt64 fmi3GetBoolean fmi3GetString
    fmi3SetFloat32 fmi3SetInt8 fmi3SetUInt8 fmi3SetInt16 fmi3SetUInt16 fmi3SetInt32 fmi3SetUInt32
    fmi3SetInt64 fmi3SetUInt64 fmi3SetBoolean fmi3SetString
}

/// The same with two lists of values.
macro_rules! no_binaries {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            i: Instance,
            _vr: *const u32,
            n: usize,
            _sizes: *mut usize,
            _values: *mut c_void,
            _m: usize,
        ) -> c_int {
            nothing(stringify!($name), i, n)
        }
    )*};
}
no_binaries! { fmi3GetBinary fmi3SetBinary }

/// The same for clocks, with one list.
macro_rules! no_clocks {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            i: Instance,
            _vr: *const u32,
            n: usize,
            _values: *mut c_void,
        ) -> c_int {
            nothing(stringify!($name), i, n)
        }
    )*};
}
no_clocks! { fmi3GetClock fmi3SetClock fmi3GetShiftDecimal fmi3SetShiftDecimal fmi3SetIntervalDecimal }

/// The same with two or three lists.
macro_rules! no_intervals {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            i: Instance,
            _vr: *const u32,
            n: usize,
            _first: *mut c_void,
            _second: *mut c_void,
            _third: *mut c_void,
        ) -> c_int {
            nothing(stringify!($name), i, n)
        }
    )*};
}
no_intervals! { fmi3GetIntervalFraction }

macro_rules! no_fractions {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            i: Instance,
            _vr: *const u32,
            n: usize,
            _first: *mut c_void,
            _second: *mut c_void,
        ) -> c_int {
            nothing(stringify!($name), i, n)
        }
    )*};
}
no_fractions! {
    fmi3GetIntervalDecimal fmi3GetShiftFraction fmi3SetIntervalFraction fmi3SetShiftFraction
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfVariableDependencies(
    i: Instance,
    _vr: u32,
    _n: *mut usize,
) -> c_int {
    nothing("fmi3GetNumberOfVariableDependencies", i, 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVariableDependencies(
    i: Instance,
    _dependent: u32,
    _elements: *mut usize,
    _independents: *mut u32,
    _of_independents: *mut usize,
    _kinds: *mut c_int,
    n: usize,
) -> c_int {
    nothing("fmi3GetVariableDependencies", i, n)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetFMUState(i: Instance, state: *mut *mut c_void) -> c_int {
    get_state("fmi3GetFMUState", i, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetFMUState(i: Instance, state: *mut c_void) -> c_int {
    set_state("fmi3SetFMUState", i, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3FreeFMUState(i: Instance, state: *mut *mut c_void) -> c_int {
    free_state("fmi3FreeFMUState", i, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SerializedFMUStateSize(
    i: Instance,
    state: *mut c_void,
    size: *mut usize,
) -> c_int {
    state_size("fmi3SerializedFMUStateSize", i, state, size)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SerializeFMUState(
    i: Instance,
    state: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> c_int {
    write_state("fmi3SerializeFMUState", i, state, bytes, size)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3DeserializeFMUState(
    i: Instance,
    bytes: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> c_int {
    read_state("fmi3DeserializeFMUState", i, bytes, size, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetDirectionalDerivative(
    i: Instance,
    unknowns: *const u32,
    n_unknowns: usize,
    knowns: *const u32,
    n_knowns: usize,
    seed: *const f64,
    n_seed: usize,
    sensitivity: *mut f64,
    n_sensitivity: usize,
) -> c_int {
    directional(
        "fmi3GetDirectionalDerivative",
        i,
        (unknowns, n_unknowns),
        (knowns, n_knowns),
        (seed, n_seed),
        (sensitivity, n_sensitivity),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetAdjointDerivative(
    i: Instance,
    _unknowns: *const u32,
    n: usize,
    _knowns: *const u32,
    _n_knowns: usize,
    _seed: *const f64,
    _n_seed: usize,
    _sensitivity: *mut f64,
    _n_sensitivity: usize,
) -> c_int {
    nothing("fmi3GetAdjointDerivative", i, n)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterConfigurationMode(i: Instance) -> c_int {
    nothing("fmi3EnterConfigurationMode", i, 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitConfigurationMode(i: Instance) -> c_int {
    nothing("fmi3ExitConfigurationMode", i, 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EvaluateDiscreteStates(i: Instance) -> c_int {
    nothing("fmi3EvaluateDiscreteStates", i, 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3UpdateDiscreteStates(
    i: Instance,
    needs_update: *mut bool,
    terminate: *mut bool,
    nominals_changed: *mut bool,
    values_changed: *mut bool,
    next_defined: *mut bool,
    next: *mut f64,
) -> c_int {
    let name = "fmi3UpdateDiscreteStates";
    call(name, i, |m| {
        let (changed, time) = m.update(name)?;
        put(needs_update, false);
        put(terminate, false);
        put(nominals_changed, false);
        put(values_changed, changed);
        put(next_defined, time.is_some());
        put(next, time.unwrap_or(0.0));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterContinuousTimeMode(i: Instance) -> c_int {
    let name = "fmi3EnterContinuousTimeMode";
    call(name, i, |m| m.enter_continuous_mode(name))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3CompletedIntegratorStep(
    i: Instance,
    _no_way_back: bool,
    event: *mut bool,
    terminate: *mut bool,
) -> c_int {
    let name = "fmi3CompletedIntegratorStep";
    call(name, i, |m| {
        m.completed(name)?;
        put(event, false);
        put(terminate, false);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetTime(i: Instance, time: f64) -> c_int {
    let name = "fmi3SetTime";
    call(name, i, |m| m.set_time(name, time))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetContinuousStates(i: Instance, x: *const f64, n: usize) -> c_int {
    let name = "fmi3SetContinuousStates";
    call(name, i, |m| m.set_states(name, list(name, x, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetContinuousStateDerivatives(i: Instance, out: *mut f64, n: usize) -> c_int {
    let name = "fmi3GetContinuousStateDerivatives";
    call(name, i, |m| m.rates(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetEventIndicators(i: Instance, out: *mut f64, n: usize) -> c_int {
    let name = "fmi3GetEventIndicators";
    call(name, i, |m| m.indicators(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetContinuousStates(i: Instance, out: *mut f64, n: usize) -> c_int {
    let name = "fmi3GetContinuousStates";
    call(name, i, |m| m.states(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNominalsOfContinuousStates(i: Instance, out: *mut f64, n: usize) -> c_int {
    let name = "fmi3GetNominalsOfContinuousStates";
    call(name, i, |m| m.nominals(name, room(name, out, n)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfEventIndicators(i: Instance, n: *mut usize) -> c_int {
    call("fmi3GetNumberOfEventIndicators", i, |m| {
        put(n, m.variables().indicators);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfContinuousStates(i: Instance, n: *mut usize) -> c_int {
    call("fmi3GetNumberOfContinuousStates", i, |m| {
        put(n, m.variables().states);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterStepMode(i: Instance) -> c_int {
    let name = "fmi3EnterStepMode";
    call(name, i, |_| {
        refuse(format!("E_FMU_ORDER: {name}: there is no event mode to leave in co-simulation"))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetOutputDerivatives(
    i: Instance,
    _vr: *const u32,
    n: usize,
    _orders: *const i32,
    _values: *mut f64,
    _m: usize,
) -> c_int {
    nothing("fmi3GetOutputDerivatives", i, n)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3DoStep(
    i: Instance,
    from: f64,
    step: f64,
    _no_way_back: bool,
    event: *mut bool,
    terminate: *mut bool,
    early: *mut bool,
    last: *mut f64,
) -> c_int {
    let name = "fmi3DoStep";
    let mut reached = f64::NAN;
    let status = call(name, i, |m| {
        reached = m.time();
        let stepped = m.do_step(name, from, step)?;
        reached = stepped.time;
        put(early, stepped.early);
        Ok(())
    });
    put(event, false);
    put(terminate, false);
    put(last, reached);
    if status != super::OK {
        // early return never stands for an error
        put(early, false);
    }
    status
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ActivateModelPartition(i: Instance, _clock: u32, _time: f64) -> c_int {
    nothing("fmi3ActivateModelPartition", i, 1)
}
