//! Which runs are made: one method of each family, so that they share only the model.

use crate::options::{RunOptions, able_methods};
use delassus_dae::integrator::{MethodId, MethodInfo, info};
use delassus_dae::{RestitutionLaw, Unilateral};
use delassus_model::spec::SchemeType;
use delassus_model::{Assembled, DEFAULT_METHOD};
use serde::Serialize;

/// A way to solve the equations that has little in common with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Accelerations from index 1, states projected onto the constraints.
    Explicit,
    /// Stages that satisfy the constraints of index 2.
    HalfExplicit,
    /// Implicit, on the stabilised index-2 or index-3 form.
    Implicit,
    /// Implicit, from several steps before.
    Multistep,
    /// Steps across impacts.
    TimeStepping,
}

impl Family {
    /// The family of a method for smooth motion.
    fn of(m: &MethodInfo) -> Family {
        match (m.stiff, m.index) {
            (true, _) if m.varies_order => Family::Multistep,
            (true, _) => Family::Implicit,
            (false, 2) => Family::HalfExplicit,
            (false, _) => Family::Explicit,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Family::Explicit => "explicit",
            Family::HalfExplicit => "half-explicit",
            Family::Implicit => "implicit",
            Family::Multistep => "multistep",
            Family::TimeStepping => "time-stepping",
        }
    }
}

/// One method of each kind that can run the model, explicit, half-explicit and implicit: the requested one, the default
/// one, or the one of highest order.
pub(super) fn smooth(model: &Assembled, asked: &RunOptions) -> Vec<(Family, MethodInfo)> {
    const IMPLICIT: &[Family] = &[Family::Implicit, Family::Multistep];
    let kinds = [&[Family::Explicit], &[Family::HalfExplicit], IMPLICIT];
    kinds.into_iter().filter_map(|kind| best(model, asked, kind)).collect()
}

/// An implicit method that has nothing but the equations in common with those that are taken.
pub(super) fn other_implicit(
    model: &Assembled,
    asked: &RunOptions,
    taken: &[(Family, MethodInfo)],
) -> Option<(Family, MethodInfo)> {
    let free = |f: &Family| taken.iter().all(|(t, _)| t != f);
    let family = [Family::Multistep, Family::Implicit].into_iter().find(free)?;
    best(model, asked, &[family])
}

fn best(model: &Assembled, asked: &RunOptions, of: &[Family]) -> Option<(Family, MethodInfo)> {
    let order = |m: &MethodInfo| m.order[0].min(m.order[1]).min(m.dense_order);
    let rank = |m: &MethodInfo| (m.is_called(&asked.method), m.name == DEFAULT_METHOD, order(m));
    let able = able_methods(&model.system).into_iter();
    let able = able.filter(|m| m.adaptive && of.contains(&Family::of(m)));
    // of equal rank the last one in the catalogue: there methods of one order follow those that vary it or need
    // more stages
    able.reduce(|best, m| if rank(&m) >= rank(&best) { m } else { best })
        .map(|m| (Family::of(&m), m))
}

/// Settings of a run of one method at a tolerance.
pub(super) fn options(asked: &RunOptions, m: &MethodInfo, rtol: f64) -> RunOptions {
    let own = m.is_called(&asked.method);
    let scheme = asked.scheme.with_method(MethodId::named(m.name));
    RunOptions {
        method: m.name.to_owned(),
        rtol: Some(rtol),
        step: None,
        options: if own { asked.options.clone() } else { Default::default() },
        scheme,
        ..asked.clone()
    }
}

/// Settings of a run by time-stepping; with `None` the program chooses the step.
pub(super) fn stepping(asked: &RunOptions, step: Option<f64>) -> RunOptions {
    RunOptions {
        method: DEFAULT_METHOD.to_owned(),
        rtol: None,
        atol: None,
        step,
        options: Default::default(),
        scheme: SchemeType::TimeStepping,
        ..asked.clone()
    }
}

/// Why time-stepping cannot confirm a model: it has another law of impact.
pub(super) fn other_law(model: &Assembled) -> Option<String> {
    let system = &model.system;
    if system.sequential_impacts() {
        return Some("impacts are taken one by one, which time-stepping does not do".to_owned());
    }
    let other =
        system.model().contacts.iter().find(|c| {
            c.restitution().is_some_and(|r| r.e > 0.0 && r.law != RestitutionLaw::Newton)
        })?;
    Some(format!(
        "the contact \"{}\" has a law of restitution that time-stepping does not have",
        other.name
    ))
}

/// The requested tolerance, or that of the method.
pub(super) fn base_rtol(asked: &RunOptions) -> f64 {
    let default = info(&asked.method).map_or(1e-8, |m| m.default_rtol);
    asked.rtol.unwrap_or(default)
}
