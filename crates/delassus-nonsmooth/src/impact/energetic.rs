//! One point, Stronge's law: the work of the normal impulse in restitution is −e² that in
//! compression.
//!
//! The impulse P_N grows from zero and plays the part of time: du/dP_N = W (1, −μ d) with d the
//! direction of sliding, or with the friction that keeps a point at rest from sliding while
//! μ is large enough. In the plane u is piecewise linear and the phases are exact; in space d turns
//! (it swerves) and the impulse is divided into small parts.

use delassus_dae::{Law, RestitutionLaw};

/// Parts into which the impulse of one phase is divided in space.
const PARTS: f64 = 400.0;
/// Phases of slip and stick in one impact beyond which something is wrong.
const MAX_PHASES: usize = 8000;
/// Change of the normal speed per impulse, as part of that without friction, that is none: a motion that
/// friction locks has it up to rounding.
const LOCKED: f64 = 1e-11;

/// The three rows of a point: W (3×3, unused rows zero) and u.
pub(super) struct Single {
    pub w: [[f64; 3]; 3],
    pub u: [f64; 3],
    pub law: Law,
    /// Factor on the coefficient of restitution.
    pub factor: f64,
    /// Normal impulse that has no more to do with the approach.
    pub most: f64,
}

impl Single {
    /// Impulses of the whole impact; `None` where friction locks the motion before it is over.
    pub fn impulse(&self) -> Option<[f64; 3]> {
        let (mu, e, law, nt) = match self.law {
            Law::Contact { mu, restitution, tangential, .. } => {
                (mu, restitution.e * self.factor, restitution.law, tangential)
            }
            Law::OneWay => (0.0, 0.0, RestitutionLaw::Newton, 0),
            Law::DryFriction { .. } => return Some([0.0; 3]),
        };
        let mut u = self.u;
        let mut p = [0.0; 3];
        if u[0] >= 0.0 {
            return Some(p);
        }
        let approach = -u[0];
        let (mut compression_work, mut compression_impulse) = (0.0, 0.0);
        let mut restitution_work = 0.0;
        let mut restoring = false;
        // a typical impulse: what stops the normal motion without friction
        let typical = approach / self.w[0][0].max(f64::MIN_POSITIVE);
        for _ in 0..MAX_PHASES {
            let force = self.tangential(&u, mu, nt);
            let rate = |i: usize| self.w[i][0] + self.w[i][1] * force[0] + self.w[i][2] * force[1];
            let du = [rate(0), rate(1), rate(2)];
            let opens = du[0] > LOCKED * self.w[0][0];
            // how far this phase goes: u_N = 0, the end of restitution, sliding stops, or a part
            let mut step = if nt == 2 { typical.max(p[0]) / PARTS } else { f64::INFINITY };
            let mut ends = false;
            if !restoring {
                if opens {
                    step = step.min(-u[0] / du[0]);
                }
            } else {
                let left = match law {
                    RestitutionLaw::Newton if opens => (e * approach - u[0]) / du[0],
                    RestitutionLaw::Newton => f64::INFINITY,
                    RestitutionLaw::Poisson => {
                        e * compression_impulse - (p[0] - compression_impulse)
                    }
                    // ∫ (u + du x) dx = e² W_C
                    RestitutionLaw::Energetic => {
                        let w = e * e * compression_work - restitution_work;
                        let disc = u[0] * u[0] + 2.0 * du[0] * w;
                        // a speed that falls to zero before the work is done never does it
                        if opens || disc > 0.0 {
                            2.0 * w / (u[0] + disc.max(0.0).sqrt())
                        } else {
                            f64::INFINITY
                        }
                    }
                };
                if !(left > 0.0) {
                    return Some(p);
                }
                if left <= step {
                    step = left;
                    ends = true;
                }
            }
            let mut stops = false;
            if nt == 1 && u[1] != 0.0 && du[1] * u[1] < 0.0 && -u[1] / du[1] < step {
                step = -u[1] / du[1];
                stops = true;
                ends = false;
            }
            if !(p[0] + step <= self.most) {
                return None;
            }
            let work = step * (u[0] + 0.5 * du[0] * step);
            let crosses = !restoring && u[0] + du[0] * step >= -1e-14 * approach;
            p[0] += step;
            p[1] += step * force[0];
            p[2] += step * force[1];
            for i in 0..3 {
                u[i] += du[i] * step;
            }
            if stops {
                u[1] = 0.0;
            }
            if restoring {
                restitution_work += work;
            } else {
                compression_work -= work;
                if crosses {
                    u[0] = 0.0;
                    restoring = true;
                    compression_impulse = p[0];
                    if e == 0.0 {
                        return Some(p);
                    }
                }
            }
            if ends {
                return Some(p);
            }
        }
        None
    }

