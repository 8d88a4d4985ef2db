//! One point, Stronge's law: the work of the normal impulse in restitution is −e² that in
//! compression.
//!
//! The impulse P_N grows from zero and plays the role of time: du/dP_N = W (1, −μ d) with d the direction of sliding,
//! or with the friction that keeps a point at rest from sliding while μ is large enough. Where d does not turn (in the
//! plane, at rest, along a ray of `slip.rs`), u is linear in P_N and the phase is exact; in space d turns (it swerves),
//! and `swerve.rs` follows it.

use super::slip::{Slip, Way};
use super::swerve;
use delassus_dae::{PointLaw, RestitutionLaw};

/// Largest number of phases of slip and stick in one impact, and of steps of turning ones; beyond it something is
/// wrong.
const MAX_PHASES: usize = 8000;
/// Change of the normal speed per impulse, relative to that without friction, that counts as zero: a motion that
/// friction locks has it up to rounding.
const LOCKED: f64 = 1e-11;
/// Sliding speed, relative to the approach, that counts as rest: rounding.
const REST: f64 = 1e-15;

/// The three rows of a point: W (3×3, unused rows zero) and u.
pub(super) struct Single {
    pub w: [[f64; 3]; 3],
    pub u: [f64; 3],
    pub law: PointLaw,
    /// Factor on the coefficient of restitution.
    pub factor: f64,
    /// Largest normal impulse that can be explained by the approach.
    pub most: f64,
}

/// The progress of an impact.
#[derive(Clone, Copy)]
pub(super) struct Course {
    pub u: [f64; 3],
    pub p: [f64; 3],
    /// Work of the normal impulse in this phase, J.
    pub work: f64,
    phase: Phase,
    e: f64,
    law: RestitutionLaw,
    /// Normal speed at the start, m/s, positive.
    pub approach: f64,
}

#[derive(Clone, Copy)]
enum Phase {
    Compression,
    /// With the work and the impulse of compression.
    Restitution {
        work: f64,
        impulse: f64,
    },
    Over,
}

impl Course {
    /// Remainder to the end of the phase, positive before it; only its sign and zero are meaningful.
    pub fn missing(&self) -> f64 {
        match (self.phase, self.law) {
            (Phase::Compression, _) => -self.u[0],
            (Phase::Restitution { .. }, RestitutionLaw::Newton) => {
                self.e * self.approach - self.u[0]
            }
            (Phase::Restitution { impulse, .. }, RestitutionLaw::Poisson) => {
                (1.0 + self.e) * impulse - self.p[0]
            }
            (Phase::Restitution { work, .. }, RestitutionLaw::Energetic) => {
                self.e * self.e * work - self.work
            }
            (Phase::Over, _) => 0.0,
        }
    }

    /// Impulse to the end of the phase if u_N changes by `rate` per impulse; infinite if it never ends.
    fn left(&self, rate: f64, opens: bool) -> f64 {
        match (self.phase, self.law) {
            (Phase::Compression, _) | (Phase::Restitution { .. }, RestitutionLaw::Newton) => {
                if opens {
                    self.missing() / rate
                } else {
                    f64::INFINITY
                }
            }
            (Phase::Restitution { .. }, RestitutionLaw::Poisson) => self.missing(),
            // ∫ (u + u' x) dx = the remainder
            (Phase::Restitution { .. }, RestitutionLaw::Energetic) => {
                let disc = self.u[0] * self.u[0] + 2.0 * rate * self.missing();
                // a speed that falls to zero before the work is done never does it
                if opens || disc > 0.0 {
                    2.0 * self.missing() / (self.u[0] + disc.max(0.0).sqrt())
                } else {
                    f64::INFINITY
                }
            }
            (Phase::Over, _) => 0.0,
        }
    }

    /// Begins the next phase.
    pub fn turn_over(&mut self) {
        self.phase = match self.phase {
            Phase::Compression => {
                self.u[0] = 0.0;
                let done = Phase::Restitution { work: -self.work, impulse: self.p[0] };
                if self.e == 0.0 { Phase::Over } else { done }
            }
            Phase::Restitution { .. } | Phase::Over => Phase::Over,
        };
        self.work = 0.0;
    }
}

