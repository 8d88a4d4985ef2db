//! What every joint must keep, checked by differences at random states.
//!
//! The macro at the end of a joint's file names its rows for planar and for spatial bodies;
//! [`joint`] then tries the joint between two bodies and between a body and the ground. The
//! [`Lab`] is shared with the contract of forces.

use crate::spec::ModelSpec;
use crate::{AxisPair, BodyKind, JointId, JointKind, Model, System, Workspace, compile};
use delassus_dae::problem::mass_mul_add;
use delassus_dae::{Problem, Quality, State};
use delassus_linalg::Csr;
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use nalgebra::{DMatrix, DVector};

/// One test per body kind: `joint_contract!(revolute, planar 2, spatial 5)`.
macro_rules! joint_contract {
    ($name:ident $(, planar $planar:literal)? $(, spatial $spatial:literal)?) => {
        mod contract {
            $(#[test]
            fn planar() {
                crate::joint::contract::joint(stringify!($name), crate::BodyKind::Planar, $planar);
            })?
            $(#[test]
            fn spatial() {
                crate::joint::contract::joint(stringify!($name), crate::BodyKind::Rigid, $spatial);
            })?
        }
    };
}
pub(super) use joint_contract;

/// Two bodies with markers off their mass centres, and a ground marker.
pub(crate) fn scene(kind: BodyKind) -> &'static str {
    if kind.is_planar() {
        r#"
schema = 1
gravity = [0.4, -9.81]
[ground.markers]
m = { position = [0.2, -0.1], angle = 0.4 }
n = { position = [-0.3, 0.5], angle = -0.9 }
[body.a]
type = "planar"
mass = 1.3
inertia = 0.7
com = [0.1, 0.2]
position = [0.3, 0.1]
angle = 0.5
markers.m = { position = [0.6, -0.3], angle = 0.7 }
[body.b]
type = "planar"
mass = 0.8
inertia = 0.3
com = [-0.2, 0.1]
position = [1.1, 0.9]
angle = -0.3
markers.n = { position = [-0.4, 0.5], angle = -1.1 }
"#
    } else {
        r#"
schema = 1
gravity = [0.4, -9.81, 1.2]
[ground.markers]
m = { position = [0.2, -0.1, 0.3], orientation = { axis = [1, 2, -1], angle = 0.8 } }
n = { position = [-0.3, 0.5, 0.1], orientation = { axis = [-1, 1, 2], angle = 1.3 } }
[body.a]
type = "rigid"
mass = 1.3
inertia = [0.7, 0.9, 1.1, 0.05, -0.1, 0.08]
com = [0.1, 0.2, -0.1]
position = [0.3, 0.1, 0.2]
orientation = { axis = [0, 1, 1], angle = 0.5 }
markers.m = { position = [0.6, -0.3, 0.2], orientation = { axis = [1, -1, 2], angle = 0.7 } }
[body.b]
type = "rigid"
mass = 0.8
inertia = [0.3, 0.5, 0.4, -0.02, 0.03, 0.05]
com = [-0.2, 0.1, 0.15]
position = [1.1, 0.9, -0.4]
orientation = { axis = [1, 0, 2], angle = -0.6 }
markers.n = { position = [-0.4, 0.5, -0.3], orientation = { axis = [2, 1, 1], angle = -1.1 } }
"#
    }
}

/// First and second frame; the elements are tried on all of them.
pub(crate) const ENDS: [[&str; 2]; 3] = [["a.m", "b.n"], ["ground.m", "b.n"], ["a.m", "ground.n"]];

/// Random numbers that are the same in every run.
pub(crate) struct Rng(pub u64);

impl Rng {
    /// Uniform in −1 … 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> DVector<f64> {
        DVector::from_fn(n, |_, _| self.next())
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// How far a starting configuration keeps the constraint of the frames it is made for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pose {
    Free,
    /// Axes parallel.
    Aligned,
    /// Axes parallel and origins together.
    Pinned,
}

/// A system whose functions are asked for at any state.
pub(crate) struct Lab {
    pub sys: System,
    pub ws: Workspace,
}

impl Lab {
    pub fn new(text: &str) -> Lab {
        let spec: ModelSpec = toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let model = compile(&spec).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        let sys = System::new(model).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        let ws = sys.workspace();
        Lab { sys, ws }
    }

    pub fn model(&self) -> &Model {
        self.sys.model()
    }

