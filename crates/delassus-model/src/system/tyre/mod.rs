//! Tyres: forces of wheels on roads.
//!
//! A tyre is a force on the frame of a wheel. `place.rs` says where it touches, `slip.rs` gives the forces along the
//! road; this file puts them together, written once for numbers with and without derivatives (`real.rs`).
//! `tangent.rs` adds the derivatives to K and C.
//!
//! ```text
//! F_z = F(d) max(0, 1 + c ḋ / load)              normal to the road, none where d ≤ 0
//! u̇   = −v_s − (a(v_x) + b) u/σ                  deflection along and across the wheel: the states
//! s   = (u − τ w(v_x) v_s)/σ                      slip; without states s = −v_s/(p(v_x) + b)
//! b   = w(v_x) a(|v_s|) + (1 − w(v_x)) q(|v_s| − a(v_x))
//! ```
//!
//! v_s is the velocity of the wheel at the contact point along the road, v_x that of the centre along the wheel. a(v)
//! is |v| above `low_speed` and falls to zero like v² below it; p is |v| there too, but does not fall to zero; w fades
//! from 1 at rest to 0; q(e) = (e + p(e))/2 is e where that is positive, and else 0, but for a round corner as wide. So
//! a rolling tyre reaches the slip −v_s/|v_x| within the relaxation length σ, a tyre at rest is a spring of stiffness
//! (slope of the law)/σ that forgets nothing, and one that spins faster than it rolls slides with a slip of 1. All
//! functions have three continuous derivatives. The damper acts in proportion to the elastic force, so that nothing
//! jumps where the wheel lands, and it never pulls.

mod place;
mod slip;
mod tangent;
mod way;

use super::body::FrameKin;
use super::probe::Probe;
use super::real::{Dual, Real, V};
use super::{System, Workspace};
use crate::model::var;
use crate::{SlipLaw, TyreMeasure, Vertical, Wheel};
use delassus_dae::Power;
use delassus_math::Vec3;
use place::Place;
pub(super) use way::Track;

/// A tyre with frames resolved.
#[derive(Debug, Clone)]
pub(crate) struct Tyre {
    pub name: String,
    /// Number among the forces of the model.
    pub force: usize,
    pub at: usize,
    pub tyre: crate::Tyre,
    /// Auxiliary states of the deflections along and across the wheel.
    pub z: [Option<usize>; 2],
}

/// A tyre at the realised state. Components along the ground axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    /// Force on the wheel at its centre, N.
    pub force: Vec3,
    /// Torque about its centre, N m.
    pub torque: Vec3,
    /// Rates of the deflections, m/s.
    z_dot: [f64; 2],
    /// How fast they relax, 1/s.
    forget: [f64; 2],
    /// Forces along, across and normal to the road, N.
    parts: [f64; 3],
    elastic: f64,
    depth: f64,
    aligning: f64,
    /// Longitudinal slip and slip angle.
    slip: [f64; 2],
    camber: f64,
    point: Vec3,
    height: f64,
    /// Power that slip, damping and rolling take, W.
    loss: f64,
}

impl Default for Touch {
    fn default() -> Touch {
        let zero = Vec3::zeros();
        Touch {
            force: zero,
            torque: zero,
            z_dot: [0.0; 2],
            forget: [0.0; 2],
            parts: [0.0; 3],
            elastic: 0.0,
            depth: 0.0,
            aligning: 0.0,
            slip: [0.0; 2],
            camber: 0.0,
            point: zero,
            height: 0.0,
            loss: 0.0,
        }
    }
}

/// What the force depends on: centre, axle, their motion, and the deflections.
struct Motion<T> {
    p: V<T>,
    axle: V<T>,
    v: V<T>,
    w: V<T>,
    u: [T; 2],
}

