//! Why a run cannot continue, with names and advice.

use super::Driver;
use crate::error::{SimError, SimErrorKind};
use crate::sample_times::resolution;
use delassus_dae::integrator::METHODS;
use delassus_dae::{Problem, StepFailure};

/// Distance, in sizes of the model, beyond which a motion counts as unbounded, over the time it had so far.
const UNBOUNDED: f64 = 1e12;

impl<P: Problem> Driver<P> {
    /// A fixed step that an explicit method cannot take, and the longest that it can.
    pub(super) fn unstable(&mut self, p: &P, h: f64) -> SimError {
        // a motion that runs away even with shorter steps is not a matter of stability
        let found = self.longest_stable_step(p, h).filter(|stable| self.stays(p, *stable, h));
        let Some(stable) = found else {
            return self.stop(p, SimErrorKind::StepTooSmall, h);
        };
        SimError {
            kind: SimErrorKind::StepUnstable,
            t: self.state.t,
            h,
            detail: format!(
                "errors grow from step to step: the step is {h:.3e} s, and {} is stable up to about {stable:.1e} s here",
                self.method.info().name,
            ),
            blame: Vec::new(),
            help: format!(
                "take a step below that, leave the step out to let it adapt, or use a method for stiff systems ({})",
                stiff_methods()
            ),
        }
    }

    /// The error that ends the run, with names.
    pub(super) fn stop(&self, p: &P, kind: SimErrorKind, h: f64) -> SimError {
        let r = self.rejections;
        let mut e = match (&kind, &self.last_failure) {
            (SimErrorKind::WorkLimit, _) => SimError {
                kind,
                t: self.state.t,
                h,
                detail: format!("{} steps were made, as many as allowed", self.steps),
                blame: Vec::new(),
                help: match self.stiff_since() {
                    Some(t) => format!(
                        "the system is stiff for an explicit method (seen first at {t:.3e} s): use {}",
                        stiff_methods()
                    ),
                    None if self.method.info().order[0] <= 2 => {
                        "raise max_steps, loosen the tolerance, or use a method of higher order \
                         (mdop5; radau5 for stiff systems)"
                            .to_owned()
                    }
                    None => format!(
                        "raise max_steps, loosen the tolerance, or use a method for stiff systems ({})",
                        stiff_methods()
                    ),
                },
            },
            (_, Some(failure)) => {
                let mut e = SimError::from_failure(p, failure, self.state.t, h);
                if self.opts.step.is_none() && matches!(failure, StepFailure::NewtonDiverged { .. })
                {
                    e.help = "no step is short enough for the iteration: look at what acts on the \
                              named body, or use an explicit method (mdop5)"
                        .to_owned();
                }
                e
            }
            (_, None) => self.collapse(p, h),
        };
        e.detail.push_str(&format!(
            "; rejected attempts: {} by the error test, {} by convergence, {} not finite",
            r.error, r.convergence, r.non_finite
        ));
        e
    }

    /// The step went to zero by the error test alone: a jump, which is identified elsewhere by those who know the
    /// elements, a tolerance below round-off, or unbounded motion.
    fn collapse(&self, p: &P, h: f64) -> SimError {
        let t = self.state.t;
        let scale = p.scales().q;
        let mut fastest: Vec<usize> = (0..scale.len()).collect();
        let rate = |i: &usize| self.state.v[*i].abs() / scale[*i];
        fastest.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
        let span = t - self.t0;
        if fastest.first().is_some_and(|i| rate(i) * span > UNBOUNDED) {
            let blame: Vec<String> = fastest.iter().take(1).map(|i| p.dof_name(*i)).collect();
            return SimError {
                kind: SimErrorKind::Diverged,
                t,
                h,
                detail: format!(
                    "the motion grows without bound, first for {} (last value {:.3e}, rate {:.3e})",
                    blame[0],
                    self.state.q.get(fastest[0]).copied().unwrap_or(f64::NAN),
                    self.state.v[fastest[0]]
                ),
                blame,
                help: "look at the forces on the named body just before this time".to_owned(),
            };
        }
        if self.worst.is_empty() {
            return self.too_coarse(h, fastest.first().map(|i| p.dof_name(*i)));
        }
        let blame: Vec<String> = self.worst.iter().map(|i| p.dof_name(*i)).collect();
        SimError {
            kind: SimErrorKind::StepTooSmall,
            t,
            h,
            detail: format!(
                "the error test fails however small the step is; worst: {}",
                blame.join(", ")
            ),
            blame,
            help: format!(
                "loosen the tolerance ({:.0e}), or use a method for stiff systems ({})",
                self.opts.tol.rtol,
                stiff_methods()
            ),
        }
    }
}

impl<P: Problem> Driver<P> {
    /// No step was tried: the step that the motion requires does not advance the clock.
    fn too_coarse(&self, h: f64, fastest: Option<String>) -> SimError {
        let t = self.state.t;
        let of = fastest.as_ref().map_or_else(String::new, |name| format!(" of {name}"));
        SimError {
            kind: SimErrorKind::StepTooSmall,
            t,
            h,
            detail: format!(
                "the motion{of} asks for steps of {h:.1e} s, but times near {t:e} s are told apart to {:.1e} s only",
                resolution(t)
            ),
            blame: fastest.into_iter().collect(),
            help: "let the run start nearer to 0: formulas may read t plus a constant".to_owned(),
        }
    }
}

/// Names of the adaptive methods for stiff systems.
fn stiff_methods() -> String {
    let names: Vec<&str> =
        METHODS.iter().filter(|m| m.stiff && m.adaptive).map(|m| m.name).collect();
    names.join(", ")
}
