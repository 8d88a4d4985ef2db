//! Rotors: whirl next to a steady spin, critical speeds, and the answer to unbalance.
//!
//! A speed is a model: whoever asks makes the model at each speed, so that whatever depends on it (stiffness of bearings, say)
//! follows. Its start is the motion that is looked at; it must be steady in the axes of the ground, as that of a symmetric
//! rotor in bearings of any kind is.

use super::modes::{About, BodyShape, next_to};
use super::{AnalysisError, linear_error};
use crate::notes::Note;
use delassus_dae::analysis::{Linearised, ModeOptions, modes as find_modes, response};
use delassus_dae::{Problem, State};
use delassus_math::{Vec3, largest};
use delassus_model::{Assembled, System};
use std::sync::Arc;

/// Part of a motion across the axis, in squares of sizes, below which it is not whirl but along or about the axis.
const LATERAL: f64 = 1e-6;
/// Turning sense, in parts of a circle, below which a motion is to and fro.
const TURNS: f64 = 1e-3;
/// Speed over the largest one below which crossings are not looked for.
const STILL: f64 = 1e-9;
/// How well critical speeds are known, in parts of them.
const REFINED: f64 = 1e-10;
/// Difference of frequency and speed, in parts, beyond which a place where signs change is no crossing.
const MET: f64 = 1e-6;

/// How the rotor moves in a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whirl {
    /// About the axis, with the spin.
    Forward,
    /// About the axis, against the spin.
    Backward,
    /// To and fro across the axis.
    Planar,
    /// Along or about the axis.
    Axial,
}

impl Whirl {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Whirl::Forward => "forward",
            Whirl::Backward => "backward",
            Whirl::Planar => "planar",
            Whirl::Axial => "axial",
        }
    }
}

/// A vibration of a rotor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhirlMode {
    /// Growth, 1/s.
    pub real: f64,
    /// Circular frequency seen from the ground, rad/s.
    pub imag: f64,
    /// Damping over critical damping.
    pub damping_ratio: f64,
    /// How it moves.
    pub whirl: Whirl,
    /// 1 for circles with the spin, −1 for circles against it, 0 to and fro.
    pub sense: f64,
}

/// How a body answers to unbalance: of its frame's origin, ground components.
#[derive(Debug, Clone, PartialEq)]
pub struct Orbit {
    /// The body.
    pub body: String,
    /// Amplitudes along x, y, z, m.
    pub amplitude: [f64; 3],
    /// By how much these are ahead of the unbalance, rad. It starts along x, along y where the axis is x.
    pub phase: [f64; 3],
    /// Semi-axes of the orbit across the axis, m; the second negative where it goes against the spin.
    pub semi_axes: [f64; 2],
}

/// A speed at which the frequency of a whirl is the speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Critical {
    /// rad/s.
    pub speed: f64,
    /// How it moves.
    pub whirl: Whirl,
    /// See [`WhirlMode::sense`].
    pub sense: f64,
}