    /// A random state; `pair` says what must be aligned or pinned.
    pub fn state(&self, rng: &mut Rng, pose: Pose, pair: Option<&AxisPair>) -> State {
        let d = self.sys.dims();
        let mut q = vec![0.0; d.nq];
        let xi = rng.vector(d.nv) * 2.0;
        self.sys.manifold().retract(&self.sys.given_configuration(), xi.as_slice(), &mut q);
        if let (true, Some(p)) = (pose != Pose::Free, pair) {
            self.fit(&mut q, p, pose, rng.next());
        }
        let t = rng.next();
        let mut z = self.sys.initial_z(t, &q);
        // what counts no turns is an integral, which may have any value
        for x in z.iter_mut().filter(|x| **x == 0.0) {
            *x = rng.next();
        }
        State { t, q, v: rng.vector(d.nv).as_slice().to_vec(), z }
    }

    /// Moves one of two bodies until the frames fit.
    fn fit(&self, q: &mut [f64], p: &AxisPair, pose: Pose, twist: f64) {
        let (fixed, moving, za, zb) = match p.b.body {
            Some(_) => (&p.a, &p.b, p.axis_a, p.axis_b),
            None => (&p.b, &p.a, p.axis_b, p.axis_a),
        };
        let at = |f: &crate::Frame| match f.body {
            Some(b) => (self.place(q, b.0), self.model().bodies[b.0].com),
            None => ((Vec3::zeros(), Mat3::identity()), Vec3::zeros()),
        };
        let ((x, r), com) = at(fixed);
        let target = x + r * (fixed.p - com);
        let ((_, mut r_m), com_m) = at(moving);
        let Some(body) = moving.body else { return };
        let k = self.first(body.0, BodyKind::nq);
        if self.model().bodies[body.0].kind == BodyKind::Rigid {
            let turn = Quat::from_axis_angle(&Vec3::z(), twist).matrix();
            let here = r * fixed.r * frame_from_z(&za) * turn;
            r_m = here * (moving.r * frame_from_z(&zb)).transpose();
            q[k + 3..k + 7].copy_from_slice(&Quat::from_matrix(&r_m).0);
        }
        if pose == Pose::Pinned {
            let x = target - r_m * (moving.p - com_m);
            let n = if self.model().bodies[body.0].kind.is_planar() { 2 } else { 3 };
            q[k..k + n].copy_from_slice(&x.as_slice()[..n]);
        }
    }

    /// First coordinate or velocity of a body.
    fn first(&self, body: usize, n: fn(BodyKind) -> usize) -> usize {
        self.model().bodies[..body].iter().map(|b| n(b.kind)).sum()
    }

    /// Mass centre and rotation of a body.
    pub fn place(&self, q: &[f64], body: usize) -> (Vec3, Mat3) {
        let q = &q[self.first(body, BodyKind::nq)..];
        match self.model().bodies[body].kind {
            BodyKind::Planar => {
                (Vec3::new(q[0], q[1], 0.0), Quat::from_axis_angle(&Vec3::z(), q[2]).matrix())
            }
            BodyKind::Rigid => (Vec3::new(q[0], q[1], q[2]), Quat::from_slice(&q[3..7]).matrix()),
            BodyKind::Point => (Vec3::new(q[0], q[1], q[2]), Mat3::identity()),
            BodyKind::PlanarPoint => (Vec3::new(q[0], q[1], 0.0), Mat3::identity()),
        }
    }

    /// The state after a rigid motion of everything: about z and in the plane for planar bodies.
    pub fn carried(&self, s: &State, turn: &Vec3, shift: &Vec3) -> State {
        let mut out = s.clone();
        let rot = Quat::exp(turn);
        let m = rot.matrix();
        for (i, b) in self.model().bodies.iter().enumerate() {
            let (iq, iv) = (self.first(i, BodyKind::nq), self.first(i, BodyKind::nv));
            let (x, _) = self.place(&s.q, i);
            let x = m * x + shift;
            let n = if b.kind.is_planar() { 2 } else { 3 };
            let mut v = Vec3::zeros();
            v.as_mut_slice()[..n].copy_from_slice(&s.v[iv..iv + n]);
            out.q[iq..iq + n].copy_from_slice(&x.as_slice()[..n]);
            out.v[iv..iv + n].copy_from_slice(&(m * v).as_slice()[..n]);
            if b.kind == BodyKind::Planar {
                out.q[iq + 2] += turn.z;
            } else {
                out.q[iq + 3..iq + 7]
                    .copy_from_slice(&rot.mul(&Quat::from_slice(&s.q[iq + 3..])).0);
            }
        }
        out
    }

