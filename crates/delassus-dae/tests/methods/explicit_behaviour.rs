//! Explicit methods: drift off the constraints and what is done about it, signs of stiffness.

use crate::problems;

use delassus_dae::integrator::{AT_BORDER, info, make};
use delassus_dae::{
    Block, Dims, ErrorScale, Integrator, Manifold, Options, Problem, Quality, Scales, Settings,
    State, StepControl, Structure, Tolerances, at,
};
use problems::*;

const FAMILY: [&str; 5] = ["mdop5", "dopri5", "rkf45", "rk4", "dop853"];

fn stabilized(word: &str) -> Options {
    Options::default().with_word("stabilization", word)
}

fn make_with<P: Problem + 'static>(
    method: &str,
    options: Options,
    p: &P,
) -> Box<dyn Integrator<P>> {
    options.check(&info(method).unwrap()).unwrap();
    make(method, p, &Settings { options, ..Settings::default() }).unwrap().unwrap()
}

/// Largest |g| and |G v| of the pendulum up to 20 s and up to 80 s, in steps of 20 ms.
fn drift(method: &str, options: Options) -> [[f64; 2]; 2] {
    let p = Dense::new(Pendulum);
    let mut m = make_with(method, options, &p);
    let mut s = Pendulum.start();
    let mut ws = p.workspace();
    let (mut worst, mut at_20) = ([0.0_f64; 2], [0.0; 2]);
    march(&p, &mut *m, &mut s, std::iter::repeat_n(0.02, 4000), |k, s, _| {
        let e = at(&p, &mut ws, s.t, &s.q, &[]).velocity(&s.v, &[]);
        let mut g = [0.0];
        e.residual_pos(&mut g);
        worst[0] = worst[0].max(g[0].abs());
        e.residual_vel(&mut g);
        worst[1] = worst[1].max(g[0].abs());
        if k == 1000 {
            at_20 = worst;
        }
    })
    .unwrap();
    let ([g20, v20], [g80, v80]) = (at_20, worst);
    println!("DRIFT | {method} | {g20:.1e} {v20:.1e} | {g80:.1e} {v80:.1e}");
    [at_20, worst]
}

/// Without stabilisation G v drifts like t and g like t²; in a time four times as long this is
/// 4 and 16 times as far.
#[test]
fn drift_grows_with_time_when_nothing_is_done() {
    for method in ["dopri5", "rkf45", "rk4", "dop853"] {
        let [a, b] = drift(method, stabilized("none"));
        assert!((b[0] / a[0] - 16.0).abs() < 2.0, "{method}: {a:?} {b:?}");
        assert!((b[1] / a[1] - 4.0).abs() < 0.5, "{method}: {a:?} {b:?}");
    }
}

#[test]
fn baumgarte_bounds_the_drift() {
    for method in ["dopri5", "rkf45", "rk4", "dop853"] {
        let [_, none] = drift(method, stabilized("none"));
        let [a, b] = drift(method, stabilized("baumgarte"));
        assert!(b[0] < 1.01 * a[0] && b[1] < 1.01 * a[1], "{method}: {a:?} {b:?}");
        assert!(b[0] < 0.1 * none[0], "{method}: {b:?} {none:?}");
    }
}

#[test]
fn projection_removes_the_drift() {
    for method in FAMILY {
        let [_, b] = drift(method, Options::default());
        assert!(b[0] < 1e-15 && b[1] < 1e-14, "{method}: {b:?}");
    }
}

/// Off the constraints the residual obeys g̈ + 2α ġ + β² g = 0.
#[test]
fn baumgarte_drift_decays_as_its_equation_says() {
    let (alpha, beta) = (3.0, 5.0);
    let gains = Options::default().with("baumgarte_alpha", alpha).with("baumgarte_beta", beta);
    let p = Dense::new(Pendulum);
    let mut m = make_with("dop853", gains.with_word("stabilization", "baumgarte"), &p);
    let mut ws = p.workspace();
    // g = 0.02, ġ = 0
    let mut s = State { t: 0.0, q: vec![1.04_f64.sqrt(), 0.0], v: vec![0.0, -1.0], z: vec![] };
    let omega = (beta * beta - alpha * alpha).sqrt();
    let mut worst = 0.0_f64;
    march(&p, &mut *m, &mut s, std::iter::repeat_n(0.01, 100), |_, s, _| {
        let mut g = [0.0];
        at(&p, &mut ws, s.t, &s.q, &[]).residual_pos(&mut g);
        let phase = omega * s.t;
        let decay = (-alpha * s.t).exp() * (phase.cos() + alpha / omega * phase.sin());
        worst = worst.max((g[0] - 0.02 * decay).abs());
    })
    .unwrap();
    println!("BAUMGARTE | {worst:.1e}");
    assert!(worst < 1e-12);
}

