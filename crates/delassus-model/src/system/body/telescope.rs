//! A kind of body for tests, with everything that a new kind may bring: a rigid hull with a rod that slides along its x
//! axis. The rod is a coordinate of its own, so there are seven velocities and the mass matrix depends on the
//! configuration; frames far out along x are on the rod.
//!
//! With R the orientation of the hull, s the displacement of the rod, e = x̂ and ρ the position of the rod's mass in
//! the hull:
//!
//! ```text
//! v_rod = v + R (Ω × (ρ + s e) + e ṡ)          T = ½ m₁ v² + ½ Ω·JΩ + ½ m₂ v_rod²,  V = ½ k s²
//! ```

use super::rigid::Rigid;
use super::{BodyKin, FrameJac, FrameKin, FrameLayout, Here, Kind, Pose, PoseForm, Twist};
use crate::{Body, BodyKind, Model};
use delassus_dae::Block;
use delassus_math::{Mat3, Quat, Vec3};
use std::ops::Range;

/// Fraction of the body's mass that slides.
const SLIDING: f64 = 0.4;
/// Frames with a larger x are on the rod, m; the rod's mass is at this x.
const ROD: f64 = 0.3;
/// Stiffness that holds the rod, N/m.
const STIFFNESS: f64 = 30.0;

pub(crate) struct Telescope;

/// Turns the rigid bodies of a model into telescopes.
pub fn telescoping(model: &mut Model) {
    for b in model.bodies.iter_mut().filter(|b| b.kind == BodyKind::Rigid) {
        b.kind = BodyKind::Telescope;
    }
}

fn on_rod(frame: &FrameLayout) -> f64 {
    f64::from(u8::from(frame.r_b.x > ROD))
}

/// The rod's mass at the realised state.
struct Rod {
    m: f64,
    r: Mat3,
    /// From the hull's mass centre, body components.
    at: Vec3,
    o: Vec3,
    rate: f64,
}

impl Rod {
    fn new(h: &Here<'_>) -> Rod {
        let at = Vec3::x() * (ROD + h.q()[7]);
        let (r, rate) = (h.at.r_wb, h.v()[6]);
        Rod { m: SLIDING * h.body.mass, r, at, o: r.tr_mul(&h.at.w), rate }
    }

    /// Velocity per unit of velocity k, body components.
    fn column(&self, k: usize) -> Vec3 {
        match k {
            0..3 => self.r.row(k).transpose(),
            3..6 => Vec3::ith(k - 3, 1.0).cross(&self.at),
            _ => Vec3::x(),
        }
    }

    /// Acceleration at zero acceleration of the coordinates, body components.
    fn bias(&self) -> Vec3 {
        self.o.cross(&(self.o.cross(&self.at) + Vec3::x() * (2.0 * self.rate)))
    }
}