/// A rotor at one speed.
#[derive(Debug, Clone)]
pub struct Rotor {
    sys: Arc<System>,
    l: Linearised,
    state: State,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl Rotor {
    /// The start of a model as a rotor at one speed.
    pub fn new(model: &Assembled) -> Result<Rotor, AnalysisError> {
        let mut notes = Vec::new();
        let (l, about, state) = next_to(model, model.state.clone(), &mut notes)?;
        if let About::Steady(rate) = about
            && rate.iter().any(|x| *x != 0.0)
        {
            return Err(AnalysisError::input(
                "E_ROTOR",
                "the motion is steady only in axes that turn with the rotor, because the rotor is not the same on all sides".to_owned(),
                "give discs and sections equal moments of inertia across the axis, and leave unbalance to `--unbalance`; `delassus modes --at start` has the frequencies seen from the rotor",
            ));
        }
        Ok(Rotor { sys: model.system.clone(), l, state, notes })
    }

    /// Unit vector along the angular velocity of the body that turns fastest; `None` where nothing turns.
    pub fn axis(&self) -> Option<Vec3> {
        let mut ws = self.sys.workspace();
        let s = &self.state;
        self.sys.realize_position(s.t, &s.q, &s.z, &mut ws);
        let moved = self.sys.body_variations(&ws, &s.v);
        let rates = moved.into_iter().map(|[_, w]| w);
        let most = rates.max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
        (most.norm() > 0.0).then(|| most / most.norm())
    }

    /// Its vibrations, by frequency. What does not vibrate is left out.
    pub fn whirl(&self, axis: &Vec3, undamped: bool) -> Result<Vec<WhirlMode>, AnalysisError> {
        let failed = |e| linear_error(&*self.sys, e);
        let l = self.l.clone();
        let l = if undamped { l.undamped().map_err(|e| failed(e.into()))? } else { l };
        let found = find_modes(&l, ModeOptions::default()).map_err(failed)?;
        let mut ws = self.sys.workspace();
        self.sys.realize_position(self.state.t, &self.state.q, &self.state.z, &mut ws);
        let fastest = largest(found.list.iter().map(|m| m.imag));
        let list = found.list.iter().filter(|m| m.imag > 1e-9 * fastest).map(|m| {
            let shape = self.shape(&ws, &m.shape);
            let (whirl, sense) = sense(&shape, axis, self.sys.length_scale());
            WhirlMode { real: m.real, imag: m.imag, damping_ratio: m.damping_ratio(), whirl, sense }
        });
        Ok(list.collect())
    }

    /// How bodies move with the rotating force u Ω² of an unbalance u (kg m) at the origin of a body.
    pub fn unbalance(
        &self,
        axis: &Vec3,
        speed: f64,
        unbalance: &[(usize, f64)],
    ) -> Result<Vec<Orbit>, AnalysisError> {
        let mut ws = self.sys.workspace();
        self.sys.realize_position(self.state.t, &self.state.q, &self.state.z, &mut ws);
        let [first, second] = across(axis);
        let mut force = vec![[0.0; 2]; self.l.nv()];
        for (body, u) in unbalance {
            let push = u * speed * speed;
            // first cos Ωt + second sin Ωt = Re((first − i second) exp(iΩt))
            let parts =
                [first * push, second * -push].map(|f| self.sys.generalised_force(&ws, *body, &f));
            for (k, f) in force.iter_mut().enumerate() {
                f[0] += parts[0][k];
                f[1] += parts[1][k];
            }
        }
        let found = response(&self.l, speed, &force).map_err(|e| linear_error(&*self.sys, e))?;
        let orbits = self.shape(&ws, &found).into_iter().map(|b| {
            let (re, im) = (Vec3::from(b.real[0]), Vec3::from(b.imag[0]));
            // along first and second: circles with and against the spin
            let of = |v: &Vec3| [(re.dot(v)), (im.dot(v))];
            let ([a, b_], [c, d]) = (of(&first), of(&second));
            let with = 0.5 * (a - d).hypot(b_ + c);
            let against = 0.5 * (a + d).hypot(b_ - c);
            // a component that is rounding beside the orbit has no phase
            let least = 1e-12 * (with + against.abs());
            let entry =
                |k: usize| if re[k].hypot(im[k]) > least { (re[k], im[k]) } else { (0.0, 0.0) };
            Orbit {
                body: b.name,
                amplitude: [0, 1, 2].map(|k| entry(k).0.hypot(entry(k).1)),
                phase: [0, 1, 2].map(|k| entry(k).1.atan2(entry(k).0)),
                semi_axes: [with + against, with - against],
            }
        });
        Ok(orbits.collect())
    }

    /// How body frames move, for complex coordinates.
    fn shape(&self, ws: &delassus_model::Workspace, x: &[[f64; 2]]) -> Vec<BodyShape> {
        let part = |k: usize| {
            let xi: Vec<f64> = x.iter().map(|x| x[k]).collect();
            self.sys.body_variations(ws, &xi)
        };
        let numbers = |x: [Vec3; 2]| x.map(|v| [v.x, v.y, v.z]);
        let bodies = self.sys.model().bodies.iter().zip(part(0).into_iter().zip(part(1)));
        bodies
            .map(|(b, (re, im))| BodyShape {
                name: b.name.clone(),
                real: numbers(re),
                imag: numbers(im),
            })
            .collect()
    }
}

/// Two directions across the axis, right-handed with it; the first is x, or y where the axis is along x.
fn across(axis: &Vec3) -> [Vec3; 2] {
    let beside = if axis.x.abs() > 0.9 { Vec3::y() } else { Vec3::x() };
    let first = beside - axis * axis.dot(&beside);
    let first = first / first.norm();
    [first, axis.cross(&first)]
}

/// In which sense bodies go about the axis.
fn sense(shape: &[BodyShape], axis: &Vec3, length: f64) -> (Whirl, f64) {
    let (mut turns, mut lateral, mut all) = (0.0, 0.0, 0.0);
    for b in shape {
        for (k, unit) in [(0, 1.0 / length), (1, 1.0)] {
            let (re, im) = (Vec3::from(b.real[k]) * unit, Vec3::from(b.imag[k]) * unit);
            turns -= 2.0 * axis.dot(&re.cross(&im));
            for v in [re, im] {
                all += v.norm_squared();
                lateral += v.norm_squared() - axis.dot(&v).powi(2);
            }
        }
    }
    if lateral <= LATERAL * all {
        return (Whirl::Axial, 0.0);
    }
    let sense = turns / lateral;
    match sense {
        s if s > TURNS => (Whirl::Forward, s),
        s if s < -TURNS => (Whirl::Backward, s),
        s => (Whirl::Planar, s),
    }
}

/// Speeds at which some frequency is the speed, between the first and the last of `speeds`, which ascend. `whirl` gives the
/// undamped vibrations at a speed by frequency.
///
/// The k-th frequency is a continuous function of the speed whatever the modes do, so a change of sign of its
/// difference to the speed holds a root; two within one step of the ladder cancel and are not seen.
pub fn critical_speeds<E>(
    speeds: &[f64],
    mut whirl: impl FnMut(f64) -> Result<Vec<WhirlMode>, E>,
) -> Result<Vec<Critical>, E> {
    let most = speeds.last().copied().unwrap_or(0.0);
    let mut out = Vec::new();
    let mut before: Option<(f64, Vec<WhirlMode>)> = None;
    for speed in speeds.iter().copied().filter(|s| *s > STILL * most) {
        let here = whirl(speed)?;
        if let Some((from, then)) = before {
            let below = |list: &[WhirlMode], s: f64| list.iter().filter(|m| m.imag < s).count();
            let (a, b) = (below(&then, from), below(&here, speed));
            for k in a.min(b)..a.max(b) {
                if let Some(found) = refine(k, (from, &then), (speed, &here), &mut whirl)?
                    && found.whirl != Whirl::Axial
                {
                    out.push(found);
                }
            }
        }
        before = Some((speed, here));
    }
    out.sort_by(|a, b| a.speed.total_cmp(&b.speed));
    Ok(out)
}

/// Root of the k-th frequency less the speed, by regula falsi that halves the weight of an end that stays.
fn refine<E>(
    k: usize,
    (mut a, from): (f64, &[WhirlMode]),
    (mut b, to): (f64, &[WhirlMode]),
    whirl: &mut impl FnMut(f64) -> Result<Vec<WhirlMode>, E>,
) -> Result<Option<Critical>, E> {
    let of = |list: &[WhirlMode]| list.get(k).copied();
    let (Some(first), Some(last)) = (of(from), of(to)) else { return Ok(None) };
    let (mut fa, mut fb, mut at) = (first.imag - a, last.imag - b, last);
    let mut speed = b;
    for _ in 0..60 {
        if (b - a).abs() <= REFINED * b.abs() || fa == fb {
            break;
        }
        let next = b - fb * (b - a) / (fb - fa);
        let Some(mode) = of(&whirl(next)?) else { return Ok(None) };
        let f = mode.imag - next;
        let settled = (next - speed).abs() <= REFINED * next.abs();
        (at, speed) = (mode, next);
        if f == 0.0 || settled {
            break;
        }
        if (f > 0.0) == (fb > 0.0) {
            fa *= 0.5;
        } else {
            (a, fa) = (b, fb);
        }
        (b, fb) = (next, f);
    }
    // a vibration that ends in between (it becomes a growth) shifts the numbers of the others without a crossing
    let met = (at.imag - speed).abs() <= MET * speed;
    Ok(met.then_some(Critical { speed, whirl: at.whirl, sense: at.sense }))
}