/// A system whose rows are meant for velocities only.
struct VelocityOnly<S>(Dense<S>);

impl<S: System> Problem for VelocityOnly<S> {
    type Ws = <Dense<S> as Problem>::Ws;
    fn dims(&self) -> Dims {
        Dims { n_pos: 0, ..self.0.dims() }
    }
    fn manifold(&self) -> &Manifold {
        self.0.manifold()
    }
    fn structure(&self) -> &Structure {
        self.0.structure()
    }
    fn scales(&self) -> Scales {
        self.0.scales()
    }
    fn workspace(&self) -> Self::Ws {
        self.0.workspace()
    }
    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.0.realize_position(t, q, z, ws);
    }
    fn realize_velocity(&self, v: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.0.realize_velocity(v, z, ws);
    }
    fn mass(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.0.mass(ws, out);
    }
    fn residual_pos(&self, _ws: &Self::Ws, out: &mut [f64]) {
        assert!(out.is_empty());
    }
    fn jacobian(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.0.jacobian(ws, out);
    }
    fn residual_vel(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.0.residual_vel(ws, out);
    }
    fn bias(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.0.bias(ws, out);
    }
    fn force(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.0.force(ws, out);
    }
    fn tangent(
        &self,
        ws: &Self::Ws,
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        self.0.tangent(ws, a, lambda, ck, cc, values)
    }
}

/// A skate on a plane: (x, y) and heading; it does not slip sideways.
struct Skate;

impl System for Skate {
    fn blocks(&self) -> Vec<Block> {
        vec![Block::Vector(3)]
    }
    fn rows(&self) -> usize {
        1
    }
    fn terms(&self, _t: f64, q: &[f64], v: &[f64], x: &mut Terms) {
        let (s, c) = q[2].sin_cos();
        for (i, m) in [2.0, 2.0, 0.3].iter().enumerate() {
            x.mass[4 * i] = *m;
        }
        x.force[1] = -1.0;
        x.jac.copy_from_slice(&[-s, c, 0.0]);
        x.rate[0] = -s * v[0] + c * v[1];
        x.gamma[0] = -v[2] * (c * v[0] + s * v[1]);
    }
    fn tangent(&self, _: &Point, _: &[f64], _: &[f64], _: f64, _: f64, _: &mut [f64]) {}
    fn start(&self) -> State {
        // slips sideways with 0.1 m/s
        State { t: 0.0, q: vec![0.0; 3], v: vec![1.0, 0.1, 0.7], z: vec![] }
    }
}

/// Rolling rows have no position: their drift decays like exp(−2αt), whatever β is.
#[test]
fn baumgarte_on_velocity_rows_has_one_term() {
    let alpha = 3.0;
    let gains = Options::default().with("baumgarte_alpha", alpha).with("baumgarte_beta", 7.0);
    let p = VelocityOnly(Dense::new(Skate));
    let mut m = make_with("dop853", gains.with_word("stabilization", "baumgarte"), &p);
    let mut ws = p.workspace();
    let mut s = Skate.start();
    let mut worst = 0.0_f64;
    march(&p, &mut *m, &mut s, std::iter::repeat_n(0.01, 100), |_, s, _| {
        let mut slip = [0.0];
        at(&p, &mut ws, s.t, &s.q, &[]).velocity(&s.v, &[]).residual_vel(&mut slip);
        worst = worst.max((slip[0] - 0.1 * (-2.0 * alpha * s.t).exp()).abs());
    })
    .unwrap();
    println!("SKATE | {worst:.1e}");
    assert!(worst < 1e-12);
}