impl Kind for Telescope {
    const NAME: &'static str = "telescope";
    const LABEL: &'static str = "a telescope";
    const FIELDS: &'static [&'static str] = Rigid::FIELDS;
    const PLANAR: bool = false;
    const ROTATION: Range<usize> = Rigid::ROTATION;
    const POSE: PoseForm = Rigid::POSE;
    const CONSTANT_MASS: bool = false;
    const ONE_PIECE: bool = false;

    fn names(b: &Body) -> (Vec<String>, Vec<String>) {
        let (mut q, mut v) = Rigid::names(b);
        q.push("rod".to_owned());
        v.push("rod".to_owned());
        (q, v)
    }

    fn blocks(b: &Body) -> Vec<Block> {
        let mut blocks = Rigid::blocks(b);
        blocks.push(Block::Vector(1));
        blocks
    }

    fn put(pose: &Pose, q: &mut [f64]) {
        Rigid::put(pose, q);
    }

    fn turn(q: &[f64]) -> (Quat, f64) {
        Rigid::turn(q)
    }

    fn place(q: &[f64], at: &mut BodyKin) {
        Rigid::place(q, at);
    }

    fn travel(v: &[f64], at: &mut BodyKin) {
        Rigid::travel(v, at);
    }

    fn anchor(p: &Vec3) -> Vec3 {
        *p
    }

    fn place_frame(frame: &FrameLayout, at: &BodyKin, q: &[f64], f: &mut FrameKin) {
        let s = on_rod(frame) * frame.own_q(q)[7];
        f.arm = at.r_wb * (frame.r_b + Vec3::x() * s);
        f.p = at.x + f.arm;
        f.axes = at.r_wb;
    }

    fn move_frame(frame: &FrameLayout, at: &BodyKin, _: &[f64], v: &[f64], f: &mut FrameKin) {
        let out: Vec3 = at.r_wb.column(0) * (on_rod(frame) * frame.own_v(v)[6]);
        let spin = at.w.cross(&f.arm);
        f.v = at.v + spin + out;
        f.w = at.w;
        f.bias = at.w.cross(&(spin + out * 2.0));
    }

    fn transpose_mul(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, out: &mut [f64]) {
        Rigid::transpose_mul(j, lin, ang, out);
        out[6] += on_rod(j.frame) * j.h.at.r_wb.column(0).dot(lin);
    }

    fn column(j: &FrameJac<'_>, k: usize) -> Twist {
        if k < 6 {
            return Rigid::column(j, k);
        }
        [j.h.at.r_wb.column(0) * on_rod(j.frame), Vec3::zeros()]
    }

    fn drift(j: &FrameJac<'_>, k: usize) -> Twist {
        let u: Vec3 = j.h.at.r_wb.column(0) * on_rod(j.frame);
        if k == 6 {
            return [j.h.at.w.cross(&u), Vec3::zeros()];
        }
        let [lin, ang] = Rigid::drift(j, k);
        let turned = if k < 3 { Vec3::zeros() } else { j.h.at.r_wb.column(k - 3).cross(&u) };
        [lin + turned * j.h.v()[6], ang]
    }

    fn geometric(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, mut add: impl FnMut(usize, usize, f64)) {
        Rigid::geometric(j, lin, ang, &mut add);
        let r = &j.h.at.r_wb;
        let u: Vec3 = r.column(0) * on_rod(j.frame);
        for k in 0..3 {
            let x = r.column(k).dot(&u.cross(lin));
            add(3 + k, 6, x);
            add(6, 3 + k, x);
        }
    }

    fn mass(h: &Here<'_>, block: &mut [f64]) {
        Rigid::mass(h, block);
        let rod = Rod::new(h);
        for k in 0..3 {
            block[8 * k] -= rod.m;
        }
        for (i, k) in (0..7).flat_map(|i| (0..7).map(move |k| (i, k))) {
            block[7 * k + i] += rod.m * rod.column(i).dot(&rod.column(k));
        }
    }

    fn force(h: &Here<'_>, gravity: &Vec3, f: &mut [f64]) {
        Rigid::force(h, gravity, f);
        let rod = Rod::new(h);
        // the weight is that of both, and acts on the rod where it is
        let own = rod.bias();
        for (k, x) in f.iter_mut().enumerate() {
            *x -= rod.m * rod.column(k).dot(&own);
            if k >= 3 {
                *x += rod.m * rod.column(k).dot(&rod.r.tr_mul(gravity));
            }
        }
        f[6] -= STIFFNESS * h.q()[7];
    }

    fn tangent(
        h: &Here<'_>,
        gravity: &Vec3,
        a: &[f64],
        ck: f64,
        cc: f64,
        mut add: impl FnMut(usize, usize, f64),
    ) {
        Rigid::tangent(h, gravity, a, ck, cc, &mut add);
        let rod = Rod::new(h);
        let (o, e, at) = (&rod.o, Vec3::x(), &rod.at);
        let alpha = Vec3::new(a[3], a[4], a[5]);
        // r = m Jᵀ y with y the acceleration less gravity, body components
        let fallen = rod.r.tr_mul(&(Vec3::new(a[0], a[1], a[2]) - gravity));
        let y = fallen + alpha.cross(at) + e * a[6] + rod.bias();
        for k in 3..7 {
            // changes of y by ξ and by v, of the path to the rod, and of the axes under R y
            let turn = if k < 6 { Vec3::ith(k - 3, 1.0) } else { Vec3::zeros() };
            let out = if k < 6 { Vec3::zeros() } else { e };
            let by_xi = fallen.cross(&turn) + alpha.cross(&out) + o.cross(&o.cross(&out));
            let by_v = turn.cross(&(o.cross(at) + e * (2.0 * rod.rate)))
                + o.cross(&(turn.cross(at) + out * 2.0));
            let dy = by_xi * ck + by_v * cc;
            let lin = rod.r * (dy + turn.cross(&y) * ck);
            let ang = at.cross(&dy) + out.cross(&y) * ck;
            for i in 0..3 {
                add(i, k, rod.m * lin[i]);
                add(3 + i, k, rod.m * ang[i]);
            }
            add(6, k, rod.m * dy.x);
        }
        add(6, 6, ck * STIFFNESS);
    }

    fn kinetic(h: &Here<'_>) -> f64 {
        let rod = Rod::new(h);
        let v = (0..7).fold(Vec3::zeros(), |v, k| v + rod.column(k) * h.v()[k]);
        let hull = Rigid::kinetic(h) - 0.5 * rod.m * h.at.v.norm_squared();
        hull + 0.5 * rod.m * v.norm_squared()
    }

    fn potential(h: &Here<'_>, gravity: &Vec3) -> f64 {
        let (rod, s) = (Rod::new(h), h.q()[7]);
        let weight = h.body.mass * gravity.dot(&h.at.x) + rod.m * gravity.dot(&(rod.r * rod.at));
        0.5 * STIFFNESS * s * s - weight
    }

    fn lacks_inertia(inertia: &Mat3) -> bool {
        Rigid::lacks_inertia(inertia)
    }

    fn idle_rotations(inertia: &Mat3) -> Vec<(String, Vec<(usize, f64)>)> {
        Rigid::idle_rotations(inertia)
    }

    fn least_inertia(inertia: &Mat3) -> Option<f64> {
        Rigid::least_inertia(inertia)
    }
}