    /// A rigid motion that the bodies can follow.
    pub fn rigid_motion(&self, rng: &mut Rng) -> (Vec3, Vec3) {
        let (turn, shift) = (rng.vec3(), rng.vec3());
        if self.model().bodies.iter().any(|b| b.kind.is_planar()) {
            (Vec3::z() * turn.z, Vec3::new(shift.x, shift.y, 0.0))
        } else {
            (turn, shift)
        }
    }

    pub fn realize(&mut self, s: &State) {
        self.sys.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        self.sys.realize_velocity(&s.v, &s.z, &mut self.ws);
    }

    pub fn force(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().nv];
        self.sys.force(&self.ws, &mut out);
        out.into()
    }

    pub fn position_rows(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().n_pos];
        self.sys.residual_pos(&self.ws, &mut out);
        out.into()
    }

    pub fn velocity_rows(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().n_vel];
        self.sys.residual_vel(&self.ws, &mut out);
        out.into()
    }

    pub fn bias(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().n_vel];
        self.sys.bias(&self.ws, &mut out);
        out.into()
    }

    pub fn jacobian(&mut self, s: &State) -> DMatrix<f64> {
        self.realize(s);
        let pattern = self.sys.structure().jac;
        let mut values = vec![0.0; pattern.nnz()];
        self.sys.jacobian(&self.ws, &mut values);
        dense(&pattern, &values)
    }

    /// Mass matrix, column by column.
    pub fn mass(&mut self, s: &State) -> DMatrix<f64> {
        self.realize(s);
        let blocks = self.sys.structure().mass;
        let mut values = vec![0.0; blocks.value_len()];
        self.sys.mass(&self.ws, &mut values);
        let n = self.sys.dims().nv;
        let mut out = DMatrix::zeros(n, n);
        for k in 0..n {
            let e: DVector<f64> = DVector::from_fn(n, |i, _| f64::from(u8::from(i == k)));
            let mut y = vec![0.0; n];
            mass_mul_add(&blocks, &values, e.as_slice(), &mut y);
            out.set_column(k, &DVector::from(y));
        }
        out
    }

    /// M a − f − Gᵀλ.
    fn residual(&mut self, s: &State, a: &DVector<f64>, l: &DVector<f64>) -> DVector<f64> {
        self.mass(s) * a - self.force(s) - self.jacobian(s).transpose() * l
    }

    pub fn tangent(&mut self, s: &State, l: &[f64], ck: f64, cc: f64) -> (DMatrix<f64>, Quality) {
        self.realize(s);
        let pattern = self.sys.structure().tangent;
        let mut values = vec![0.0; pattern.nnz()];
        let a = vec![0.0; self.sys.dims().nv];
        let quality = self.sys.tangent(&self.ws, &a, l, ck, cc, &mut values);
        (dense(&pattern, &values), quality)
    }

    /// The state moved by (ξ, δv, δt).
    pub fn moved(&self, s: &State, xi: &DVector<f64>, dv: &DVector<f64>, dt: f64) -> State {
        let mut out = s.clone();
        self.sys.manifold().retract(&s.q, xi.as_slice(), &mut out.q);
        out.v = (DVector::from(s.v.clone()) + dv).as_slice().to_vec();
        out.t += dt;
        out
    }

    /// Derivative of `of` when the state moves at the rates (ξ, δv, δt): fourth order.
    pub fn slope(
        &mut self,
        s: &State,
        rates: (&DVector<f64>, &DVector<f64>, f64),
        mut of: impl FnMut(&mut Lab, &State) -> DVector<f64>,
    ) -> DVector<f64> {
        const H: f64 = 1e-3;
        let mut at = |c: f64| {
            let h = c * H;
            let moved = self.moved(s, &(rates.0 * h), &(rates.1 * h), rates.2 * h);
            of(self, &moved)
        };
        let (near, far) = (at(1.0) - at(-1.0), at(2.0) - at(-2.0));
        (near * 8.0 - far) / (12.0 * H)
    }

    /// ∂/∂ξ or ∂/∂v of `of`, one column per velocity.
    pub fn gradient(
        &mut self,
        s: &State,
        in_v: bool,
        mut of: impl FnMut(&mut Lab, &State) -> DVector<f64>,
    ) -> DMatrix<f64> {
        let n = self.sys.dims().nv;
        let zero = DVector::zeros(n);
        let columns: Vec<DVector<f64>> = (0..n)
            .map(|k| {
                let mut e = DVector::zeros(n);
                e[k] = 1.0;
                let rates = if in_v { (&zero, &e, 0.0) } else { (&e, &zero, 0.0) };
                self.slope(s, rates, &mut of)
            })
            .collect();
        DMatrix::from_columns(&columns)
    }

    /// K and C against differences of the residual. True when the system claims they are exact.
    pub fn check_tangent(&mut self, s: &State, rng: &mut Rng, what: &str) -> bool {
        let d = self.sys.dims();
        let (a, l) = (rng.vector(d.nv), rng.vector(d.n_vel));
        let (k, quality) = self.tangent(s, l.as_slice(), 1.0, 0.0);
        let (c, _) = self.tangent(s, l.as_slice(), 0.0, 1.0);
        if quality == Quality::Exact {
            let expected = self.gradient(s, false, |lab, s| lab.residual(s, &a, &l));
            close(&k, &expected, 1e-6, &format!("{what}: K"));
        }
        let expected = self.gradient(s, true, |lab, s| lab.residual(s, &a, &l));
        close(&c, &expected, 1e-6, &format!("{what}: C"));
        let (both, _) = self.tangent(s, l.as_slice(), 0.3, 0.7);
        close(&both, &(k * 0.3 + c * 0.7), 1e-12, &format!("{what}: 0.3 K + 0.7 C"));
        quality == Quality::Exact
    }

    /// Total force and total moment about the origin of a generalised force.
    pub fn resultant(&self, s: &State, f: &DVector<f64>) -> DVector<f64> {
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for (i, b) in self.model().bodies.iter().enumerate() {
            let f = &f.as_slice()[self.first(i, BodyKind::nv)..];
            let (x, r) = self.place(&s.q, i);
            let (lin, torque) = match b.kind {
                BodyKind::Planar => (Vec3::new(f[0], f[1], 0.0), Vec3::z() * f[2]),
                _ => (Vec3::new(f[0], f[1], f[2]), r * Vec3::new(f[3], f[4], f[5])),
            };
            force += lin;
            moment += x.cross(&lin) + torque;
        }
        DVector::from_iterator(6, force.iter().chain(moment.iter()).copied())
    }
}

