//! The summary of a run.

use crate::contact::ContactTally;
use crate::energy_audit::EnergyBalance;
use crate::verdict::Verdict;
use delassus_math::remember;
use delassus_model::ContactTolerances;
use serde::Serialize;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Reached the end.
    Done,
    /// Stopped by a numerical failure; results up to there are kept.
    Failed,
    /// Stopped by the user; results up to there are kept.
    Interrupted,
}

/// A function of time that rose and fell again between the ends of a fixed step.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SteppedOver {
    /// Which.
    pub name: String,
    /// End of the step, s.
    pub t: f64,
}
remember!(SteppedOver { name, t });

/// A target that jumped under an actuator with a derivative part, which gives no impulse for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TargetJumped {
    /// The actuator.
    pub force: String,
    /// When, s.
    pub t: f64,
    /// By how much, rad or m.
    pub by: f64,
}
remember!(TargetJumped { force, t, by });

/// Summary of a run. Every count is present even when it is zero.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// How it ended.
    pub status: Status,
    /// Title of the model.
    pub model: String,
    /// Method.
    pub method: String,
    /// How contacts were treated; `null` for models without contacts.
    pub scheme: Option<&'static str>,
    /// Version of the program.
    pub version: &'static str,
    /// Relative tolerance, or `null` for fixed steps.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Fixed step, s.
    pub step: Option<f64>,
    /// The step was not given: a fixed-step method chose it from the tolerance.
    pub step_chosen: bool,
    /// Start time, s.
    pub t_start: f64,
    /// Time reached, s.
    pub t_end: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Of these, by the error test.
    pub rejected_by_error: u64,
    /// Of these, because an iteration did not converge.
    pub rejected_by_convergence: u64,
    /// Jumps over singular positions.
    pub singular_hops: u64,
    /// When the first of them occurred, s.
    pub first_singular_hop: Option<f64>,
    /// Steps that went straight across a position which would be singular but for a small error of the constraints, and
    /// so changed branches: the bend is too narrow to follow.
    pub branch_changes: u64,
    /// When the first of them occurred, s.
    pub first_branch_change: Option<f64>,
    /// By how much the constraints miss the singular position there, as a length, m.
    pub branch_miss: Option<f64>,
    /// Time from which stability instead of accuracy limited the step of an explicit method, s.
    pub stiff_since: Option<f64>,
    /// Sum of the local errors of all steps, relative to the size of the model (or one radian), of methods that estimate
    /// the error of the solution they keep.
    pub local_errors: Option<f64>,
    /// Evaluations of the equations.
    pub evaluations: u64,
    /// Factorisations.
    pub factorizations: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Projections of positions onto the constraints.
    pub projections: u64,
    /// Wall-clock time of the integration, s.
    pub wall_s: f64,
    /// CPU time of the integration, s; wall-clock time on systems that do not count it.
    pub cpu_s: f64,
    /// Largest |g| at accepted steps.
    pub max_position_drift: f64,
    /// Largest |G v + g_t|.
    pub max_velocity_drift: f64,
    /// Largest |g| at samples and inside steps: the residual at steps, the error of the interpolation, and anything
    /// that would have been stepped over.
    pub max_sample_position_drift: f64,
    /// Largest |G v + g_t| there.
    pub max_sample_velocity_drift: f64,
    /// What fixed steps first failed to see; `null` if they saw everything, and for adaptive steps, which do.
    pub stepped_over: Option<SteppedOver>,
    /// The first target that jumped while its rate acts (`kd`); `null` if none did.
    pub target_jumped: Option<TargetJumped>,
    /// Fixed steps in which the motion turned round, many in a row: it is not resolved.
    pub reversed_steps: u64,
    /// Beginning of the first of them, s.
    pub reversed_since: Option<f64>,
    /// Largest |G a + γ|.
    pub max_acceleration_drift: f64,
    /// Largest |kinetic + potential + dissipated − work − start|, J.
    pub energy_error: f64,
    /// The same compared with the energy that moved and with the tolerance.
    pub energy: EnergyBalance,
    /// Events (impacts, releases, …).
    pub events: u64,
    /// What was given up at contacts; `null` for models without contacts.
    pub contact: Option<ContactTally>,
    /// Tolerances of contact; `null` for models without contacts.
    pub contact_tolerances: Option<ContactTolerances>,
    /// Length of the model, m.
    pub length: f64,
    /// Fastest rate of the motion, 1/s.
    pub rate: f64,
    /// Samples written.
    pub samples: u64,
    /// Degrees of freedom of the mechanism.
    pub mobility: usize,
    /// Body that assembly moved farthest, and by how much, m; `null` if all were in place.
    pub assembly_moved: Option<(String, f64)>,
    /// Kinetic energy that joints removed from the velocities given for bodies at the start, J.
    pub start_energy_taken: f64,
    /// Redundant constraint rows.
    pub redundant: usize,
    /// Smallest singular value of the constraints that counts as held, and largest that counts as
    /// redundant.
    pub rank_gap: [f64; 2],
    /// Joints whose reactions are not unique.
    pub non_unique_reactions: Vec<String>,
    /// Code of the error that stopped the run.
    pub error: Option<String>,
    /// Whether to trust all this.
    pub verdict: Verdict,
}

impl Summary {
    /// What a results file says about its origin: nothing that differs between equal runs. `hash` identifies the
    /// content of the model.
    pub fn metadata(&self, hash: &str) -> Vec<(String, String)> {
        let number = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
        let status = match self.status {
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Interrupted => "interrupted",
        };
        [
            ("delassus.version", self.version.to_owned()),
            ("delassus.model", self.model.clone()),
            ("delassus.model_sha256", hash.to_owned()),
            ("delassus.method", self.method.clone()),
            ("delassus.rtol", number(self.rtol)),
            ("delassus.atol", number(self.atol)),
            ("delassus.step", number(self.step)),
            ("delassus.status", status.to_owned()),
            ("delassus.samples", self.samples.to_string()),
        ]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect()
    }
}
