//! The interface of every method, and the list of methods.
//!
//! A method is four things: its data (tableau, α, β, γ), its memory (buffers, history), one attempt at a step, and a
//! name with order and capabilities. Step-size control, events, output and the loop live elsewhere. To add one: write a
//! file here, add it to [`SmoothId`] (the compiler points to the places), and give it a line in a
//! `tests/methods/contract_*.rs`.

mod al;
mod bdf;
mod combine;
mod eliminated;
mod explicit;
mod first_guess;
mod gen_alpha;
mod ggl;
mod half_explicit;
mod id;
mod info;
mod lin_euler;
mod mns;
mod newton;
mod options;
mod radau5;
mod rounding;
mod stepping_methods;
mod watched;

pub use al::{Al, Ali3p};
pub use bdf::Bdf;
pub use explicit::{Direct, Explicit};
pub use gen_alpha::GenAlpha;
pub use half_explicit::{Hem5, Phem56};
pub use id::{MethodId, SmoothId};
pub use info::{Abilities, MethodInfo};
pub use lin_euler::{Between, FixedWork, FreeStep, LinEuler, Nothing};
pub use options::{OptionError, OptionInfo, OptionKind, OptionValue, Options};
pub use radau5::Radau5;
pub use stepping_methods::SteppingId;

use crate::control::{ErrorScale, ErrorView, Tolerances};
use crate::failure::{StepFailure, Work};
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_linalg::KktError;
use delassus_math::memory::Remember;

/// Settings of a method, given when it is created.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Requested accuracy.
    pub tol: Tolerances,
    /// Largest constraint residual, relative to the scale of a row, that a projection may leave.
    pub constraint_tol: f64,
    /// Options of the method.
    pub options: Options,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            tol: Tolerances { rtol: 1e-6, atol: 0.0 },
            constraint_tol: 1e-8,
            options: Options::default(),
        }
    }
}

/// One-step method on a problem. The problem is passed at each call and never borrowed for the lifetime of the method,
/// so a driver may change it between steps and call [`Integrator::restart`].
///
/// What it remembers ([`Remember`]) is everything that the next step reads from earlier ones: a method created for the
/// same problem, restarted anywhere and given this, continues with the same bits.
pub trait Integrator<P: Problem>: Send + Remember {
    /// Name, order, abilities.
    fn info(&self) -> MethodInfo;
    /// Starts, or restarts after a jump, at a consistent state.
    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure>;
    /// One attempt from `from` (the last committed state) over h. An attempt that is dropped
    /// must not change what the next one computes: bit for bit for explicit methods, to the
    /// tolerance of the iteration for implicit ones, whose matrix may have been renewed.
    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure>;
    /// The last attempt was accepted.
    fn commit(&mut self);
    /// Local error of the last attempt.
    fn error(&self) -> ErrorView<'_>;
    /// Accelerations and multipliers at the committed state.
    fn start(&self) -> &Derived;
    /// Accelerations and multipliers at the end of the last attempt, until it is committed.
    fn end(&self) -> &Derived;
    /// Smallest relative pivot of G M⁻¹ Gᵀ met in the last attempt: how close a singular position of the constraints
    /// is. 1 if nothing was factored, which happens only in attempts that follow on a pivot that was not low.
    fn weakest_pivot(&self) -> f64;
    /// Whether that is the pivot of G M⁻¹ Gᵀ, or that of a larger matrix, which falls more slowly.
    fn pivot_is_of_rows(&self) -> bool {
        true
    }
    /// Work done since it was created.
    fn work(&self) -> Work;
    /// The local error of the last attempt behaves like h to this power; methods of varying order update it at each
    /// step.
    fn error_order(&self) -> u32 {
        self.info().error_order
    }
    /// Called when the last attempt has passed the error test, before [`Integrator::commit`]: a method of varying order
    /// chooses the order of the next step here and returns the factor by which the step may change. `None` leaves the
    /// choice to the controller.
    fn choose_order(&mut self, _scale: &ErrorScale) -> Option<f64> {
        None
    }
    /// Whether an attempt leaves the workspace realised at exactly the state that it ended with.
    fn leaves_realized(&self) -> bool {
        false
    }
    /// How far the last attempt of an explicit method was beyond the border of its stability region, as a ratio: about
    /// 1 or more means that stability, not accuracy, limits the step. `None`: not known.
    fn stiffness(&self) -> Option<f64> {
        None
    }
}

/// Where [`Integrator::stiffness`] counts as a sign: step control makes a step that stability limits hover around the
/// border, and because of its safety factor mostly a little below.
pub const AT_BORDER: f64 = 0.85;

/// All methods for smooth motion.
pub const METHODS: &[MethodInfo] = &smooth();

/// All time-stepping methods; the first is the default.
pub const STEPPING: &[MethodInfo] = &time_stepping();

const fn smooth() -> [MethodInfo; SmoothId::ALL.len()] {
    let mut out = [MethodInfo::BASE; SmoothId::ALL.len()];
    let mut i = 0;
    while i < out.len() {
        out[i] = SmoothId::ALL[i].info();
        i += 1;
    }
    out
}

const fn time_stepping() -> [MethodInfo; SteppingId::ALL.len()] {
    let mut out = [MethodInfo::BASE; SteppingId::ALL.len()];
    let mut i = 0;
    while i < out.len() {
        out[i] = SteppingId::ALL[i].info();
        i += 1;
    }
    out
}

/// Description of a method for smooth motion by name or alias.
pub fn info(name: &str) -> Option<MethodInfo> {
    SmoothId::named(name).map(SmoothId::info)
}

/// Description of any method by name.
pub fn described(name: &str) -> Option<MethodInfo> {
    MethodId::named(name).map(MethodId::info)
}

/// Description of a time-stepping method by name.
pub fn stepping(name: &str) -> Option<MethodInfo> {
    SteppingId::named(name).map(SteppingId::info)
}

/// All methods, time-stepping methods last.
pub fn catalogue() -> impl Iterator<Item = &'static MethodInfo> + Clone {
    METHODS.iter().chain(STEPPING)
}

/// Creates a method for smooth motion by name, see [`SmoothId::make`]; `None` for an unknown name.
pub fn make<P: Problem + 'static>(
    name: &str,
    p: &P,
    settings: &Settings,
) -> Option<Result<Box<dyn Integrator<P>>, KktError>> {
    Some(SmoothId::named(name)?.make(p, settings))
}