/// What comes out, as far as it has derivatives.
struct Acting<T> {
    force: V<T>,
    torque: V<T>,
    u_dot: [T; 2],
    /// What sensors measure, besides deflections.
    parts: [T; 3],
    aligning: T,
    slip: [T; 2],
    camber: T,
    depth: T,
    height: T,
    point: V<T>,
    /// The rest, from values alone.
    touch: Touch,
}

impl<T: Real> Acting<T> {
    /// What a sensor measures, for these deflections.
    fn measured(&self, what: TyreMeasure, u: [T; 2]) -> T {
        match what {
            TyreMeasure::Force(k) => self.parts[k],
            TyreMeasure::Aligning => self.aligning,
            TyreMeasure::Slip => self.slip[0],
            TyreMeasure::SlipAngle => self.slip[1],
            TyreMeasure::Depth => self.depth,
            TyreMeasure::Camber => self.camber,
            TyreMeasure::Point(k) => self.point.0[k],
            TyreMeasure::Height => self.height,
            TyreMeasure::Deflection(k) => u[k],
        }
    }
}

/// Functions of the speed v, in units of the low speed: see the head of this file.
#[derive(Debug, Clone, Copy)]
struct LowSpeed(f64);

impl LowSpeed {
    /// An even function that is |v| from 1 on, from its value and slope below 1.
    fn even<T: Real>(self, v: T, below: impl Fn(f64) -> [f64; 2]) -> T {
        let u = v.value() / self.0;
        if u.abs() >= 1.0 {
            return v * u.signum();
        }
        let [f, d] = below(u);
        v.chain(self.0 * f, d)
    }

    /// a: zero at rest.
    fn travel<T: Real>(self, v: T) -> T {
        self.even(v, |u| {
            let x = u * u;
            let f = x * (35.0 + x * (-35.0 + x * (21.0 - 5.0 * x))) / 16.0;
            [f, u * (70.0 + x * (-140.0 + x * (126.0 - 40.0 * x))) / 16.0]
        })
    }

    /// p: never zero.
    fn divisor<T: Real>(self, v: T) -> T {
        self.even(v, |u| {
            let x = u * u;
            let f = (5.0 + x * (15.0 + x * (-5.0 + x))) / 16.0;
            [f, u * (30.0 + x * (-20.0 + 6.0 * x)) / 16.0]
        })
    }

    /// q: e above 0, else 0, with a round corner.
    fn beyond<T: Real>(self, e: T) -> T {
        if e.value() <= -self.0 {
            return T::of(0.0);
        }
        (e + self.divisor(e)) * 0.5
    }

    /// w: 1 at rest, 0 from 1 on.
    fn fade<T: Real>(self, v: T) -> T {
        let u = v.value() / self.0;
        let rest = 1.0 - u * u;
        if rest <= 0.0 {
            return T::of(0.0);
        }
        let cube = rest * rest * rest;
        v.chain(cube * rest, -8.0 * u * cube / self.0)
    }

    /// Sign of the speed, continuous through rest.
    fn sign<T: Real>(self, v: T) -> T {
        let u = v.value() / self.0;
        if u.abs() >= 1.0 {
            return T::of(u.signum());
        }
        let x = u * u;
        let f = u * (35.0 + x * (-35.0 + x * (21.0 - 5.0 * x))) / 16.0;
        let rest = 1.0 - x;
        v.chain(f, 35.0 / 16.0 * rest * rest * rest / self.0)
    }
}

impl Tyre {
    fn motion<T: Real>(&self, f: &FrameKin, u: [f64; 2]) -> Motion<T> {
        Motion {
            p: V::of(&f.p),
            axle: V::of(&(f.axes * self.tyre.at.r * self.tyre.axle)),
            v: V::of(&f.v),
            w: V::of(&f.w),
            u: u.map(T::of),
        }
    }

    /// Whether its force has a state.
    pub fn has_states(&self) -> bool {
        self.z.iter().any(Option::is_some)
    }

