//! Assembly analysis: from the user's rough positions and any subset of velocities to a consistent start, with
//! mobility, redundancy and, if there is none, a diagnosis by name.

mod doubt;
mod massless;
mod overlap;
mod play;
mod position;
mod rank;
mod reach;
mod repetition;
mod unsolved;
mod velocity;

pub use rank::Redundancy;

use crate::{Diagnostic, System};
use delassus_dae::{Accel, Derived, Problem, State, StepFailure, has_room};
use delassus_linalg::schur_entries;
use std::sync::Arc;
use unsolved::unmoved;

/// A system with a consistent start.
#[derive(Debug, Clone)]
pub struct Assembled {
    /// The equations, which runs share; they now know whether constraints are redundant.
    pub system: Arc<System>,
    /// Consistent start.
    pub state: State,
    /// Accelerations and multipliers there.
    pub derived: Derived,
    /// What was found.
    pub report: AssemblyReport,
}

/// What assembly found.
#[derive(Debug, Clone, Default)]
pub struct AssemblyReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Largest remaining scaled position residual.
    pub residual: f64,
    /// How far each body was moved, m, if it is more than round-off.
    pub moved: Vec<(String, f64)>,
    /// Kinetic energy of the velocities given for bodies, and of what the joints left of it, J; the same if they are
    /// consistent.
    pub start_energy: [f64; 2],
    /// Velocities.
    pub nv: usize,
    /// Constraint rows (velocity level).
    pub rows: usize,
    /// Rank of the constraints.
    pub rank: usize,
    /// Degrees of freedom: nv − rank.
    pub mobility: usize,
    /// The start is a singular position: the rank is higher next to it.
    pub singular_start: bool,
    /// Shortest combination of unit rows, with coefficients of unit norm, that counts as held,
    /// and longest that counts as a dependency: the singular values on both sides of the cut.
    pub rank_gap: [f64; 2],
    /// Rows that depend on others.
    pub redundancy: Vec<Redundancy>,
    /// Joints whose reactions are not unique.
    pub non_unique: Vec<String>,
    /// Things the user should know.
    pub notes: Vec<Diagnostic>,
}

