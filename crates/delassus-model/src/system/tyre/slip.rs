//! Forces along the road by slip: laws of one direction, and how both directions share the load.
//!
//! A law is F = s G(s), where G, the gain, is even and finite at zero. Slips are made comparable by the slip of each
//! direction's largest force, s*² = (s_x/s_xm)² + (s_y/s_ym)², and each law acts at the same s* (the similarity of
//! Pacejka and Bakker), so that F_x = s_x G_x(s* s_xm), F_y = s_y G_y(s* s_ym): in one direction alone the law itself,
//! and never more than an ellipse of both largest forces. Another friction μ of the road is F = μ F₀(s/μ): the slope at
//! zero remains.

use super::super::real::Real;
use crate::SlipLaw;

/// A linear law counts slips only as far as they are proportions.
const NO_LIMIT: f64 = f64::INFINITY;

/// What scales with the load r, in nominal loads: r (a + b r), held from its maximum on.
fn by_load<T: Real>(r: T, one: f64, two: f64) -> T {
    let (a, b) = (2.0 * one - 0.5 * two, 0.5 * two - one);
    let top = if b < 0.0 { -0.5 * a / b } else { NO_LIMIT };
    if r.value() >= top { T::of(top * (a + b * top)) } else { r * (r * b + a) }
}

impl SlipLaw {
    /// What the lateral law takes as its slip, from the ratio of speeds: most laws take the angle.
    pub(super) fn takes_ratio(&self) -> bool {
        matches!(self, SlipLaw::Tmeasy { .. })
    }

    /// The slip of the largest force at a load of r nominal loads; infinite for a law without limit.
    pub(super) fn peak<T: Real>(&self, r: T, load: f64) -> T {
        match self {
            SlipLaw::Linear { .. } => T::of(NO_LIMIT),
            SlipLaw::Tanh { slope, friction } => T::of(friction * load / slope),
            SlipLaw::Tmeasy { one, two } => r * (two[1] - one[1]) + (2.0 * one[1] - two[1]),
            SlipLaw::MagicFormula { peak, .. } => self.stiffness_factor(r).recip() * *peak,
        }
    }

    /// B of the magic formula.
    fn stiffness_factor<T: Real>(&self, r: T) -> T {
        let SlipLaw::MagicFormula { b, d, d_load, stiffest_load, .. } = self else {
            return T::of(1.0);
        };
        // slope over load, then over the largest force over load
        let slope = match stiffest_load {
            None => T::of(1.0),
            Some(p) => {
                let whole = (2.0 * (1.0 / p).atan()).sin();
                // sin(2 atan(x)) = 2x/(1 + x²), so that it stays exact for small loads
                ((r * r) * (1.0 / (p * p)) + 1.0).recip() * (2.0 / (p * whole))
            }
        };
        slope * *b * (r.recip() * by_load(r, *d, 2.0 * (d + d_load))).recip() * *d
    }

    /// F/s at a load of r nominal loads.
    pub(super) fn gain<T: Real>(&self, s: T, r: T, load: f64) -> T {
        match self {
            SlipLaw::Linear { slope } => r * *slope,
            SlipLaw::Tanh { slope, friction } => {
                let x = s * (slope / (friction * load));
                r * *slope * over(x, x.tanh())
            }
            SlipLaw::Tmeasy { one, two } => tmeasy(s, r, one, two),
            SlipLaw::MagicFormula { c, d, e, d_load, .. } => {
                let b = self.stiffness_factor(r);
                let x = s * b;
                let bent = x - (x - x.atan()) * *e;
                let f = (bent.atan() * *c).sin();
                by_load(r, *d, 2.0 * (d + d_load)) * load * over(x, f) * b_over(x, b, *c)
            }
        }
    }
}

/// f/x, where f is x at small x.
fn over<T: Real>(x: T, f: T) -> T {
    if x.value().abs() < SMALL { T::of(1.0) } else { f * x.recip() }
}

/// Below this, laws are straight to the last digit: their next term is cubic.
const SMALL: f64 = 1e-9;

/// What turns f/x into f/s: B, and C where f/x was replaced by 1.
fn b_over<T: Real>(x: T, b: T, c: f64) -> T {
    if x.value().abs() < SMALL { b * c } else { b }
}