    /// Relaxation length, m, of those with a state.
    pub fn states(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let both = self.z.iter().zip(self.tyre.data.relaxation);
        both.filter_map(|(z, length)| Some(((*z)?, length)))
    }

    /// The size of a deflection, m: that of the largest force, or of the nominal load for a law without limit.
    pub fn deflection(&self, k: usize) -> f64 {
        let data = &self.tyre.data;
        let slip = match data.slip[k] {
            SlipLaw::Linear { slope } => data.load / slope,
            law => law.peak(1.0, data.load),
        };
        data.relaxation[k] * if slip < 1.0 { slip } else { 1.0 }
    }

    /// Depth at the nominal load, m, by the stiffness where the wheel begins to touch.
    fn pressed_in(&self) -> f64 {
        let (_, slope) = self.elastic(0.0);
        if slope > 0.0 { self.tyre.data.load / slope } else { 0.1 * self.tyre.data.radius }
    }

    /// Elastic vertical force at a depth above zero, and its slope.
    fn elastic(&self, d: f64) -> (f64, f64) {
        match &self.tyre.data.vertical {
            Vertical::Polynomial([k, k2]) => ((k + k2 * d) * d, k + 2.0 * k2 * d),
            Vertical::Expression(e) => e.eval_d1(&[0.0, d], var::COORDINATE),
        }
    }

    fn acting<T: Real>(&self, m: &Motion<T>) -> Acting<T> {
        let (tyre, data) = (&self.tyre, &self.tyre.data);
        let place = match tyre.wheel {
            Wheel::Planar => Place::flat(&m.axle),
            _ => Place::new(&tyre.road, &m.p, &m.axle, data.radius),
        };
        let at_road = m.v.plus(&m.w.cross(&place.arm));
        let ahead = m.v.dot(&place.along);
        let spins = tyre.wheel == Wheel::Spins;
        let sliding =
            [if spins { at_road.dot(&place.along) } else { T::of(0.0) }, at_road.dot(&place.left)];
        let low = LowSpeed(data.low_speed);
        let (slip, u_dot, forget) = self.slips(low, sliding, ahead, m.u);

        // normal to the road
        let closing = -at_road.dot(&place.n);
        let depth = place.depth.value();
        let (elastic, normal) = match tyre.wheel {
            Wheel::Planar => (data.load, T::of(data.load)),
            _ if depth > 0.0 => {
                let (f, slope) = self.elastic(depth);
                let f = place.depth.chain(f, slope);
                let damped = closing * (data.damping / data.load) + 1.0;
                let pushes = f.value() > 0.0 && damped.value() > 0.0;
                (f.value().max(0.0), if pushes { f * damped } else { T::of(0.0) })
            }
            _ => (0.0, T::of(0.0)),
        };

        // along the road
        let camber = -m.axle.dot(&place.n).asin();
        // it takes rolling for a leaning wheel to push aside
        let rolls = low.fade(ahead) * -1.0 + 1.0;
        let leaning = slip[1] + camber * rolls * data.camber;
        let across = if data.slip[1].takes_ratio() { leaning } else { leaning.atan() };
        let ([mut fx, fy], both) = if normal.value() > 0.0 {
            let r = normal * (1.0 / data.load);
            slip::forces(&data.slip, [slip[0], across], r, data.load, tyre.road.friction)
        } else {
            ([T::of(0.0); 2], T::of(0.0))
        };
        let direction = low.sign(ahead);
        let rest = (both * both) * -1.0 + 1.0;
        // a law without limit keeps its trail
        let trail = if rest.value() > 0.0 { rest * rest * rest * data.trail } else { T::of(0.0) };
        let aligning = -(trail * fy * direction);
        let rolling = normal * direction * -data.rolling_resistance;
        let mut torque = place.n.times(aligning);
        if spins {
            torque = torque.plus(&m.axle.times(rolling * data.radius));
        } else {
            fx = fx + rolling;
        }
        let force = place.along.times(fx).plus(&place.left.times(fy)).plus(&place.n.times(normal));
        // the bearing of a wheel that rolls freely passes on no torque about the axle
        let lever = if spins { force } else { force.minus(&place.along.times(fx)) };
        let about = place.arm.cross(&lever).plus(&torque);

        let speed = if spins { sliding[0] } else { ahead };
        let (n, f) = (normal.value(), [fx.value(), fy.value()]);
        let taken = f[0] * speed.value() + f[1] * sliding[1].value();
        let loss = (n - elastic) * closing.value() - taken - torque.values().dot(&m.w.values());
        let touch = Touch {
            force: force.values(),
            torque: about.values(),
            z_dot: u_dot.map(Real::value),
            forget,
            parts: [f[0], f[1], n],
            elastic,
            depth,
            aligning: aligning.value(),
            slip: [slip[0].value(), slip[1].value().atan()],
            camber: camber.value(),
            point: m.p.values() + place.arm.values(),
            height: place.height.value(),
            loss,
        };
        Acting {
            force,
            torque: about,
            u_dot,
            parts: [fx, fy, normal],
            aligning,
            slip: [slip[0], slip[1].atan()],
            camber,
            depth: place.depth,
            height: place.height,
            point: m.p.plus(&place.arm),
            touch,
        }
    }