/// A mass on a strong, critically damped spring that follows a slow force: both rates are
/// −1000 per second, the motion takes seconds.
struct StiffSpring;

impl System for StiffSpring {
    fn blocks(&self) -> Vec<Block> {
        vec![Block::Vector(1)]
    }
    fn rows(&self) -> usize {
        0
    }
    fn terms(&self, t: f64, q: &[f64], v: &[f64], x: &mut Terms) {
        x.mass[0] = 1.0;
        x.force[0] = 1e6 * (t.sin() - q[0]) - 2e3 * v[0];
    }
    fn tangent(&self, _: &Point, _: &[f64], _: &[f64], ck: f64, cc: f64, k: &mut [f64]) {
        k[0] += 1e6 * ck + 2e3 * cc;
    }
    fn start(&self) -> State {
        State { t: 0.0, q: vec![0.0], v: vec![1.0], z: vec![] }
    }
}

/// Part of the accepted steps that show stiffness, with step-size control.
fn stiff_part<S: System>(system: S, method: &str, rtol: f64, end: f64) -> f64 {
    let mut s = system.start();
    let p = Dense::new(system);
    let mut ws = p.workspace();
    let tol = Tolerances { rtol, atol: 0.0 };
    let mut m = make(method, &p, &Settings { tol, ..Settings::default() }).unwrap().unwrap();
    m.restart(&p, &mut ws, &s).unwrap();
    let order = m.info().error_order;
    let mut scale = ErrorScale::new(tol, &p.scales(), p.manifold());
    let mut control = StepControl::new(order);
    scale.observe(&s, m.start());
    let mut h = scale.first_step(order).min(end);
    let mut to = s.clone();
    let (mut steps, mut stiff) = (0_u32, 0_u32);
    while s.t < end {
        m.attempt(&p, &mut ws, &s, h, &mut to).unwrap();
        let err = scale.norm(&m.error());
        if err <= 1.0 {
            stiff += u32::from(m.stiffness().unwrap() >= AT_BORDER);
            steps += 1;
            m.commit();
            std::mem::swap(&mut s, &mut to);
            scale.observe(&s, m.start());
            h *= control.accepted(err);
        } else {
            h *= control.rejected(err);
        }
    }
    let part = f64::from(stiff) / f64::from(steps);
    println!("STIFF | {method} | {steps} steps, {:.0} % at the border", 100.0 * part);
    part
}

#[test]
fn a_stiff_spring_is_noticed() {
    for method in ["mdop5", "dopri5", "rkf45", "dop853"] {
        // most steps; a run is reported as stiff after 15 of them without 6 others in a row
        assert!(stiff_part(StiffSpring, method, 1e-3, 1.0) > 0.6, "{method}");
    }
}

#[test]
fn ordinary_motion_shows_no_stiffness() {
    for method in ["mdop5", "dopri5", "rkf45", "dop853"] {
        for rtol in [1e-3, 1e-6, 1e-9] {
            assert_eq!(stiff_part(Pendulum, method, rtol, 5.0), 0.0, "{method} {rtol}");
            assert_eq!(stiff_part(four_bar(), method, rtol, 1.0), 0.0, "{method} {rtol}");
            assert_eq!(stiff_part(HeavyTop, method, rtol, 0.1), 0.0, "{method} {rtol}");
        }
    }
}

/// Steps beyond the border of stability, rates −1000 per second: 3 ms is 3 of 2.8.
#[test]
fn rk4_shows_that_its_step_is_too_long() {
    let p = Dense::new(StiffSpring);
    let mut ws = p.workspace();
    let mut m = make("rk4", &p, &Settings::default()).unwrap().unwrap();
    let mut ratio = |h: f64| {
        let (mut s, mut to) = (StiffSpring.start(), StiffSpring.start());
        m.restart(&p, &mut ws, &s).unwrap();
        for _ in 0..5 {
            m.attempt(&p, &mut ws, &s, h, &mut to).unwrap();
            m.commit();
            std::mem::swap(&mut s, &mut to);
        }
        m.stiffness().unwrap()
    };
    let (long, short) = (ratio(3e-3), ratio(3e-4));
    println!("STIFF | rk4 | {long:.2} {short:.2}");
    assert!(long > 1.0 && short < 0.5, "{long} {short}");
}