impl AssemblyReport {
    /// The body that was moved farthest, and by how much, m.
    pub fn farthest_moved(&self) -> Option<&(String, f64)> {
        self.moved.iter().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Approximate memory per velocity, per row of a joint and per pair of rows that meet in a body during the search for a
/// start, bytes.
const BYTES: [f64; 3] = [400.0, 1800.0, 100.0];

/// Finds a consistent start for a system.
pub fn assemble(mut system: System) -> Result<Assembled, Vec<Diagnostic>> {
    let t = system.model().analysis.start;
    let d = system.dims();
    let s = system.structure();
    let pairs = schur_entries(&s.mass, &s.jac) as f64;
    let bytes = BYTES[0] * d.nv as f64 + BYTES[1] * d.n_vel as f64 + BYTES[2] * pairs;
    if !has_room(bytes) {
        let message = format!(
            "assembly of {} bodies and {} joints needs about {:.0} MiB of memory, which are not there",
            system.model().bodies.len(),
            system.model().joints.len(),
            bytes / f64::from(1 << 20)
        );
        let fault = Diagnostic::error("E_LIMIT", "", message);
        return Err(vec![fault.help("make the model smaller, or allow more memory (ulimit -v)")]);
    }
    repetition::check(&system)?;
    let mut report = AssemblyReport::default();
    let q = position::solve(&system, t, &mut report)?;
    let z = system.initial_z(t, &q);
    let found = rank::analyse(&system, t, &q, &z, &mut report)?;
    let (q, z) = match found.moved {
        Some(q) => {
            let z = system.initial_z(t, &q);
            (q, z)
        }
        None => (q, z),
    };
    note_strained_beams(&system, t, &q, &z, &mut report);
    massless::check(&system, t, &q, &z)?;
    overlap::check(&system, t, &q, &z)?;
    system.set_rank(found.independent, found.rank);
    let v = velocity::solve(&system, t, &q, &z, &mut report)?;
    let d = system.dims();
    let mut derived = Derived::zeros(d.nv, d.n_vel, d.nz);
    let state = State { t, q, v, z };
    let mut ws = system.workspace();
    let solved = Accel::min_norm(&system).map_err(StepFailure::from).and_then(|mut acc| {
        let (a, l, zd) = (&mut derived.a, &mut derived.lambda, &mut derived.zdot);
        acc.eval(&system, &mut ws, t, &state.q, &state.v, &state.z, a, l, zd)
    });
    if let Err(e) = solved {
        return Err(start_failure(&system, &mut ws, &state, &e));
    }
    play::note_speeds(&system, &state, &mut report);
    Ok(Assembled { system: Arc::new(system), state, derived, report })
}

/// What to do if a system needs more memory than there is.
const NO_ROOM: &str =
    "make the model smaller, leave out joints that repeat others, or allow more memory (ulimit -v)";

/// Strain of a beam at the start that is no round-off: stretch, shear, or rad from one node to the next.
const STRAINED: f64 = 1e-6;

/// The same of an element that is a force, whose ends the user puts where they are: more than any preload.
const OVERSTRAINED: f64 = 0.1;

/// Beams are given as they are unloaded: what strains them at the start are joints that moved some of their nodes. An element
/// that is a force may be preloaded, but not so that its length or an axis must be wrong.
fn note_strained_beams(system: &System, t: f64, q: &[f64], z: &[f64], report: &mut AssemblyReport) {
    if !system.has_beam_elements() {
        return;
    }
    let mut ws = system.workspace();
    system.realize_position(t, q, z, &mut ws);
    for (beam, strain) in system.beam_strains(&ws).filter(|b| b.1 > STRAINED) {
        report.notes.push(
            Diagnostic::note(
                "N_BEAM_STRAINED",
                format!("body.{beam}"),
                format!(
                    "the joints strain the beam at the start: by {strain:.3e} (stretch, shear, or rad from one node to the next)"
                ),
            )
            .help("put the beam where the joints want it, or let it start so if that is meant"),
        );
    }
    for (element, strain) in system.lone_strains(&ws).filter(|e| e.1 > OVERSTRAINED) {
        report.notes.push(
            Diagnostic::note(
                "N_BEAM_STRAINED",
                format!("force.{element}"),
                format!(
                    "its ends strain the element at the start: by {strain:.3e} (stretch, shear, or rad from end to end)"
                ),
            )
            .help("unloaded, its second end is `length` along the x axis of the first, with the same axes"),
        );
    }
}

/// Accelerations at the start cannot be computed: names the force responsible.
fn start_failure(
    system: &System,
    ws: &mut crate::Workspace,
    s: &State,
    e: &StepFailure,
) -> Vec<Diagnostic> {
    system.realize_position(s.t, &s.q, &s.z, ws);
    system.realize_velocity(&s.v, &s.z, ws);
    if let Some((element, turn)) = system.sharpest_bend(ws).filter(|b| b.1 > System::MOST_BEND) {
        let fault = Diagnostic::error(
            "E_BEAM_TURN",
            system.path_of_element(element),
            format!(
                "the element `{element}` is turned by {turn:.2} rad from one end to the other at the start; no more than {:.1} rad can be told from a turn the other way",
                System::MOST_BEND
            ),
        )
        .help("give the beam more elements, or a start that is nearer to its unloaded shape");
        return vec![fault];
    }
    if let Some(name) = system.blame_force(ws) {
        let fault = Diagnostic::error(
            "E_NONFINITE",
            format!("force.{name}"),
            format!("the force is not finite at t = {} s", s.t),
        )
        .help("check divisions and roots in its expression at the start of the run");
        return vec![fault];
    }
    unmoved(system, "E_START", e)
}