    /// Slip along and across (as a ratio), rates of the deflections, and how fast these relax.
    fn slips<T: Real>(
        &self,
        low: LowSpeed,
        sliding: [T; 2],
        ahead: T,
        u: [T; 2],
    ) -> ([T; 2], [T; 2], [f64; 2]) {
        // keeps the root differentiable at rest, where the speed counts with its square
        const NO_SPEED: f64 = 1e-40;
        let data = &self.tyre.data;
        let [x, y] = sliding;
        let fade = low.fade(ahead);
        let speed = (x * x + y * y + NO_SPEED).sqrt();
        let rolled = low.travel(ahead);
        let spun = low.beyond(speed - rolled);
        let slides = fade * (low.travel(speed) - spun) + spun;
        let travelled = rolled + slides;
        let (mut slip, mut u_dot, mut forget) = ([T::of(0.0); 2], [T::of(0.0); 2], [0.0; 2]);
        for k in 0..2 {
            let length = data.relaxation[k];
            if self.z[k].is_some() {
                let rate = travelled * (1.0 / length);
                forget[k] = rate.value();
                u_dot[k] = -sliding[k] - rate * u[k];
                let damped = u[k] - fade * sliding[k] * data.slip_damping;
                slip[k] = damped * (1.0 / length);
            } else {
                slip[k] = -sliding[k] * (low.divisor(ahead) + slides).recip();
            }
        }
        (slip, u_dot, forget)
    }

    /// At the realised state.
    pub fn touch(&self, f: &FrameKin, z: &[f64]) -> Touch {
        self.acting(&self.motion::<f64>(f, self.deflections(z))).touch
    }

    fn deflections(&self, z: &[f64]) -> [f64; 2] {
        self.z.map(|k| k.map_or(0.0, |k| z[k]))
    }

    /// Energy of the vertical spring, J; one given by an expression has none, and its power counts as work.
    fn energy(&self, touch: &Touch) -> f64 {
        match &self.tyre.data.vertical {
            Vertical::Polynomial([k, k2]) if touch.depth > 0.0 => {
                let d = touch.depth;
                (0.5 * k + k2 * d / 3.0) * d * d
            }
            _ => 0.0,
        }
    }

    /// Power that is lost, and the rest of what it exchanges with the wheel: none on a plane.
    fn power(&self, f: &FrameKin, touch: &Touch) -> Power {
        let given = touch.force.dot(&f.v) + touch.torque.dot(&f.w);
        let stored = match self.tyre.data.vertical {
            Vertical::Polynomial(_) if touch.depth > 0.0 => touch.elastic * self.depth_rate(f),
            _ => 0.0,
        };
        Power { dissipated: touch.loss, work: given + stored + touch.loss }
    }