fn dense(pattern: &Csr, values: &[f64]) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(pattern.nrows, pattern.ncols);
    for i in 0..pattern.nrows {
        for k in pattern.row_ptr[i]..pattern.row_ptr[i + 1] {
            out[(i, pattern.col[k])] += values[k];
        }
    }
    out
}

/// Equal relative to the largest entry (or to 10⁻³ where all are small).
pub(crate) fn close<R: nalgebra::Dim, C: nalgebra::Dim, S, T>(
    found: &nalgebra::Matrix<f64, R, C, S>,
    expected: &nalgebra::Matrix<f64, R, C, T>,
    tol: f64,
    what: &str,
) where
    S: nalgebra::RawStorage<f64, R, C>,
    T: nalgebra::RawStorage<f64, R, C>,
{
    assert_eq!(found.shape(), expected.shape(), "{what}");
    let scale = expected.iter().chain(found.iter()).fold(1e-3, |m: f64, x| m.max(x.abs()));
    for (x, y) in found.iter().zip(expected.iter()) {
        assert!(
            (x - y).abs() <= tol * scale,
            "{what}: {x:e}, expected {y:e}, scale {scale:e}\n{found:.6}{expected:.6}"
        );
    }
}

/// The joint as written, one text per variant.
fn texts(name: &str, kind: BodyKind, [first, second]: [&str; 2]) -> Vec<String> {
    let between = format!("between = [\"{first}\", \"{second}\"]");
    let planar = kind.is_planar();
    let skew = if planar {
        "axis = [0.6, 0.8]\naxis2 = [0.8, -0.6]"
    } else {
        "axis = [1, -2, 3]\naxis2 = [2, 1, 0.5]"
    };
    // joints that turn do so about z between planar bodies
    let axis = if planar { "" } else { skew };
    let joint = |name: &str, kind: &str, rest: &str| {
        format!("[joint.{name}]\ntype = \"{kind}\"\n{between}\n{rest}\n")
    };
    let one = |rest: &str| joint("j", &name.replace('_', "-"), rest);
    match name {
        "prismatic" => vec![one(skew)],
        "point_on_line" | "point_on_plane" => {
            let axis = skew.lines().next().unwrap_or("");
            vec![one(axis)]
        }
        "spherical" | "fixed" => vec![one("")],
        "distance" => vec![one(""), one("length = 1.7")],
        "screw" => vec![one(&format!("{axis}\npitch = 0.3"))],
        "motion" => [("angle", axis), ("position", skew)]
            .iter()
            .map(|(c, axis)| {
                one(&format!("{axis}\ncoordinate = \"{c}\"\nvalue = \"0.3 + sin(2*t)\""))
            })
            .collect(),
        "rolling" if planar => vec![
            one("axis = [0.6, 0.8]\nradius = 0.4"),
            one("axis = [0.6, 0.8]\nradius = 0.4\nshape = \"sphere\""),
        ],
        "rolling" => vec![
            one(&format!("{skew}\nradius = 0.4")),
            one("axis = [1, -2, 3]\nradius = 0.4\nshape = \"sphere\""),
        ],
        "coupling" => {
            let (turning, sliding) =
                if planar { ("revolute", "prismatic") } else { ("cylindrical", "cylindrical") };
            vec![
                joint("turn", turning, axis)
                    + &joint("slide", sliding, skew)
                    + "[joint.j]\ntype = \"coupling\"\nterms = [\
                       { joint = \"turn\", coordinate = \"angle\", coefficient = 1.5 }, \
                       { joint = \"slide\", coordinate = \"position\", coefficient = -0.7 }]\n",
            ]
        }
        _ => vec![one(axis)],
    }
}

