//! Why a run was refused or stopped, with names.

use delassus_dae::integrator::OptionError;
use delassus_dae::{Crowded, KktError, Problem, StepFailure};
use thiserror::Error;

/// Approximate memory of a column while its files are made, bytes.
const COLUMN_BYTES: f64 = 4096.0;

/// Approximate memory of an event with its place in pictures, bytes.
const EVENT_BYTES: f64 = 256.0;

/// The run cannot start.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SetupError {
    /// No such method.
    #[error("unknown method \"{name}\"")]
    UnknownMethod {
        /// As given.
        name: String,
        /// Nearest known name.
        suggestion: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The method cannot run this model.
    #[error("{method} cannot run this model: it has {}", .missing.join(" and "))]
    MethodCannot {
        /// Method.
        method: &'static str,
        /// What the model has and the method cannot do.
        missing: Vec<&'static str>,
        /// Methods that can.
        able: Vec<&'static str>,
    },
    /// An option that the method does not have, or a value it cannot take.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A setting makes no sense.
    #[error("{message}")]
    Setting {
        /// Stable code.
        code: &'static str,
        /// Which setting.
        what: &'static str,
        /// Value found and rule.
        message: String,
    },
    /// The results would be larger than allowed.
    #[error(
        "{} samples of {columns} columns would take {}, {}",
        count_text(*samples), size_as(*bytes, *limit), than(*bytes, *limit)
    )]
    TooLarge {
        /// Requested samples.
        samples: f64,
        /// Columns.
        columns: usize,
        /// Memory needed, bytes.
        bytes: f64,
        /// Memory allowed, bytes.
        limit: f64,
    },
    /// The results would have more columns than allowed.
    #[error(
        "the results would have {columns} columns, more than the limit of {limit}; so many take about {}",
        size_text(*columns as f64 * COLUMN_BYTES)
    )]
    TooManyColumns {
        /// Requested columns.
        columns: usize,
        /// Columns allowed.
        limit: usize,
    },
    /// The model needs more memory than there is.
    #[error(
        "a run of {bodies} bodies with {rows} rows of joints needs about {}, for which there is no memory",
        size_text(*bytes)
    )]
    NoRoom {
        /// Bodies.
        bodies: usize,
        /// Rows of joints.
        rows: usize,
        /// Memory needed, bytes.
        bytes: f64,
    },
    /// Contacts that are closed at the start make it impossible to continue.
    #[error("{} at the start: {}: {}", blamed(.0), .0.kind.code(), .0.detail)]
    Contacts(SimError),
    /// The linear algebra could not be set up.
    #[error("the equations could not be set up: {0}")]
    Kkt(#[from] KktError),
}

/// The cause, in words.
fn blamed(e: &SimError) -> String {
    if e.blame.is_empty() { "contacts".to_owned() } else { e.blame.join(", ") }
}

impl SetupError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SetupError::UnknownMethod { .. } => "E_UNKNOWN_METHOD",
            SetupError::MethodCannot { .. } => "E_METHOD_CANNOT",
            SetupError::Option(_) => "E_METHOD_OPTION",
            SetupError::Setting { code, .. } => code,
            SetupError::TooLarge { .. }
            | SetupError::TooManyColumns { .. }
            | SetupError::NoRoom { .. } => "E_LIMIT",
            SetupError::Contacts(e) if e.kind == SimErrorKind::TooMuch => e.kind.code(),
            SetupError::Kkt(KktError::NoRoom { .. }) => "E_LIMIT",
            SetupError::Contacts(_) | SetupError::Kkt(_) => "E_START",
        }
    }
}

/// What to do where the inertia of a body with modes is lost.
const TOO_FAR_FOR_MODES: &str = "the body deforms further than its inertia, which is known to the second order, allows for so many modes; take \
     fewer modes, modes that are not held, or a body of type `beam`";

/// What to do where a system of equations needs more memory than there is.
pub const NO_ROOM: &str = "make the model smaller, use a method that needs less (mdop5), or allow more memory (ulimit -v)";

/// A number of things: in full if it is short, rounded where nobody would count its digits.
pub fn count_text(n: f64) -> String {
    if n < 1e7 { format!("{n:.0}") } else { format!("{n:.2e}") }
}

/// A number of bytes in a unit that leaves few digits.
pub fn size_text(bytes: f64) -> String {
    size_as(bytes, bytes)
}

fn than(bytes: f64, limit: f64) -> String {
    match bytes > limit {
        true => format!("more than the limit of {}", size_text(limit)),
        false => "for which there is no memory".to_owned(),
    }
}

/// A number of bytes in the unit used for another one.
fn size_as(bytes: f64, other: f64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let k = (0..units.len()).rev().find(|k| other >= 1024f64.powi(*k as i32)).unwrap_or(0);
    let x = bytes / 1024f64.powi(k as i32);
    let digits = if x == x.round() || x >= 1000.0 { 0 } else { 1 };
    if x < 1e7 { format!("{x:.digits$} {}", units[k]) } else { format!("{x:.1e} {}", units[k]) }
}