    /// Rate of the depth, m/s: with the road that changes below the wheel.
    fn depth_rate(&self, f: &FrameKin) -> f64 {
        let still = self.motion::<Dual<1>>(f, [0.0; 2]);
        let moving = |x: &V<Dual<1>>, rate: Vec3| {
            let at = |k: usize| Dual { x: x.0[k].x, d: [rate[k]] };
            V([at(0), at(1), at(2)])
        };
        let p = moving(&still.p, f.v);
        let axle = moving(&still.axle, f.w.cross(&still.axle.values()));
        Place::new(&self.tyre.road, &p, &axle, self.tyre.data.radius).depth.d[0]
    }
}

impl Touch {
    /// Depth of the unloaded wheel in the road, m; negative above it.
    pub fn depth(&self) -> f64 {
        self.depth
    }

    pub fn measured(&self, what: TyreMeasure, deflections: [f64; 2]) -> f64 {
        match what {
            TyreMeasure::Force(k) => self.parts[k],
            TyreMeasure::Aligning => self.aligning,
            TyreMeasure::Slip => self.slip[0],
            TyreMeasure::SlipAngle => self.slip[1],
            TyreMeasure::Depth => self.depth,
            TyreMeasure::Camber => self.camber,
            TyreMeasure::Point(k) => self.point[k],
            TyreMeasure::Height => self.height,
            TyreMeasure::Deflection(k) => deflections[k],
        }
    }
}

impl System {
    /// Evaluates all tyres.
    pub(super) fn evaluate_tyres(&self, ws: &mut Workspace) {
        for (i, tyre) in self.tyres.iter().enumerate() {
            let touch = tyre.touch(&ws.kin.frames[tyre.at], &ws.z);
            for (z, rate) in tyre.z.iter().zip(touch.z_dot) {
                if let Some(z) = z {
                    ws.z_dot[*z] = rate;
                }
            }
            ws.touches[i] = touch;
        }
    }

    /// Adds their forces.
    pub(super) fn add_tyre_forces(&self, ws: &mut Workspace) {
        for (i, tyre) in self.tyres.iter().enumerate() {
            let Touch { force, torque, .. } = ws.touches[i];
            self.add_wrench(ws, tyre.at, &force, &torque);
        }
    }

    /// How fast the states of tyres relax, 1/s.
    pub(super) fn tyre_relaxation(&self, ws: &Workspace, out: &mut [f64]) {
        for (tyre, touch) in self.tyres.iter().zip(&ws.touches) {
            for (z, rate) in tyre.z.iter().zip(touch.forget) {
                if let Some(z) = z {
                    out[*z] = rate;
                }
            }
        }
    }

    pub(super) fn tyre_energy(&self, ws: &Workspace) -> f64 {
        self.tyres.iter().zip(&ws.touches).map(|(tyre, touch)| tyre.energy(touch)).sum()
    }

    pub(super) fn add_tyre_power(&self, ws: &Workspace, p: &mut Power) {
        for (tyre, touch) in self.tyres.iter().zip(&ws.touches) {
            let own = tyre.power(&ws.kin.frames[tyre.at], touch);
            p.dissipated += own.dissipated;
            p.work += own.work;
        }
    }

    /// What a sensor measures at a tyre.
    pub(super) fn tyre_reading(&self, ws: &Workspace, tyre: usize, what: TyreMeasure) -> f64 {
        ws.touches[tyre].measured(what, self.tyres[tyre].deflections(&ws.z))
    }
}

impl Probe {
    /// Sensor of a tyre.
    pub(super) fn of_tyre(tyres: &[Tyre], force: usize, what: TyreMeasure) -> Probe {
        // the compiler of models accepts forces of this type only
        let tyre = tyres.iter().position(|t| t.force == force).unwrap_or(0);
        Probe::Tyre(tyre, what)
    }
}