    /// Friction per unit of normal impulse.
    fn tangential(&self, u: &[f64; 3], mu: f64, nt: usize) -> [f64; 2] {
        if nt == 0 || mu == 0.0 {
            return [0.0; 2];
        }
        let w = &self.w;
        let speed = u[1].hypot(u[2]);
        let rest = if nt == 1 { speed == 0.0 } else { speed <= 1e-9 * self.u[0].abs() };
        if !rest {
            return [-mu * u[1] / speed, -mu * u[2] / speed];
        }
        // friction that keeps it at rest: W_TT x = −W_TN
        let x = if nt == 1 {
            [-w[1][0] / w[1][1].max(f64::MIN_POSITIVE), 0.0]
        } else {
            let det = w[1][1] * w[2][2] - w[1][2] * w[2][1];
            if det <= 0.0 {
                [0.0; 2]
            } else {
                [
                    (-w[1][0] * w[2][2] + w[2][0] * w[1][2]) / det,
                    (-w[2][0] * w[1][1] + w[1][0] * w[2][1]) / det,
                ]
            }
        };
        let size = x[0].hypot(x[1]);
        if size <= mu { x } else { [x[0] * mu / size, x[1] * mu / size] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_dae::Restitution;

    fn law(mu: f64, e: f64, law: RestitutionLaw) -> Law {
        Law::Contact { mu, mu_static: mu, restitution: Restitution { e, law }, tangential: 1 }
    }

    /// A point mass bounces with e whatever the law, and friction takes μ P_N.
    #[test]
    fn all_laws_agree_on_a_point_mass() {
        for kind in [RestitutionLaw::Newton, RestitutionLaw::Poisson, RestitutionLaw::Energetic] {
            let s = Single {
                w: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]],
                u: [-2.0, 5.0, 0.0],
                law: law(0.1, 0.5, kind),
                factor: 1.0,
                most: f64::MAX,
            };
            let p = s.impulse().unwrap();
            assert!((p[0] - 3.0).abs() < 1e-12, "{kind:?} {p:?}");
            assert!((p[1] + 0.3).abs() < 1e-12, "{kind:?} {p:?}");
        }
    }

    /// A rod that hits the ground obliquely with strong friction: Newton's law gains energy for
    /// some W, the energetic one never does.
    #[test]
    fn the_energetic_law_never_gains() {
        let mut gained_by_newton = false;
        for i in 0..40 {
            for j in 0..20 {
                let (c, slip) = (0.9 * (i as f64 / 20.0 - 1.0), 0.2 * (j as f64 - 10.0));
                let w = [[1.0, c * 1.2, 0.0], [c * 1.2, 1.6, 0.0], [0.0; 3]];
                for kind in [RestitutionLaw::Newton, RestitutionLaw::Energetic] {
                    let law = law(0.5, 0.8, kind);
                    let most = f64::MAX;
                    let s = Single { w, u: [-1.0, slip, 0.0], law, factor: 1.0, most };
                    let p = s.impulse().unwrap();
                    let after: Vec<f64> =
                        (0..2).map(|k| s.u[k] + w[k][0] * p[0] + w[k][1] * p[1]).collect();
                    let energy: f64 = (0..2).map(|k| 0.5 * p[k] * (s.u[k] + after[k])).sum();
                    if kind == RestitutionLaw::Energetic {
                        assert!(energy < 1e-12, "{c} {slip}: {energy}");
                    } else {
                        gained_by_newton |= energy > 1e-6;
                    }
                }
            }
        }
        assert!(gained_by_newton);
    }
}