#[cfg(test)]
super::contract::body_contract!("telescope");

#[cfg(test)]
mod tests {
    use crate::System;
    use crate::joint::contract::{Lab, TELESCOPES};
    use delassus_dae::{Problem, Settings, State, integrator};

    /// Two telescopes, the second on the rod of the first.
    const CHAIN: &str = "schema = 1\ngravity = [0, -9.81, 0]\n\
        [ground.markers]\np = [-0.2, 0, 0]\n\
        [body.a]\ntype = 'rigid'\nmass = 2\ninertia = [0.1, 0.2, 0.3]\nrate = [0, 1, 2]\n\
        markers.p = [-0.2, 0, 0]\nmarkers.tip = [0.8, 0, 0]\n\
        [body.b]\ntype = 'rigid'\nmass = 1\ninertia = [0.3, 0.2, 0.1]\nposition = [1.1, 0, 0]\n\
        markers.p = [-0.3, 0, 0]\n\
        [joint.one]\ntype = 'spherical'\nbetween = ['ground.p', 'a.p']\n\
        [joint.two]\ntype = 'revolute'\nbetween = ['a.tip', 'b.p']\naxis = [0, 1, 1]\n";

    #[test]
    fn methods_of_all_families_agree_on_a_mass_that_varies() {
        let lab = Lab::new(&format!("{TELESCOPES}{CHAIN}"));
        let start = crate::assemble(lab.sys).unwrap_or_else(|e| panic!("{e:?}"));
        let (sys, s): (&System, _) = (&start.system, &start.state);
        assert!(!sys.structure().constant_mass);
        let run = |method: &str| -> (State, f64) {
            let made = integrator::make(method, sys, &Settings::default());
            let mut method = made.and_then(Result::ok).unwrap_or_else(|| panic!("{method}"));
            let mut ws = sys.workspace();
            let (mut from, mut to) = (s.clone(), s.clone());
            let energy = |s: &State| {
                let mut ws = sys.workspace();
                sys.realize_position(s.t, &s.q, &s.z, &mut ws);
                sys.realize_velocity(&s.v, &s.z, &mut ws);
                let e = sys.energies(&ws).unwrap_or_default();
                e.kinetic + e.potential
            };
            method.restart(sys, &mut ws, &from).unwrap_or_else(|e| panic!("{e:?}"));
            let before = energy(&from);
            for _ in 0..200 {
                let step = method.attempt(sys, &mut ws, &from, 1e-3, &mut to);
                step.unwrap_or_else(|e| panic!("{e:?}"));
                method.commit();
                from.clone_from(&to);
            }
            let change = energy(&from) - before;
            (from, change)
        };
        let (wanted, change) = run("dop853");
        assert!(change.abs() < 1e-9, "{change}");
        let moved = (0..wanted.q.len()).map(|k| (wanted.q[k] - s.q[k]).abs());
        assert!(wanted.q[7].abs() > 1e-2 && delassus_math::largest(moved) > 0.1, "{:?}", wanted.q);
        for (method, tol) in [
            ("mdop5", 1e-9),
            ("hem5", 1e-9),
            ("radau5", 1e-7),
            ("gen-alpha", 1e-4),
            ("gen-alpha-ggl", 1e-4),
            ("al", 1e-4),
            ("mns", 1e-4),
        ] {
            let (found, _) = run(method);
            for (x, y) in found.q.iter().zip(&wanted.q) {
                assert!((x - y).abs() < tol, "{method}: {x} {y}");
            }
        }
    }
}
