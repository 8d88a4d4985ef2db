//! Small motions of a model next to an equilibrium, or next to a motion at a time.

use super::statics::{note, singular_note, statics, tangents};
use super::touching::touching;
use super::{AnalysisError, linear_error};
use crate::notes::{Note, brief};
use crate::options::RunOptions;
use crate::simulation::Simulation;
use delassus_dae::analysis::{
    Linearised, Mode, ModeOptions, Modes, Steadiness, fastest, linearise, modes as find_modes,
    steadiness, steady_motion,
};
use delassus_dae::{Accel, Derived, Problem, State};
use delassus_math::Plain;
use delassus_model::{Assembled, System};

/// Part of an exponent up to which rounding may move it without a word. Bounds add up what is seldom of one sign: exponents are
/// mostly ten to a hundred times better.
const PROMISED: f64 = 1e-6;

/// Frequency, rad/s, below which an exponent may be shown as zero without a word: a period of hours.
const SLOW: f64 = 1e-3;

/// Fastest modes that are looked for.
const FASTEST: usize = 12;

/// Next to what.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum At {
    /// The equilibrium that [`statics`] finds.
    #[default]
    Static,
    /// The start of the model.
    Start,
    /// The steady motion that its starting velocities belong to.
    Steady,
    /// Its motion at a time, s.
    Time(f64),
}

/// What is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ModalOptions {
    /// Next to what.
    pub at: At,
    /// So many lowest modes; `None`: all of small models, 20 of large ones.
    pub count: Option<usize>,
    /// Leave out damping and controllers' integrals; gyroscopic terms stay.
    pub undamped: bool,
    /// Krylov spaces or full matrices whatever the size.
    pub sparse: Option<bool>,
    /// A few of the fastest modes instead, of models of any size.
    pub fastest: bool,
}

/// What the modes are next to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum About {
    /// A rest.
    Equilibrium,
    /// A steady motion, seen from axes that turn with this rate, rad/s.
    Steady([f64; 3]),
    /// An instant of a motion that changes, as if it stayed so.
    Instant,
}

impl About {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            About::Equilibrium => "equilibrium",
            About::Steady(_) => "steady motion",
            About::Instant => "instant",
        }
    }
}

/// How a body moves in a mode: [displacement, rotation] of its frame, ground components, real and imaginary parts.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyShape {
    /// Name of the body.
    pub name: String,
    /// Real part.
    pub real: [[f64; 3]; 2],
    /// Imaginary part.
    pub imag: [[f64; 3]; 2],
}

/// A mode with its shape by bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMode {
    /// Growth, 1/s.
    pub real: f64,
    /// Circular frequency, rad/s.
    pub imag: f64,
    /// Frequency, Hz.
    pub frequency_hz: f64,
    /// Damping over critical damping.
    pub damping_ratio: f64,
    /// By body.
    pub shape: Vec<BodyShape>,
}

/// Modes in the words of the model.
#[derive(Debug, Clone)]
pub struct ModalReport {
    /// Next to what.
    pub about: About,
    /// The state.
    pub state: State,
    /// By frequency, then by growth.
    pub modes: Vec<NamedMode>,
    /// These are all there are.
    pub all: bool,
    /// What the user should know.
    pub notes: Vec<Note>,
}