fn pair(kind: &JointKind) -> &AxisPair {
    match kind {
        JointKind::Revolute(p)
        | JointKind::Prismatic(p)
        | JointKind::Cylindrical(p)
        | JointKind::Spherical(p)
        | JointKind::Universal(p)
        | JointKind::Planar(p)
        | JointKind::Fixed(p)
        | JointKind::Screw(p, _)
        | JointKind::Distance(p, _)
        | JointKind::PointOnLine(p)
        | JointKind::PointOnPlane(p)
        | JointKind::ParallelAxes(p)
        | JointKind::Rolling { pair: p, .. } => p,
        JointKind::Coupling(terms, _) => &terms[0].0.pair,
        JointKind::Motion(c, _) => &c.pair,
    }
}

/// Checks a joint; `rows` is how many velocity rows it has.
pub(crate) fn joint(name: &str, kind: BodyKind, rows: usize) {
    for (variant, ends) in
        ENDS.iter().flat_map(|e| (0..texts(name, kind, *e).len()).map(move |k| (k, *e)))
    {
        let what = format!("{name} {kind:?} {ends:?} variant {variant}");
        let mut lab = Lab::new(&(scene(kind).to_owned() + &texts(name, kind, ends)[variant]));
        let last = lab.model().joints.len() - 1;
        assert_eq!(lab.sys.rows_of(JointId(last)).count(), rows, "{what}: rows");
        let joint = lab.model().joints[last].kind.clone();
        let p = pair(&joint).clone();
        for seed in 0..4 {
            let mut rng = Rng(seed + 17);
            let free = lab.state(&mut rng, Pose::Free, Some(&p));
            check_rows(&mut lab, &free, &what);
            assert!(lab.check_tangent(&free, &mut rng, &what), "{what}: quality of the tangent");
            // reactions of what turns about two axes have no resultant while those are parallel
            let turns = matches!(name, "screw" | "coupling" | "motion");
            let pose = if turns { Pose::Aligned } else { Pose::Free };
            let s = lab.state(&mut rng, pose, Some(&p));
            if ends == ENDS[0] {
                check_two_bodies(&mut lab, &s, &mut rng, &what);
                let pinned = lab.state(&mut rng, Pose::Pinned, Some(&p));
                let s = if has_common_point(&joint) { pinned } else { s };
                let g = lab.jacobian(&s);
                let l = rng.vector(g.nrows());
                let total = lab.resultant(&s, &(g.transpose() * l));
                close(&total, &DVector::zeros(6), 1e-9, &format!("{what}: action and reaction"));
            }
        }
    }
}

/// The reactions of such joints act at one point only while the joint is closed.
fn has_common_point(kind: &JointKind) -> bool {
    use JointKind as J;
    matches!(kind, J::Revolute(_) | J::Spherical(_) | J::Universal(_) | J::Fixed(_))
        || matches!(kind, J::Coupling(..))
}