/// Rill's curve: a rational rise to the peak, a cubic fall to sliding, then constant.
fn tmeasy<T: Real>(s: T, r: T, one: &[f64; 5], two: &[f64; 5]) -> T {
    let force = |k: usize| by_load(r, one[k], two[k]);
    let slip = |k: usize| r * (two[k] - one[k]) + (2.0 * one[k] - two[k]);
    let (slope, top, last) = (force(0), force(2), force(4));
    let (s_top, s_last) = (slip(1), slip(3));
    if s.value() <= s_top.value() {
        let u = s * s_top.recip();
        let rise = slope * s_top * top.recip();
        slope * ((u * (u + rise + -2.0)) + 1.0).recip()
    } else if s.value() < s_last.value() {
        let u = (s - s_top) * (s_last - s_top).recip();
        (top - (top - last) * u * u * (u * -2.0 + 3.0)) * s.recip()
    } else {
        last * s.recip()
    }
}

/// Forces along and across at slips s (longitudinal slip, ratio or angle) under a load of r nominal loads, and s*.
pub(super) fn forces<T: Real>(
    laws: &[SlipLaw; 2],
    slip: [T; 2],
    r: T,
    load: f64,
    friction: f64,
) -> ([T; 2], T) {
    // keeps the root differentiable at zero, without changing a digit elsewhere
    const NO_SLIP: f64 = 1e-40;
    let s = slip.map(|s| s * (1.0 / friction));
    let peak = [laws[0].peak(r, load), laws[1].peak(r, load)];
    let part = |k: usize| {
        if peak[k].value().is_finite() { s[k] * peak[k].recip() } else { T::of(0.0) }
    };
    let (x, y) = (part(0), part(1));
    let both = (x * x + y * y + NO_SLIP).sqrt();
    let force = |k: usize| {
        let at = if peak[k].value().is_finite() { both * peak[k] } else { T::of(0.0) };
        s[k] * laws[k].gain(at, r, load) * friction
    };
    ([force(0), force(1)], both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::real::Dual;

    const LOAD: f64 = 3000.0;

    fn magic(d_load: f64, stiffest_load: Option<f64>) -> SlipLaw {
        let (b, c, d, e) = (10.0, 1.6, 1.1, 0.2);
        let peak = crate::compile::magic_formula_peak(c, e);
        SlipLaw::MagicFormula { b, c, d, e, d_load, stiffest_load, peak }
    }

    fn tmeasy() -> SlipLaw {
        let one = [90e3, 0.11, 3.3e3, 0.4, 3.1e3];
        SlipLaw::Tmeasy { one, two: [160e3, 0.12, 6.0e3, 0.5, 5.7e3] }
    }

    fn pure(law: SlipLaw, s: f64, r: f64) -> f64 {
        forces(&[law; 2], [s, 0.0], r, LOAD, 1.0).0[0]
    }

    /// The formula itself; its peak D Fz where it says; its slope B C D.
    #[test]
    fn the_magic_formula_has_its_peak_and_slope() {
        let law = magic(0.0, None);
        for s in [-0.3, -0.02, 0.05, 0.9_f64] {
            let x = 10.0 * s;
            let formula = 1.1 * LOAD * (1.6 * (x - 0.2 * (x - x.atan())).atan()).sin();
            assert!((pure(law, s, 1.0) - formula).abs() < 1e-9 * formula.abs(), "{s}");
        }
        let at: f64 = law.peak(1.0, LOAD);
        assert!((pure(law, at, 1.0) - 1.1 * LOAD).abs() < 1e-9 * LOAD);
        assert!(pure(law, 0.9 * at, 1.0) < pure(law, at, 1.0));
        assert!(pure(law, 1.1 * at, 1.0) < pure(law, at, 1.0));
        for s in [1e-13, 1e-8] {
            let slope = pure(law, s, 1.0) / s;
            assert!((slope - 10.0 * 1.6 * 1.1 * LOAD).abs() < 1e-6 * slope, "{s}: {slope}");
        }
    }

    /// D falls with the load, and the slope follows Pacejka's sine.
    #[test]
    fn the_magic_formula_depends_on_the_load() {
        let law = magic(-0.1, Some(1.5));
        let at: f64 = law.peak(2.0, LOAD);
        assert!((pure(law, at, 2.0) - (1.1 - 0.1) * 2.0 * LOAD).abs() < 1e-9 * LOAD);
        let slope = |r: f64| pure(law, 1e-9, r) / 1e-9;
        let pacejka = |r: f64| (2.0 * (r / 1.5_f64).atan()).sin();
        let expected = slope(1.0) * pacejka(2.0) / pacejka(1.0);
        assert!((slope(2.0) - expected).abs() < 1e-9 * expected);
    }

    /// Slope, peak and sliding as given, at both loads; the slope at the peak is zero.
    #[test]
    fn tmeasy_meets_its_numbers() {
        let law = tmeasy();
        for (r, [slope, s_top, top, s_last, last]) in
            [(1.0, [90e3, 0.11, 3.3e3, 0.4, 3.1e3]), (2.0, [160e3, 0.12, 6.0e3, 0.5, 5.7e3])]
        {
            assert!((pure(law, 1e-12, r) / 1e-12 - slope).abs() < 1e-6 * slope);
            assert!((pure(law, s_top, r) - top).abs() < 1e-9 * top);
            assert!((pure(law, s_last, r) - last).abs() < 1e-9 * last);
            assert!((pure(law, 0.9, r) - last).abs() < 1e-9 * last);
            let h = 1e-6;
            let peak = (pure(law, s_top + h, r) - pure(law, s_top - h, r)) / (2.0 * h);
            assert!(peak.abs() < 1e-3 * slope, "{peak}");
        }
    }

    /// Both together stay on the ellipse of the largest forces, and less friction moves the peak, not the slope.
    #[test]
    fn both_directions_share_the_load() {
        let law = magic(0.0, None);
        let laws = [law, magic(0.0, None)];
        let at: f64 = law.peak(1.0, LOAD);
        for angle in [0.1_f64, 0.8, 1.5] {
            let slip = [at * angle.cos(), at * angle.sin()];
            let ([x, y], both) = forces(&laws, slip, 1.0, LOAD, 1.0);
            assert!((x.hypot(y) - 1.1 * LOAD).abs() < 1e-9 * LOAD && (both - 1.0).abs() < 1e-12);
        }
        let wet = |s: f64| forces(&laws, [s, 0.0], 1.0, LOAD, 0.5).0[0];
        assert!((wet(0.5 * at) - 0.55 * LOAD).abs() < 1e-9 * LOAD);
        assert!((wet(1e-9) - pure(law, 1e-9, 1.0)).abs() < 1e-9 * wet(1e-9));
    }

    /// No derivative is lost at zero slip.
    #[test]
    fn derivatives_exist_at_rest() {
        for law in [
            SlipLaw::Linear { slope: 5e4 },
            SlipLaw::Tanh { slope: 5e4, friction: 1.0 },
            tmeasy(),
            magic(-0.1, Some(2.0)),
        ] {
            for s in [0.0, 1e-12, 0.03] {
                let slip = [Dual::<3>::along(s, 0), Dual::along(0.0, 1)];
                let (f, _) = forces(&[law; 2], slip, Dual::along(0.9, 2), LOAD, 1.0);
                let h = 1e-7;
                let at = |ds: f64, dy: f64, dr: f64| {
                    forces(&[law; 2], [s + ds, dy], 0.9 + dr, LOAD, 1.0).0
                };
                let slope = |k: usize| {
                    let e = |i: usize| if i == k { h } else { 0.0 };
                    let (p, m) = (at(e(0), e(1), e(2)), at(-e(0), -e(1), -e(2)));
                    [(p[0] - m[0]) / (2.0 * h), (p[1] - m[1]) / (2.0 * h)]
                };
                for k in 0..3 {
                    let expected = slope(k);
                    for (f, expected) in f.iter().zip(expected) {
                        let scale = 1e-5 * (1e3 + expected.abs());
                        assert!(
                            (f.d[k] - expected).abs() < scale,
                            "{law:?} {s} {k}: {f:?} {expected}"
                        );
                    }
                }
            }
        }
    }
}