/// What stopped a run.
#[derive(Debug, Clone, PartialEq)]
pub enum SimErrorKind {
    /// The step became too small to continue.
    StepTooSmall,
    /// The fixed step is beyond what the method can take without growing errors.
    StepUnstable,
    /// Fixed steps brought in energy from nowhere.
    EnergyGained,
    /// More steps than allowed.
    WorkLimit,
    /// A vibration that nobody sees holds an explicit method to steps that do not come to the end.
    Stiff,
    /// Something became NaN or infinite.
    Diverged,
    /// The constraints became singular.
    Singular,
    /// A rolling disc lies flat, where it has no contact point.
    DiscFlat,
    /// An element of a beam is bent by almost half a turn or more.
    BeamTurned,
    /// A constraint that counted as redundant is violated.
    Dependent,
    /// Impacts follow each other faster and faster without end.
    Accumulation,
    /// Events follow each other without progress in time.
    EventStorm,
    /// A contact was found closed although no closing was detected.
    ContactMissed,
    /// A law that jumps holds the motion at the jump.
    Chatter,
    /// A prescribed motion jumps from one place to another.
    MotionJumps,
    /// A contact that should be held moves.
    StickMoves,
    /// No forces or impulses satisfy the laws of the contacts.
    NoContactForces,
    /// Forces or impulses of contacts were not found to the tolerance; whether any exist is not known.
    ContactUnsolved,
    /// A column of the results is not finite.
    NotFinite,
    /// The receiver of the samples failed.
    Output,
    /// More than a limit of memory allows.
    TooMuch,
    /// More CPU time than allowed.
    TimeLimit,
}

impl SimErrorKind {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SimErrorKind::StepTooSmall => "E_STEP_MIN",
            SimErrorKind::StepUnstable => "E_STEP_UNSTABLE",
            SimErrorKind::EnergyGained => "E_ENERGY_GAINED",
            SimErrorKind::WorkLimit => "E_WORK_LIMIT",
            SimErrorKind::Stiff => "E_STIFF",
            SimErrorKind::Diverged => "E_DIVERGED",
            SimErrorKind::Singular => "E_SINGULAR",
            SimErrorKind::DiscFlat => "E_DISC_FLAT",
            SimErrorKind::BeamTurned => "E_BEAM_TURN",
            SimErrorKind::Dependent => "E_DEPENDENT",
            SimErrorKind::Accumulation => "E_ZENO",
            SimErrorKind::EventStorm => "E_EVENT_STORM",
            SimErrorKind::ContactMissed => "E_CONTACT_MISSED",
            SimErrorKind::Chatter => "E_CHATTER",
            SimErrorKind::MotionJumps => "E_MOTION_JUMP",
            SimErrorKind::StickMoves => "E_STICK_MOVES",
            SimErrorKind::NoContactForces => "E_PAINLEVE",
            SimErrorKind::ContactUnsolved => "E_CONTACT_UNSOLVED",
            SimErrorKind::NotFinite => "E_NONFINITE",
            SimErrorKind::Output => "E_OUTPUT",
            SimErrorKind::TooMuch => "E_LIMIT",
            SimErrorKind::TimeLimit => "E_TIME_LIMIT",
        }
    }
}

/// Whether a row counts as a consequence of others, or yields to them.
fn follows_from_others<P: Problem>(p: &P, row: usize) -> bool {
    let s = p.structure();
    s.independent_rows.as_ref().is_some_and(|rows| !rows.contains(&row))
        || s.rank.yielding.contains(&row)
}

/// A run that stopped before its end. What was computed until then is kept.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{} at t = {t} s (step {h:.3e} s): {detail}", .kind.code())]
pub struct SimError {
    /// What happened.
    pub kind: SimErrorKind,
    /// Time of the last accepted state, s.
    pub t: f64,
    /// Step that was tried last, s.
    pub h: f64,
    /// Numbers and names.
    pub detail: String,
    /// Bodies, joints or forces that are involved.
    pub blame: Vec<String>,
    /// What to try.
    pub help: String,
}

impl SimError {
    /// A fixed step of h that ended at t with more energy than anything explains; `moved` is all the energy that moved
    /// so far, J.
    pub(crate) fn energy_gained(method: &str, t: f64, h: f64, moved: f64) -> SimError {
        SimError {
            kind: SimErrorKind::EnergyGained,
            t,
            h,
            detail: format!(
                "the model gained energy from nowhere, more than half of the {moved:.3e} J that moved so \
                 far: the step of {h:.3e} s is too long for {method} here"
            ),
            blame: Vec::new(),
            help: "take a shorter step, or leave the step out to let it adapt".to_owned(),
        }
    }

