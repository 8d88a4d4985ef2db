//! Whether a step is stable for the modes of a model: the test equation of the method, mode by mode.
//!
//! For q̈ = −a q − b q̇, with a and b of an exponent s = σ ± iω as |s|² and −2σ, the linear-implicit Euler method is stable
//! for all steps with K and C (`exact`, `j2`), for h² a ≤ 4 + 2 h b with C alone (`j1`), and for h b ≤ 2 and
//! h² a ≤ 4 − 2 h b with neither (`j3`). Auxiliary states are explicit in themselves: h r ≤ 2 for one that relaxes with
//! the rate r. For modes that share their damping (any damping at all with one of them) this is exact; where damping couples
//! modes it is an estimate.

use super::options::RealTimeOptions;
use crate::analysis::{At, ModalOptions, NamedMode, modes};
use crate::notes::brief;
use delassus_dae::Problem;
use delassus_dae::analysis::DENSE_MAX;
use delassus_dae::integrator::SmoothId;
use delassus_math::largest;
use delassus_model::{Assembled, System};

/// Bodies that are named for a mode.
const NAMED: usize = 3;
/// Velocities up to which all modes are found with full matrices.
const ALL_MODES: usize = DENSE_MAX;
/// Part of the size of an exponent that is rounding.
const ROUNDING: f64 = 1e-9;

/// A mode in words.
#[derive(Debug, Clone, PartialEq)]
pub struct FastMode {
    /// Frequency, Hz; 0 where it does not vibrate.
    pub frequency_hz: f64,
    /// Growth, 1/s.
    pub growth: f64,
    /// Damping over critical damping.
    pub damping_ratio: f64,
    /// Bodies that move most in it.
    pub bodies: Vec<String>,
    /// Steps in one period; `None` where it does not vibrate.
    pub steps_per_period: Option<f64>,
}

/// What is known of the stability of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Derivatives in the matrix of the step: `exact`, `j1`, `j2`, `j3`.
    pub jacobian: &'static str,
    /// Largest stable step, s; infinite where every step is; `None` where modes are not known.
    pub largest_step: Option<f64>,
    /// The mode that limits it, or the fastest one.
    pub mode: Option<FastMode>,
    /// The mode limits it.
    pub limited_by_mode: bool,
    /// Why the modes are not known.
    pub unknown: Option<String>,
}

impl Stability {
    /// Of a model at its start. With `always`, modes are also looked for where they do not limit the step.
    pub fn of(model: &Assembled, options: &RealTimeOptions, always: bool) -> Stability {
        let jacobian = options.options.word(&SmoothId::LinEuler.info(), "jacobian");
        let sys = &model.system;
        let mut out = Stability {
            jacobian,
            largest_step: None,
            mode: None,
            limited_by_mode: false,
            unknown: None,
        };
        let auxiliary = relaxing(sys, model);
        if implicit(jacobian) {
            out.largest_step = Some(auxiliary);
            if !always {
                return out;
            }
        }
        // of large models the fastest modes alone, to a hundredth
        let fastest = sys.dims().nv > ALL_MODES;
        let asked = ModalOptions { at: At::Start, fastest, ..ModalOptions::default() };
        let found = match modes(model, asked) {
            Ok(found) => found.modes,
            Err(e) => {
                out.unknown = Some(e.to_string());
                return out;
            }
        };
        let size = |m: &NamedMode| m.real.hypot(m.imag);
        let fastest = largest(found.iter().map(size));
        let limit = |m: &NamedMode| step_limit(jacobian, m, fastest);
        let tightest = found.iter().min_by(|a, b| limit(a).total_cmp(&limit(b)));
        let steps = tightest.map_or(f64::INFINITY, limit);
        out.limited_by_mode = steps.is_finite() && steps <= auxiliary;
        let shown = match out.limited_by_mode {
            true => tightest,
            false => found.iter().max_by(|a, b| size(a).total_cmp(&size(b))),
        };
        // a body that is free to move has no time of its own
        let shown = shown.filter(|m| size(m) > 0.0);
        out.mode = shown.map(|m| in_words(sys, m, options.step));
        out.largest_step = Some(steps.min(auxiliary));
        out
    }

    /// Whether a step is known to be unstable.
    pub fn refuses(&self, step: f64) -> bool {
        self.largest_step.is_some_and(|most| step > most)
    }

    /// Why a step is refused.
    pub fn refusal(&self, step: f64) -> String {
        let most = self.largest_step.unwrap_or(f64::INFINITY);
        let by = match (&self.mode, self.limited_by_mode) {
            (Some(m), true) => format!("for {}", m.text()),
            _ => "for the fastest auxiliary state (a filter or a relaxation), which is explicit"
                .to_owned(),
        };
        let cure = if self.limited_by_mode { ", or set jacobian = \"exact\"" } else { "" };
        format!(
            "a step of {} s is unstable {by} with jacobian = \"{}\"; the largest stable step is {} s{cure}",
            brief(step),
            self.jacobian,
            brief(round_down(most)),
        )
    }
}