impl Single {
    /// Impulses of the whole impact; `None` if friction locks the motion before it is over.
    pub fn impulse(&self) -> Option<[f64; 3]> {
        let (mu, e, law) = match self.law {
            PointLaw::Contact { mu, restitution, tangential, .. } => {
                let mu = if tangential == 0 { 0.0 } else { mu };
                (mu, restitution.e * self.factor, restitution.law)
            }
            PointLaw::OneWay => (0.0, 0.0, RestitutionLaw::Newton),
            PointLaw::Compliant | PointLaw::DryFriction { .. } => return Some([0.0; 3]),
        };
        if self.u[0] >= 0.0 {
            return Some([0.0; 3]);
        }
        let (p, phase) = ([0.0; 3], Phase::Compression);
        let mut c = Course { u: self.u, p, work: 0.0, phase, e, law, approach: -self.u[0] };
        let slip = Slip { w: &self.w, mu };
        let mut stride = None;
        for _ in 0..MAX_PHASES {
            let speed = c.u[1].hypot(c.u[2]);
            if speed <= REST * c.approach {
                (c.u[1], c.u[2]) = (0.0, 0.0);
            }
            match slip.way(c.u[1], c.u[2]) {
                Way::Straight(friction) => self.straight(&mut c, friction)?,
                Way::Turns => swerve::advance(&slip, &mut c, &mut stride),
            }
            if matches!(c.phase, Phase::Over) {
                return Some(c.p);
            }
            if !(c.p[0] <= self.most) {
                return None;
            }
        }
        None
    }