    /// More events than allowed.
    pub(crate) fn too_many_events(most: usize, t: f64, h: f64) -> SimError {
        SimError {
            kind: SimErrorKind::TooMuch,
            t,
            h,
            detail: format!(
                "more than {most} events happened, which is the limit; so many take {}",
                size_text(most as f64 * EVENT_BYTES)
            ),
            blame: Vec::new(),
            help: "run a shorter span, use time-stepping (--scheme time-stepping), or raise the limit with \
                   --limit events=N"
                .to_owned(),
        }
    }

    /// More CPU time than allowed.
    pub(crate) fn out_of_time(most: f64, steps: u64, t: f64, h: f64) -> SimError {
        SimError {
            kind: SimErrorKind::TimeLimit,
            t,
            h,
            detail: format!("more than {most} s of CPU time, after {steps} steps"),
            blame: Vec::new(),
            help: "raise --max-time, loosen the tolerance, or run a shorter span".to_owned(),
        }
    }

    /// More CPU time than allowed, while the samples inside a step were taken.
    pub(crate) fn too_many_samples(most: f64, samples: u64, dt: f64, t: f64, h: f64) -> SimError {
        SimError {
            kind: SimErrorKind::TimeLimit,
            t,
            h,
            detail: format!(
                "more than {most} s of CPU time, after {samples} samples, one every {dt} s; inside the last step \
                 alone there are {:.1e}",
                h / dt
            ),
            blame: Vec::new(),
            help: "sample less often, raise --max-time, or run a shorter span".to_owned(),
        }
    }

    /// A run that needs far more steps than allowed: `rest` besides those already made.
    pub(crate) fn hopeless(steps: u64, rest: f64, t: f64, h: f64) -> SimError {
        let rest = match rest.is_finite() {
            true => format!("the rest of the run would take {rest:.1e} more"),
            false => "time stands still".to_owned(),
        };
        SimError {
            kind: SimErrorKind::WorkLimit,
            t,
            h,
            detail: format!("{steps} steps were made, and at the pace of the last ones {rest}"),
            blame: Vec::new(),
            help: "run a shorter span, loosen the tolerance, or look at what is named; where so many steps are \
                   meant, say so with --max-steps"
                .to_owned(),
        }
    }

    /// Stability limits the steps of an explicit method, and the rest of the run would take too many. `rate` is that of the fastest
    /// vibration, 1/s, `name` what takes part in it most, `stable` the longest step that it allows, s.
    pub(crate) fn stiff(
        [method, name]: [&str; 2],
        [steps, rest]: [f64; 2],
        [rate, stable]: [f64; 2],
        [t, h]: [f64; 2],
        able: &[&str],
    ) -> SimError {
        let hertz = rate / std::f64::consts::TAU;
        SimError {
            kind: SimErrorKind::Stiff,
            t,
            h,
            detail: format!(
                "the model is stiff for {method}: a vibration of {rate:.1e} rad/s ({hertz:.1e} Hz), strongest in {name}, allows steps of \
                 {stable:.1e} s at most, whatever the tolerance; {steps} steps were made, and the rest of the run would take {rest:.1e} more"
            ),
            blame: vec![name.to_owned()],
            help: format!(
                "use a method for stiff systems ({}), make what vibrates softer or rigid, or say with --max-steps that so many steps are meant",
                if able.is_empty() { "see `delassus methods`".to_owned() } else { able.join(", ") }
            ),
        }
    }

    /// More points are near each other at t than is allowed.
    pub(crate) fn crowded(e: &Crowded, blame: Vec<String>, t: f64) -> SimError {
        let of =
            if blame.is_empty() { String::new() } else { format!(", {} among them", blame[0]) };
        SimError {
            kind: SimErrorKind::TooMuch,
            t,
            h: 0.0,
            detail: format!(
                "{e}{of}; so many take {}",
                size_text((e.most * e.what.bytes()) as f64)
            ),
            blame,
            help: format!(
                "keep the shapes apart, name fewer of them in the contact, or raise the limit with \
                 --limit {}=N",
                e.what.limit()
            ),
        }
    }

    /// The same with the name of one of the contacts that it is about.
    pub(crate) fn at_contact(mut self, name: Option<String>) -> SimError {
        if let Some(name) = name {
            self.detail.push_str(&format!(", contact \"{name}\" among them"));
            self.blame.push(format!("contact \"{name}\""));
        }
        self
    }