/// Modes of a model.
pub fn modes(model: &Assembled, options: ModalOptions) -> Result<ModalReport, AnalysisError> {
    let sys = &model.system;
    let mut notes = Vec::new();
    // a model that starts at rest has no other steady motion than its equilibrium
    let rests = model.state.v.iter().all(|v| *v == 0.0);
    let at = if options.at == At::Steady && rests { At::Static } else { options.at };
    let (l, about, state) = match at {
        At::Static => {
            let rest = statics(model)?;
            if rest.equilibrium.closed.iter().any(|c| c.slides) {
                return Err(AnalysisError::input(
                    "E_SLIDING",
                    "a contact of the equilibrium is at the limit of its friction: next to it there are no modes".to_owned(),
                    "give it more friction, or none",
                ));
            }
            let l = tangents(sys, &rest.equilibrium)?;
            if rest.equilibrium.closed.is_empty() && l.rank < sys.structure().held() {
                return Err(singular(sys, l.rank));
            }
            notes.extend(rest.notes.into_iter().filter(|n| n.code != "N_SINGULAR_POSITION"));
            (l, About::Equilibrium, rest.state)
        }
        At::Start => next_to(model, model.state.clone(), &mut notes)?,
        At::Steady => steady_state(model, &mut notes)?,
        At::Time(t) => next_to(model, state_at(model, t)?, &mut notes)?,
    };
    if !l.exact {
        notes.push(note(
            "N_APPROXIMATE_TANGENT",
            "the curvature of a closed contact or stop is not known and left out: frequencies are approximate".to_owned(),
            "compare with a run from a position beside it",
        ));
    }
    let l = if options.undamped {
        l.undamped().map_err(|e| linear_error(&**sys, e.into()))?
    } else {
        l
    };
    let asked = ModeOptions { count: options.count, sparse: options.sparse };
    let found = match options.fastest {
        true => fastest(&l, FASTEST).map(|list| Modes { list, all: false }),
        false => find_modes(&l, asked),
    };
    let found = found.map_err(|e| linear_error(&**sys, e))?;
    if let Some(count) = options.count.filter(|n| !found.all && found.list.len() < *n) {
        notes.push(note(
            "N_FEWER_MODES",
            format!(
                "{count} modes were asked for, but only {} were found: others may be missing among them",
                found.list.len()
            ),
            "compare with fewer elements, up to 400 velocities of which are solved with full matrices",
        ));
    }
    notes.extend(doubtful(&found.list));
    notes.extend(almost_zero(&found.list));
    let mut ws = sys.workspace();
    sys.realize_position(state.t, &state.q, &state.z, &mut ws);
    let named = found.list.iter().map(|m| {
        let part = |k: usize| {
            let xi: Vec<f64> = m.shape.iter().map(|x| x[k]).collect();
            sys.body_variations(&ws, &xi)
        };
        let (real, imag) = (part(0), part(1));
        let shape = sys.model().carriers().zip(real.iter().zip(&imag)).map(|(c, (re, im))| {
            let numbers = |x: &[delassus_math::Vec3; 2]| x.map(|v| [v.x, v.y, v.z]);
            BodyShape { name: c.name(), real: numbers(re), imag: numbers(im) }
        });
        NamedMode {
            real: m.real,
            imag: m.imag,
            frequency_hz: m.frequency_hz(),
            damping_ratio: m.damping_ratio(),
            shape: shape.collect(),
        }
    });
    Ok(ModalReport { about, modes: named.collect(), all: found.all, state, notes })
}

/// Tells of exponents that are shown as zero and may be what users would call a vibration.
fn almost_zero(list: &[Mode]) -> Option<Note> {
    let zero = |m: &&Mode| m.real == 0.0 && m.imag == 0.0;
    let limit = delassus_math::largest(list.iter().filter(zero).map(|m| m.doubt));
    (limit > SLOW).then(|| {
        note(
            "N_ROUGH_MODES",
            format!(
                "frequencies below {limit:.0e} rad/s cannot be told from zero beside the largest stiffnesses: {} are shown as zero",
                list.iter().filter(zero).count()
            ),
            "if the model has no motion that nothing holds, replace its stiffest springs by joints",
        )
    })
}

/// Tells of modes that rounding may have moved by more than is promised.
fn doubtful(list: &[Mode]) -> Option<Note> {
    let part = |m: &Mode| {
        let size = m.real.hypot(m.imag);
        if size > 0.0 { m.doubt / size } else { 0.0 }
    };
    // what is not a number is not known at all
    let off = |m: &&Mode| !(part(m) <= PROMISED);
    let many = list.iter().filter(off).count();
    let (worst, mode) = list
        .iter()
        .enumerate()
        .filter(|(_, m)| off(m))
        .max_by(|a, b| part(a.1).total_cmp(&part(b.1)))?;
    Some(note(
        "N_ROUGH_MODES",
        format!(
            "{many} of {} modes are known less well than to {PROMISED:.0e} of their exponent, mode {} only to {:.0e}: rounding of \
             the largest stiffnesses can be as much",
            list.len(),
            worst + 1,
            part(mode)
        ),
        "fine or slender beams and stiff springs beside soft ones do this; fewer elements, or joints in place of the stiffest springs, give more digits",
    ))
}