    /// A phase of constant friction, per normal impulse: up to the end of compression or restitution, or until sliding
    /// stops. `None` if none of these ever happens.
    fn straight(&self, c: &mut Course, friction: [f64; 2]) -> Option<()> {
        let per = self.w.map(|row| row[0] + row[1] * friction[0] + row[2] * friction[1]);
        let mut step = c.left(per[0], per[0] > LOCKED * self.w[0][0]);
        let mut stops = false;
        let speed = c.u[1].hypot(c.u[2]);
        if speed > 0.0 {
            let slows = -(c.u[1] * per[1] + c.u[2] * per[2]) / speed;
            stops = slows > 0.0 && speed / slows < step;
            if stops {
                step = speed / slows;
            }
        }
        if !(c.p[0] + step <= self.most) {
            return None;
        }
        c.work += step * (c.u[0] + 0.5 * per[0] * step);
        for i in 0..3 {
            c.u[i] += per[i] * step;
        }
        c.p[0] += step;
        c.p[1] += step * friction[0];
        c.p[2] += step * friction[1];
        if stops {
            (c.u[1], c.u[2]) = (0.0, 0.0);
        } else {
            c.turn_over();
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_dae::Restitution;

    fn law(mu: f64, e: f64, law: RestitutionLaw) -> PointLaw {
        PointLaw::Contact { mu, mu_static: mu, restitution: Restitution { e, law }, tangential: 1 }
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

    fn spatial(kind: RestitutionLaw, mu: f64, e: f64) -> PointLaw {
        let restitution = Restitution { e, law: kind };
        PointLaw::Contact { mu, mu_static: mu, restitution, tangential: 2 }
    }

    /// A planar impact and the same one in space, whose tangents are turned about the normal: sliding,
    /// sliding that stops, sticks and reverses.
    #[test]
    fn plane_and_space_agree() {
        for (i, slip) in [-3.0, -0.7, -0.3, -0.05, 0.0, 0.1, 0.5, 2.0].into_iter().enumerate() {
            for c in [-0.9, -0.5, -0.1, 0.0, 0.3, 0.8] {
                for mu in [0.1, 0.3, 0.6] {
                    for kind in
                        [RestitutionLaw::Newton, RestitutionLaw::Poisson, RestitutionLaw::Energetic]
                    {
                        let flat = Single {
                            w: [[1.0, c, 0.0], [c, 1.6, 0.0], [0.0; 3]],
                            u: [-1.0, slip, 0.0],
                            law: law(mu, 0.6, kind),
                            factor: 1.0,
                            most: f64::MAX,
                        };
                        let (s, k) = (0.3 + i as f64).sin_cos();
                        let (a, b) = (1.6, 0.4);
                        let mixed = (a - b) * s * k;
                        let solid = Single {
                            w: [
                                [1.0, c * k, c * s],
                                [c * k, a * k * k + b * s * s, mixed],
                                [c * s, mixed, a * s * s + b * k * k],
                            ],
                            u: [-1.0, slip * k, slip * s],
                            law: spatial(kind, mu, 0.6),
                            factor: 1.0,
                            most: f64::MAX,
                        };
                        let (Some(p), Some(q)) = (flat.impulse(), solid.impulse()) else {
                            panic!("no impulse at {slip} {c} {mu} {kind:?}")
                        };
                        let along = k * q[1] + s * q[2];
                        let aside = k * q[2] - s * q[1];
                        for (x, y) in [(p[0], q[0]), (p[1], along), (0.0, aside)] {
                            assert!((x - y).abs() < 1e-12, "{slip} {c} {mu} {kind:?}: {p:?} {q:?}");
                        }
                    }
                }
            }
        }
    }

    /// Sliding that turns, by many small steps of the midpoint rule up to the end of compression, and on
    /// until the work is done.
    #[test]
    fn swerving_by_small_steps() {
        let w = [[1.0, 0.4, -0.2], [0.4, 1.5, 0.3], [-0.2, 0.3, 0.7]];
        let (mu, e) = (0.2, 0.7);
        let u = [-1.0, 0.8, 1.5];
        let s = Single {
            w,
            u,
            law: spatial(RestitutionLaw::Energetic, mu, e),
            factor: 1.0,
            most: f64::MAX,
        };
        let rate = |v: &[f64; 3]| {
            let size = v[1].hypot(v[2]);
            let f = [1.0, -mu * v[1] / size, -mu * v[2] / size];
            (f, w.map(|row| row[0] * f[0] + row[1] * f[1] + row[2] * f[2]))
        };
        let h = 1e-5;
        let (mut v, mut p, mut work, mut compression) = (u, [0.0; 3], 0.0, None);
        loop {
            let (_, a) = rate(&v);
            let middle = std::array::from_fn(|i| v[i] + 0.5 * h * a[i]);
            let (f, a) = rate(&middle);
            let done = work + h * middle[0];
            if let Some(c) = compression
                && done >= -e * e * c
            {
                let part = (-e * e * c - work) / (done - work);
                p = std::array::from_fn(|i| p[i] + part * h * f[i]);
                break;
            }
            let before = v[0];
            v = std::array::from_fn(|i| v[i] + h * a[i]);
            p = std::array::from_fn(|i| p[i] + h * f[i]);
            work = done;
            if before < 0.0 && v[0] >= 0.0 {
                // what was done beyond the end of compression belongs to restitution
                let beyond = 0.5 * v[0] * v[0] / a[0];
                compression = Some(work - beyond);
                work = beyond;
            }
        }
        let q = s.impulse().unwrap();
        for i in 0..3 {
            assert!((p[i] - q[i]).abs() < 1e-8, "{p:?} {q:?}");
        }
    }

    /// Sliding in space that turns until it stops: it then sticks, or leaves along its ray; nothing gains.
    #[test]
    fn swerving_to_rest() {
        let w = [[1.0, 0.4, -0.3], [0.4, 1.5, 0.3], [-0.3, 0.3, 0.7]];
        for mu in [0.1, 0.3, 0.6, 0.9] {
            for i in 0..24 {
                let (y, x) = (0.26 * f64::from(i)).sin_cos();
                let law = spatial(RestitutionLaw::Energetic, mu, 1.0);
                let s = Single { w, u: [-1.0, 0.3 * x, 0.3 * y], law, factor: 1.0, most: 1e3 };
                let p = s.impulse().unwrap();
                let after: [f64; 3] = std::array::from_fn(|k| {
                    s.u[k] + w[k][0] * p[0] + w[k][1] * p[1] + w[k][2] * p[2]
                });
                let energy: f64 = (0..3).map(|k| 0.5 * p[k] * (s.u[k] + after[k])).sum();
                assert!(energy < 0.0, "{mu} {i}: {energy}");
                // |W_TT⁻¹ W_TN|, the friction that holds it
                if mu > 0.708 {
                    assert!(after[1].hypot(after[2]) < 1e-13, "{mu} {i}: {after:?}");
                }
            }
        }
    }
}