    /// The error for a failed attempt that nothing could cure, with names from the problem.
    pub(crate) fn from_failure<P: Problem>(p: &P, e: &StepFailure, t: f64, h: f64) -> SimError {
        let (kind, blame, detail, help) = match e {
            StepFailure::NonFinite { what, index } => {
                let name = match *what {
                    "constraint bias" | "constraint residual" => p.row_name(*index),
                    "controller rates" => format!("controller state {index}"),
                    _ => p.dof_name(*index),
                };
                (
                    SimErrorKind::Diverged,
                    vec![name.clone()],
                    format!("numbers that are not finite appear in the {what}, first for {name}"),
                    "look at the named element just before this time; a smaller step or tolerance shows whether the model itself diverges",
                )
            }
            StepFailure::Runaway { index, sizes } => {
                let name = p.dof_name(*index);
                (
                    SimErrorKind::Diverged,
                    vec![name.clone()],
                    format!(
                        "the motion grows without bound, first for {name}, which would move by {sizes:.1e} times the size of the model in one step"
                    ),
                    "the step is too large for this method and model: reduce it, or make more terms implicit (lin-euler: jacobian = j2 or exact)",
                )
            }
            StepFailure::NewtonDiverged { worst, .. } => (
                SimErrorKind::StepTooSmall,
                vec![p.dof_name(*worst)],
                format!("{e}: {}", p.dof_name(*worst)),
                "reduce the step, or let the method choose it (leave out the fixed step)",
            ),
            StepFailure::Projection { row, .. } if follows_from_others(p, *row) => (
                SimErrorKind::Dependent,
                vec![p.row_name(*row)],
                format!(
                    "{}, which counted as redundant, is no longer fulfilled: {e}",
                    p.row_name(*row)
                ),
                "the joints of a redundant loop do not fit closely enough for this motion, or the motion reaches a position where they part: make lengths and axes agree exactly, or leave the named joint out; mdop5 and phem56 bear more than other methods",
            ),
            StepFailure::Turned { index, by } => {
                let name = p.dof_name(*index);
                (
                    SimErrorKind::StepTooSmall,
                    vec![name.clone()],
                    format!(
                        "steps of {h:.3e} s turn {name} by {by:.2} rad or more: too far to tell its turns"
                    ),
                    "take a smaller step, or leave it out to let it adapt; if it is small already, look at what drives the named body",
                )
            }
            StepFailure::Projection { row, .. } => (
                SimErrorKind::StepTooSmall,
                vec![p.row_name(*row)],
                format!("{e}: {}", p.row_name(*row)),
                "a tighter tolerance keeps the motion closer to the constraints",
            ),
            StepFailure::RankLost { row } => (
                SimErrorKind::Singular,
                vec![p.row_name(*row)],
                format!("{e}: {}", p.row_name(*row)),
                "the motion passes a singular position: use a method that can (mdop5, ali3p, gen-alpha)",
            ),
            StepFailure::NoRoom { .. } => (
                SimErrorKind::TooMuch,
                Vec::new(),
                e.to_string(),
                "use --scheme hybrid or time-stepping, which need less, make the model smaller, or allow more memory (ulimit -v)",
            ),
            StepFailure::Crowded(e) => return SimError::crowded(e, Vec::new(), t),
            StepFailure::Kkt(k @ KktError::NoRoom { .. }) => {
                (SimErrorKind::TooMuch, Vec::new(), k.to_string(), NO_ROOM)
            }
            StepFailure::Kkt(k) => {
                let blame = match k {
                    KktError::Singular { row, .. } | KktError::NonFinite { row } => {
                        vec![p.row_name(*row)]
                    }
                    KktError::Undetermined { dof, .. }
                    | KktError::NonFiniteDof { dof }
                    | KktError::MassNotPositive { dof, .. } => vec![p.dof_name(*dof)],
                    _ => Vec::new(),
                };
                let names = if blame.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", blame.join(", "))
                };
                let help = match k {
                    // only modes can take inertia away
                    KktError::MassNotPositive { .. } => TOO_FAR_FOR_MODES,
                    _ => {
                        "the named element lost its grip on the motion here; `delassus check` shows redundancy and degrees of freedom"
                    }
                };
                (SimErrorKind::Singular, blame, format!("{k}{names}"), help)
            }
        };
        SimError { kind, t, h, detail, blame, help: help.to_owned() }
    }
}

/// Why an input was not set. The run is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InputError {
    /// The model has no input of this name.
    #[error("there is no input `{name}` (inputs: {})", known.join(", "))]
    Unknown {
        /// The requested name.
        name: String,
        /// Names of all inputs.
        known: Vec<String>,
    },
    /// The model has fewer inputs.
    #[error("there is no input {index}: the model has {count}, counted from 0")]
    NoSuchPlace {
        /// The requested index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The value is not finite, or outside the bounds that the model gives.
    #[error("input `{name}` cannot be {value}: it must be finite, from {} to {}", bounds[0], bounds[1])]
    Value {
        /// Input.
        name: String,
        /// The value given, SI.
        value: f64,
        /// Smallest and largest value, SI.
        bounds: [f64; 2],
    },
}
