//! What a model needs per step, before the run: operations, memory, the dearest elements, stability, and the worst of a
//! few measured steps.

use super::options::{RealTimeError, RealTimeOptions};
use super::stability::Stability;
use super::status::StepStatus;
use super::stepper::Stepper;
use delassus_dae::Problem;
use delassus_model::{Assembled, System};
use std::collections::BTreeMap;
use std::time::Instant;

/// Evaluations of forces in a step: at its start, with the inputs, and at its end.
const EVALUATIONS: usize = 2;
/// Approximate operations of one evaluation per velocity of a body, and per entry of a row or of a tangent.
const PER_VELOCITY: u64 = 60;
const PER_ENTRY: u64 = 12;
/// Elements that are listed.
const LISTED: usize = 10;
/// Steps of the trial, unless they take longer than its time, s.
const TRIAL_STEPS: u64 = 2000;
const TRIAL_TIME: f64 = 1.0;

/// An element with its share of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct Dear {
    /// Kind and name.
    pub element: String,
    /// Operations per step.
    pub operations: u64,
}

/// Measured steps, on the machine where it was asked: told, not promised.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Steps made.
    pub steps: u64,
    /// Half of them took less, µs.
    pub median_us: f64,
    /// All but one in a hundred took less, µs.
    pub p99_us: f64,
    /// The longest, µs.
    pub worst_us: f64,
    /// Largest |g| at the end of a step.
    pub drift: f64,
    /// Everything that was flagged.
    pub status: StepStatus,
    /// Why it stopped.
    pub failure: Option<String>,
}

/// What a model needs per step.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Length of a step, s.
    pub step: f64,
    /// Velocities, rows of joints.
    pub velocities: usize,
    /// See `velocities`.
    pub rows: usize,
    /// Points of contact that there are, and that may act at a time.
    pub points: usize,
    /// See `points`.
    pub capacity: usize,
    /// Counted operations of a step: linear algebra and contacts exactly, evaluation of the model approximately.
    pub operations: u64,
    /// The same by part.
    pub parts: Vec<(&'static str, u64)>,
    /// The dearest elements.
    pub dearest: Vec<Dear>,
    /// Memory that steps use, bytes, approximately.
    pub bytes: u64,
    /// Stability.
    pub stability: Stability,
    /// A trial; `None` if the step is refused.
    pub trial: Option<Trial>,
}

/// Looks at a model before it runs in real time.
pub fn forecast(model: &Assembled, options: &RealTimeOptions) -> Result<Forecast, RealTimeError> {
    let stability = Stability::of(model, options, true);
    let mut stepper = Stepper::prepare_unjudged(model, options)?;
    let sys = &*model.system;
    let d = sys.dims();
    let structure = sys.structure();
    let (capacity, rows_of_point) = stepper.contact_size();
    let Some(work) = stepper.fixed_work() else {
        return Err(RealTimeError::Start("no fixed matrix".to_owned()));
    };
    let entries = work.entries as u64;
    let contact_rows = (capacity * rows_of_point) as u64;
    let factor = 2 * work.of_velocities.iter().chain(&work.of_rows).sum::<u64>();
    let one = 2 * entries * (1 + work.refinements as u64);
    let solutions = one * work.solutions as u64;
    let sweeps = u64::from(options.sweeps) * contact_rows * (2 * contact_rows + capacity as u64);
    let width = 12;
    let contacts = contact_rows * (one + 2 * width * contact_rows + 2 * d.nv as u64) + sweeps;
    let expressions = sys.expression_work();
    let of_expressions: u64 = expressions.iter().map(|(_, n)| (EVALUATIONS * n) as u64).sum();
    let evaluation = PER_VELOCITY * d.nv as u64
        + PER_ENTRY * (2 * structure.jac.nnz() + 2 * structure.tangent.nnz()) as u64;
    let parts = vec![
        ("bodies and joints", evaluation),
        ("expressions", of_expressions),
        ("factorisation", factor),
        ("solutions", solutions),
        ("contacts", contacts),
    ];
    let bytes = stepper.save().len() as u64
        + 40 * entries
        + 8 * (4 * structure.tangent.nnz() + 4 * structure.jac.nnz()) as u64
        + 8 * contact_rows * (d.nv as u64 + d.n_vel as u64 + contact_rows)
        + 1500 * (d.nv + d.n_vel) as u64;
    let dearest = dearest(sys, &work, &expressions);
    let trial = (!stability.refuses(options.step)).then(|| trial(&mut stepper));
    Ok(Forecast {
        step: options.step,
        velocities: d.nv,
        rows: d.n_vel,
        points: stepper.contact_points(),
        capacity,
        operations: parts.iter().map(|(_, n)| n).sum(),
        parts,
        dearest,
        bytes,
        stability,
        trial,
    })
}

/// Work of the elements: bodies and joints by their part in the factorisation, forces and sensors by their expressions.
fn dearest(
    sys: &System,
    work: &delassus_dae::integrator::FixedWork,
    expressions: &[(String, usize)],
) -> Vec<Dear> {
    let mut of: BTreeMap<String, u64> = BTreeMap::new();
    for (dof, n) in work.of_velocities.iter().enumerate() {
        if let Some((body, _)) = sys.dof_owner(dof) {
            *of.entry(format!("body \"{}\"", sys.model().bodies[body].name)).or_default() += 2 * n;
        }
    }
    for (row, n) in work.of_rows.iter().enumerate() {
        let name = sys.row_name(row);
        // the joint without the direction of the row
        let joint = name.rsplit_once(" (").map_or(name.as_str(), |(joint, _)| joint);
        *of.entry(joint.to_owned()).or_default() += 2 * n;
    }
    for (element, n) in expressions {
        *of.entry(element.clone()).or_default() += (EVALUATIONS * n) as u64;
    }
    let mut all: Vec<Dear> =
        of.into_iter().map(|(element, operations)| Dear { element, operations }).collect();
    all.sort_by(|a, b| b.operations.cmp(&a.operations).then(a.element.cmp(&b.element)));
    all.truncate(LISTED);
    all
}

/// Steps with the inputs of the start, each measured.
fn trial(stepper: &mut Stepper) -> Trial {
    let inputs: Vec<f64> = stepper.inputs().iter().map(|i| i.default).collect();
    let mut times = Vec::with_capacity(TRIAL_STEPS as usize);
    let mut status = StepStatus::GOOD;
    let begun = Instant::now();
    for _ in 0..TRIAL_STEPS {
        let start = Instant::now();
        let here = stepper.step(&inputs);
        times.push(1e6 * start.elapsed().as_secs_f64());
        status |= here;
        if here.stopped() || begun.elapsed().as_secs_f64() > TRIAL_TIME {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    let part = |p: f64| {
        let k = (p * times.len() as f64).ceil() as usize;
        times.get(k.saturating_sub(1)).copied().unwrap_or(0.0)
    };
    Trial {
        steps: times.len() as u64,
        median_us: part(0.5),
        p99_us: part(0.99),
        worst_us: part(1.0),
        drift: stepper.most_position_drift(),
        status,
        failure: stepper.failure(),
    }
}