/// G, G v + g_t and γ against differences.
fn check_rows(lab: &mut Lab, s: &State, what: &str) {
    let d = lab.sys.dims();
    let (v, zero) = (DVector::from(s.v.clone()), DVector::zeros(d.nv));
    let g = lab.jacobian(s);
    let expected = lab.gradient(s, false, |lab, s| lab.position_rows(s));
    close(&g.rows(0, d.n_pos).into_owned(), &expected, 1e-7, &format!("{what}: G"));
    let mut rate = &g * &v;
    let g_t = lab.slope(s, (&zero, &zero, 1.0), |lab, s| lab.position_rows(s));
    for i in 0..d.n_pos {
        rate[i] += g_t[i];
    }
    close(&lab.velocity_rows(s), &rate, 1e-7, &format!("{what}: G v + g_t"));
    let expected = lab.slope(s, (&v, &zero, 1.0), |lab, s| lab.velocity_rows(s));
    close(&lab.bias(s), &expected, 1e-6, &format!("{what}: bias"));
}

/// A rigid motion of everything changes no size.
fn check_two_bodies(lab: &mut Lab, s: &State, rng: &mut Rng, what: &str) {
    let (turn, shift) = lab.rigid_motion(rng);
    let other = lab.carried(s, &turn, &shift);
    let sizes = |lab: &mut Lab, s: &State| {
        let mut x: Vec<f64> = lab.jacobian(s).singular_values().as_slice().to_vec();
        x.extend([lab.position_rows(s).norm(), lab.velocity_rows(s).norm(), lab.bias(s).norm()]);
        DVector::from(x)
    };
    let (x, y) = (sizes(lab, s), sizes(lab, &other));
    close(&y, &x, 1e-10, &format!("{what}: after a rigid motion"));
}

/// Every kind of body with every other, for what joins and pulls points.
#[test]
fn all_kinds_of_bodies_can_be_mixed() {
    let body = |name: &str, kind: BodyKind| {
        let (label, data) = match kind {
            BodyKind::Planar => {
                ("planar", "inertia = 0.7\ncom = [0.1, 0.2]\nmarkers.p = [0.6, -0.3]")
            }
            BodyKind::Rigid => (
                "rigid",
                "inertia = [0.7, 0.9, 1.1]\ncom = [0.1, 0.2, 0.3]\nmarkers.p = [0.6, -0.3, 0.2]",
            ),
            BodyKind::Point => ("point", "position = [0.5, 0.4, 0.3]"),
            BodyKind::PlanarPoint => ("planar-point", "position = [0.5, 0.4]"),
        };
        let marker = if data.contains("markers") { ".p" } else { "" };
        let text = format!("[body.{name}]\ntype = \"{label}\"\nmass = 1.5\n{data}\n");
        (text, format!("{name}{marker}"))
    };
    use BodyKind::{Planar, PlanarPoint, Point, Rigid};
    let kinds = [Planar, Rigid, Point, PlanarPoint];
    for (a, b) in kinds.iter().flat_map(|a| kinds.map(|b| (*a, b))) {
        let ((text_a, end_a), (text_b, end_b)) = (body("a", a), body("b", b));
        for element in [
            "[joint.j]\ntype = \"spherical\"",
            "[joint.j]\ntype = \"distance\"\nlength = 1.2",
            "[joint.j]\ntype = \"point-on-line\"\naxis = [0.6, 0.8]",
            "[joint.j]\ntype = \"point-on-plane\"\naxis = [0.6, 0.8]",
            "[joint.j]\ntype = \"motion\"\naxis = [0.6, 0.8]\ncoordinate = \"position\"\nvalue = \"t^3\"",
            "[force.f]\ntype = \"spring\"\nstiffness = 30\ndamping = 2\nlength = 0.2",
            "[force.f]\ntype = \"bushing\"\nstiffness = [30, 20, 10, 1, 2, 3]\ndamping = [3, 2, 1, 1, 2, 3]",
        ] {
            let what = format!("{a:?} {b:?} {element}");
            let mut lab = Lab::new(&format!(
                "schema = 1\ngravity = [1, 2]\n{text_a}{text_b}{element}\nbetween = [\"{end_a}\", \"{end_b}\"]\n"
            ));
            let mut rng = Rng(23);
            let s = lab.state(&mut rng, Pose::Free, None);
            check_rows(&mut lab, &s, &what);
            assert!(lab.check_tangent(&s, &mut rng, &what), "{what}");
        }
    }
}