/// Tangents next to the steady motion with the velocities of the start.
fn steady_state(
    model: &Assembled,
    notes: &mut Vec<Note>,
) -> Result<(Linearised, About, State), AnalysisError> {
    let sys = &model.system;
    let none = |why: &str| {
        AnalysisError::numerical(
            "E_NO_STEADY_MOTION",
            format!("no steady motion was found next to the start{why}"),
            "let the model start with the velocities of one: the same rate about one axis for all that turns together; --at TIME looks at a run instead",
        )
    };
    if touching(sys, &model.state)?.is_some() {
        return Err(none(", where contacts or stops are closed: these are not followed"));
    }
    let failed = |e| linear_error(&**sys, e);
    let Some((s, axes)) = steady_motion(&**sys, &model.state).map_err(failed)? else {
        return Err(none(""));
    };
    let Derived { lambda, .. } = derived(sys, &s)?;
    let a = axes.b.mul(&s.v);
    note_axes(&axes.rate, notes);
    let rate = axes.rate;
    let l = linearise(&**sys, &s, &a, &lambda, axes).map_err(failed)?;
    if l.rank < sys.structure().held() {
        return Err(singular(sys, l.rank));
    }
    Ok((l, About::Steady(rate), s))
}

/// The state of a run at a time.
fn state_at(model: &Assembled, t: f64) -> Result<State, AnalysisError> {
    let (start, end) = (model.state.t, model.system.model().analysis.end);
    if !(t >= start && t <= end) {
        return Err(AnalysisError::input(
            "E_RANGE",
            format!(
                "the time {} s is not between start ({} s) and end ({} s) of the model",
                Plain(t),
                Plain(start),
                Plain(end)
            ),
            "ask for a time of the run, or set another analysis.end",
        ));
    }
    if t == start {
        return Ok(model.state.clone());
    }
    let options = RunOptions::from_model(model.system.model());
    let mut sim = Simulation::new(model, &options)?;
    sim.advance_to(t)?;
    Ok(sim.state_at(t))
}

/// Tangents next to a motion.
pub(super) fn next_to(
    model: &Assembled,
    s: State,
    notes: &mut Vec<Note>,
) -> Result<(Linearised, About, State), AnalysisError> {
    let sys = &model.system;
    let (l, steady) = match touching(sys, &s)? {
        Some((mode, derived)) => of_problem(&mode, &s, derived)?,
        None => {
            let (l, steady) = of_problem(&**sys, &s, derived(sys, &s)?)?;
            if l.rank < sys.structure().held() {
                return Err(singular(sys, l.rank));
            }
            (l, steady)
        }
    };
    let about = match steady {
        Steadiness::Rest(_) => About::Equilibrium,
        Steadiness::Steady(axes) => {
            note_axes(&axes.rate, notes);
            About::Steady(axes.rate)
        }
        Steadiness::Changing(_, i, rate) => {
            notes.push(note(
                "N_NOT_STEADY",
                format!(
                    "at t = {} s the motion is neither at rest nor steady ({}: {rate:.3e} per s²): these are exponents of the tangents at that instant, and say little about times longer than the motion takes to change",
                    s.t,
                    sys.dof_name(i)
                ),
                "--at static finds the equilibrium first",
            ));
            About::Instant
        }
    };
    Ok((l, about, s))
}

/// Accelerations and multipliers at a state.
fn derived(sys: &System, s: &State) -> Result<Derived, AnalysisError> {
    let d = sys.dims();
    let mut out = Derived::zeros(d.nv, d.n_vel, d.nz);
    let mut ws = sys.workspace();
    let failed = |e| linear_error(sys, e);
    let mut acc = Accel::min_norm(sys).map_err(|e| failed(e.into()))?;
    let Derived { a, lambda, zdot } = &mut out;
    acc.eval(sys, &mut ws, s.t, &s.q, &s.v, &s.z, a, lambda, zdot).map_err(|e| failed(e.into()))?;
    Ok(out)
}

/// Tells of axes that turn.
fn note_axes(rate: &[f64; 3], notes: &mut Vec<Note>) {
    if rate.iter().any(|x| *x != 0.0) {
        notes.push(note(
            "N_TURNING_AXES",
            format!(
                "the motion is steady in axes that turn with ({}) rad/s: frequencies are those seen from these axes",
                rate.map(brief).join(", ")
            ),
            "seen from the ground, those of vectors across the axis differ by its rate",
        ));
    }
}

fn of_problem<P: Problem>(
    p: &P,
    s: &State,
    derived: Derived,
) -> Result<(Linearised, Steadiness), AnalysisError> {
    let steady = steadiness(p, s, &derived).map_err(|e| linear_error(p, e.into()))?;
    let l = linearise(p, s, &derived.a, &derived.lambda, steady.axes().clone())
        .map_err(|e| linear_error(p, e))?;
    Ok((l, steady))
}

fn singular(sys: &System, rank: usize) -> AnalysisError {
    AnalysisError::input(
        "E_SINGULAR_POSITION",
        singular_note(sys, rank).message,
        "modes exist beside it: change the position or a length a little",
    )
}