impl FastMode {
    /// In words.
    pub fn text(&self) -> String {
        let what = match self.frequency_hz > 0.0 {
            true => format!(
                "the mode of {} Hz (damping ratio {})",
                brief(short(self.frequency_hz)),
                brief(short(self.damping_ratio))
            ),
            false => format!("the motion that decays with {} 1/s", brief(short(-self.growth))),
        };
        if self.bodies.is_empty() { what } else { format!("{what} of {}", self.bodies.join(", ")) }
    }
}

fn implicit(jacobian: &str) -> bool {
    matches!(jacobian, "exact" | "j2")
}

/// Largest stable step for a mode.
fn step_limit(jacobian: &str, m: &NamedMode, fastest: f64) -> f64 {
    let (a, b) = match m.imag > 0.0 {
        true => (m.real * m.real + m.imag * m.imag, (-2.0 * m.real).max(0.0)),
        // one of two that do not vibrate
        false => (0.0, (-m.real).max(0.0)),
    };
    if a.sqrt().max(b) <= ROUNDING * fastest {
        return f64::INFINITY;
    }
    let root = (b * b + 4.0 * a).sqrt();
    match jacobian {
        "j1" if a > 0.0 => (b + root) / a,
        "j3" => (4.0 / (b + root)).min(2.0 / b),
        _ => f64::INFINITY,
    }
}

/// Largest stable step for the auxiliary states.
fn relaxing(sys: &System, model: &Assembled) -> f64 {
    let (d, s) = (sys.dims(), &model.state);
    let mut rates = vec![0.0; d.nz];
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    sys.realize_velocity(&s.v, &s.z, &mut ws);
    sys.relaxation(&ws, &mut rates);
    let most = largest(rates.iter().copied().chain([0.0]));
    if most > 0.0 { 2.0 / most } else { f64::INFINITY }
}

fn in_words(sys: &System, m: &NamedMode, h: f64) -> FastMode {
    let length = sys.length_scale();
    let size = |k: usize| {
        let b = &m.shape[k];
        let part = |x: &[[f64; 3]; 2]| {
            let norm = |v: &[f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
            (norm(&x[0]) / length).max(norm(&x[1]))
        };
        part(&b.real).max(part(&b.imag))
    };
    let mut order: Vec<usize> = (0..m.shape.len()).collect();
    order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
    let most = order.first().map_or(0.0, |k| size(*k));
    let named = order.iter().filter(|k| most > 0.0 && size(**k) > 0.2 * most).take(NAMED);
    let frequency_hz = m.frequency_hz.abs();
    FastMode {
        frequency_hz,
        growth: m.real,
        damping_ratio: m.damping_ratio,
        bodies: named.map(|k| format!("\"{}\"", m.shape[*k].name)).collect(),
        steps_per_period: (frequency_hz > 0.0).then(|| 1.0 / (frequency_hz * h)),
    }
}

/// Three digits.
fn short(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        // no minus sign before nothing
        return x + 0.0;
    }
    let unit = 10f64.powi(x.abs().log10().floor() as i32 - 2);
    (x / unit).round() * unit
}

/// Three digits, not more than it is.
fn round_down(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let unit = 10f64.powi(x.abs().log10().floor() as i32 - 2);
    (x / unit).floor() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(real: f64, imag: f64) -> NamedMode {
        let size = real.hypot(imag);
        NamedMode {
            real,
            imag,
            frequency_hz: imag / std::f64::consts::TAU,
            damping_ratio: -real / size,
            shape: Vec::new(),
        }
    }

    /// Spectral radius of one step on q̈ = −a q − b q̇.
    fn radius(jacobian: &str, a: f64, b: f64, h: f64) -> f64 {
        let s = 1.0
            + if jacobian == "j3" { 0.0 } else { h * b }
            + if jacobian == "j2" { h * h * a } else { 0.0 };
        // the part of h² K v₀ is there only with K
        let v = [-h * a / s, 1.0 - (h * b + if jacobian == "j2" { h * h * a } else { 0.0 }) / s];
        let m = [[1.0 + h * v[0], h * v[1]], v];
        let (trace, det) = (m[0][0] + m[1][1], m[0][0] * m[1][1] - m[0][1] * m[1][0]);
        let square = trace * trace / 4.0 - det;
        match square < 0.0 {
            true => det.sqrt(),
            false => (trace / 2.0).abs() + square.sqrt(),
        }
    }

    #[test]
    fn limits_are_where_the_step_map_leaves_the_unit_circle() {
        for (real, imag) in [(-3.0, 100.0), (-40.0, 60.0), (-0.5, 7.0)] {
            let (a, b) = (real * real + imag * imag, -2.0 * real);
            for jacobian in ["j1", "j3"] {
                let h = step_limit(jacobian, &mode(real, imag), 100.0);
                assert!(radius(jacobian, a, b, 0.999 * h) <= 1.0, "{jacobian} {real} {imag} {h}");
                assert!(radius(jacobian, a, b, 1.001 * h) > 1.0, "{jacobian} {real} {imag} {h}");
            }
            assert_eq!(step_limit("exact", &mode(real, imag), 100.0), f64::INFINITY);
            assert!(radius("j2", a, b, 10.0) < 1.0);
        }
        // a rate alone
        assert_eq!(step_limit("j3", &mode(-200.0, 0.0), 200.0), 0.01);
        assert_eq!(step_limit("j1", &mode(-200.0, 0.0), 200.0), f64::INFINITY);
    }
}
