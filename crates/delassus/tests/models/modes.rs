//! Small vibrations: benchmark K1 and K1f, closed forms, chains against Laguerre polynomials, controllers, contacts.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::analysis::{At, ModalOptions, ModalReport, modes};
use support::{assembled, load, parsed};

fn model(text: &str) -> Assembled {
    assembled(&parsed(&format!("schema = 1\n{text}\n[analysis]\nend = 1\n")), &[])
}

fn all(m: &Assembled) -> ModalReport {
    modes(m, ModalOptions::default()).unwrap()
}

fn omegas(r: &ModalReport) -> Vec<f64> {
    r.modes.iter().map(|m| m.imag).collect()
}

fn same(found: &[f64], expected: &[f64], part: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= part * b.abs(), "{found:?} {expected:?}");
    }
}

/// Rows of K1_modes.csv of one case.
fn reference(case: &str) -> Vec<f64> {
    let text = include_str!("../reference/K1_modes.csv");
    let rows = text.lines().filter_map(|l| l.strip_prefix(case)?.strip_prefix(','));
    rows.map(|l| l.split(',').nth(1).unwrap().parse().unwrap()).collect()
}

#[test]
fn k1_frequencies() {
    for (case, file, set) in [
        ("double_pendulum_points", "K1a_double_pendulum", &[][..]),
        ("double_pendulum_rods", "K1a_double_pendulum", &[("rods", "1")][..]),
        ("four_bar", "K1b_four_bar", &[][..]),
        ("car_axis", "K1c_car_axis", &[][..]),
        ("plate", "K1d_plate", &[][..]),
    ] {
        let m = load(&format!("benchmarks/{file}.toml"), set);
        let r = all(&m);
        same(&omegas(&r), &reference(case), 1e-9);
        assert!(r.all && r.modes.iter().all(|m| m.real == 0.0), "{case}");
        // the same from Krylov spaces, double roots included
        let sparse = ModalOptions { sparse: Some(true), ..Default::default() };
        same(&omegas(&modes(&m, sparse).unwrap()), &reference(case), 1e-8);
    }
}

#[test]
fn k1f_damped_pairs() {
    let text = "[body.a]\ntype = 'point'\nmass = 1\nposition = [1, 0, 0]\n[body.b]\ntype = 'point'\nmass = 2\n\
        position = [2, 0, 0]\n[joint.ra]\ntype = 'point-on-line'\nbetween = ['ground', 'a']\naxis = [1, 0, 0]\n\
        [joint.rb]\ntype = 'point-on-line'\nbetween = ['ground', 'b']\naxis = [1, 0, 0]\n\
        [force.s1]\ntype = 'spring'\nbetween = ['ground', 'a']\nstiffness = 100\ndamping = 0.5\n\
        [force.s2]\ntype = 'spring'\nbetween = ['a', 'b']\nstiffness = 150\ndamping = 0.8\n";
    let m = model(text);
    for sparse in [false, true] {
        let r = modes(&m, ModalOptions { sparse: Some(sparse), ..Default::default() }).unwrap();
        same(&omegas(&r), &[4.9995965277, 17.3026429171], 1e-9);
        let real: Vec<f64> = r.modes.iter().map(|m| m.real).collect();
        same(&real, &[-0.0636363624, -0.7863636376], 1e-8);
        let size = 0.0636363624_f64.hypot(4.9995965277);
        assert!((r.modes[0].damping_ratio - 0.0636363624 / size).abs() < 1e-9);
    }
    let r = modes(&m, ModalOptions { undamped: true, ..Default::default() }).unwrap();
    assert!(r.modes.iter().all(|m| m.real == 0.0));
    let product: f64 = omegas(&r).iter().map(|w| w * w).product();
    assert!((product - 100.0 * 150.0 / 2.0).abs() < 1e-6);
}

#[test]
fn free_bodies_have_modes_of_frequency_zero() {
    let m = model(
        "[body.a]\ntype = 'planar-point'\nmass = 1\nposition = [0, 0]\n[body.b]\ntype = 'planar-point'\nmass = 3\n\
         position = [1, 0]\n[force.s]\ntype = 'spring'\nbetween = ['a', 'b']\nstiffness = 12\n",
    );
    // two translations and the rotation, and the spring
    for sparse in [false, true] {
        let r = modes(&m, ModalOptions { sparse: Some(sparse), ..Default::default() }).unwrap();
        same(&omegas(&r), &[0.0, 0.0, 0.0, 4.0], 1e-9);
    }
    // damping of the spring leaves the others as they are
    let m = model(
        "[body.a]\ntype = 'planar-point'\nmass = 1\nposition = [0, 0]\n[body.b]\ntype = 'planar-point'\nmass = 3\n\
         position = [1, 0]\n[force.s]\ntype = 'spring'\nbetween = ['a', 'b']\nstiffness = 12\ndamping = 0.6\n",
    );
    let r = all(&m);
    same(&omegas(&r), &[0.0, 0.0, 0.0, (16.0_f64 - 0.16).sqrt()], 1e-9);
    assert!(r.modes[..3].iter().all(|m| m.real == 0.0), "{:?}", r.modes);
}

#[test]
fn an_inverted_pendulum_grows_with_the_right_exponent() {
    let m = model(
        "gravity = [0, -9.81]\n[body.bob]\ntype = 'planar-point'\nmass = 2\nposition = [0, 0.5]\n\
         [joint.rod]\ntype = 'distance'\nbetween = ['ground', 'bob']\n",
    );
    for sparse in [false, true] {
        let r = modes(&m, ModalOptions { sparse: Some(sparse), ..Default::default() }).unwrap();
        let rate = (9.81_f64 / 0.5).sqrt();
        assert_eq!(r.modes.len(), 2);
        assert!((r.modes[0].real + rate).abs() < 1e-9 && (r.modes[1].real - rate).abs() < 1e-9);
        assert!(r.notes.iter().any(|n| n.code == "N_UNSTABLE"));
    }
}

/// A chain of points that hangs down: `spatial` swings in two planes.
fn chain(n: usize, spatial: bool) -> Assembled {
    let (kind, g) =
        if spatial { ("point", "[0, 0, -9.81]") } else { ("planar-point", "[0, -9.81]") };
    let mut text = format!("schema = 1\ngravity = {g}\n");
    for i in 1..=n {
        let y = -(i as f64) / n as f64;
        let at = if spatial { format!("[0, 0, {y}]") } else { format!("[0, {y}]") };
        text += &format!("[body.p{i}]\ntype = '{kind}'\nmass = 0.01\nposition = {at}\n");
        let from = if i == 1 { "ground".to_owned() } else { format!("p{}", i - 1) };
        text += &format!("[joint.l{i}]\ntype = 'distance'\nbetween = ['{from}', 'p{i}']\n");
    }
    assembled(&parsed(&format!("{text}[analysis]\nend = 1\n")), &[])
}

/// Zeros of the Laguerre polynomial of degree n, the lowest first: ω² over g per link.
fn laguerre_zeros(n: usize, count: usize) -> Vec<f64> {
    let value = |x: f64| {
        let (mut before, mut now) = (1.0, 1.0 - x);
        for k in 1..n {
            let k = k as f64;
            (before, now) = (now, ((2.0 * k + 1.0 - x) * now - k * before) / (k + 1.0));
        }
        now
    };
    // they lie near j²/(4n + 2) with the zeros j of J0, which are about π apart
    let place = |j: f64| j * j / (4.0 * n as f64 + 2.0);
    let mut out = Vec::new();
    let mut j = 0.0;
    while out.len() < count {
        let (mut low, mut high) = (place(j), place(j + 0.05));
        let sign = value(low).signum();
        if sign != value(high).signum() {
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if value(middle).signum() == sign { low = middle } else { high = middle }
            }
            out.push(low);
        }
        j += 0.05;
    }
    out
}

#[test]
fn lowest_modes_of_a_long_chain_without_full_matrices() {
    let n = 1000;
    let r = all(&chain(n, false));
    assert!(!r.all);
    let expected: Vec<f64> =
        laguerre_zeros(n, 20).iter().map(|x| (x * 9.81 * n as f64).sqrt()).collect();
    same(&omegas(&r), &expected, 1e-7);
    // the continuous chain: zeros of the Bessel function J0
    let bessel = [2.404825557695773, 5.520078110286311, 8.653727912911013];
    for (w, j) in omegas(&r).iter().zip(bessel) {
        assert!((w - 0.5 * j * 9.81_f64.sqrt()).abs() < 1e-3 * w);
    }
}

#[test]
fn krylov_spaces_find_pairs_as_full_matrices_do() {
    let m = chain(60, true);
    let with = |sparse| {
        let options = ModalOptions { count: Some(12), sparse: Some(sparse), ..Default::default() };
        omegas(&modes(&m, options).unwrap())
    };
    let full = with(false);
    let x = laguerre_zeros(60, 6);
    let expected: Vec<f64> = x.iter().flat_map(|x| [(x * 9.81 * 60.0).sqrt(); 2]).collect();
    same(&full, &expected, 1e-9);
    same(&with(true), &expected, 1e-8);
}

#[test]
fn bodies_in_the_plane_and_in_space_vibrate_alike() {
    let planar = omegas(&all(&load("benchmarks/K1a_double_pendulum.toml", &[("rods", "1")])));
    let rod = |name: &str, m: f64, l: f64, y: f64| {
        let i = m * l * l / 12.0;
        format!(
            "[body.{name}]\ntype = 'rigid'\nmass = {m}\ninertia = [{i}, {}, {i}]\ncom = [0, {}, 0]\n\
             position = [0, {y}, 0]\nmarkers = {{ end = [0, {}, 0] }}\n",
            0.1 * i,
            -0.5 * l,
            -l
        )
    };
    let text = format!(
        "gravity = [0, -9.81, 0]\n{}{}[joint.a]\ntype = 'revolute'\nbetween = ['ground', 'upper']\n\
         [joint.b]\ntype = 'revolute'\nbetween = ['upper.end', 'lower']\n",
        rod("upper", 1.0, 1.0, 0.0),
        rod("lower", 2.0, 0.7, -1.0)
    );
    same(&omegas(&all(&model(&text))), &planar, 1e-10);
}

#[test]
fn turning_and_scaling_everything_changes_nothing() {
    // Ry(0.7) applied to the plate of K1d, and lengths and gravity times a thousand
    let expected = reference("plate");
    let (s, c) = 0.7_f64.sin_cos();
    for scale in [1.0, 1000.0, 1e-3] {
        let turned = |p: [f64; 3]| {
            let q = [c * p[0] + s * p[2], p[1], -s * p[0] + c * p[2]].map(|x| x * scale);
            format!("[{}, {}, {}]", q[0], q[1], q[2])
        };
        let own = |p: [f64; 3]| format!("[{}, {}, {}]", p[0] * scale, p[1] * scale, p[2] * scale);
        let square = scale * scale;
        let text = format!(
            "gravity = {}\n[ground.markers]\nA = {}\nB = {}\nC = {}\n[body.plate]\ntype = 'rigid'\nmass = 20\n\
             inertia = [{}, {}, {}]\nposition = {}\norientation = {{ axis = [0, 1, 0], angle = 0.7 }}\n\
             markers = {{ a = {}, b = {}, c = {} }}\n\
             [force.a]\ntype = 'spring'\nbetween = ['ground.A', 'plate.a']\nstiffness = 900\nlength = {}\n\
             [force.b]\ntype = 'spring'\nbetween = ['ground.B', 'plate.b']\nstiffness = 700\nlength = {}\n\
             [force.c]\ntype = 'spring'\nbetween = ['ground.C', 'plate.c']\nstiffness = 1100\nlength = {}\n",
            turned([0.0, 0.0, -9.81]),
            turned([0.8, 0.0, 1.5]),
            turned([-0.5, 0.7, 1.5]),
            turned([-0.5, -0.7, 1.5]),
            0.9 * square,
            1.4 * square,
            2.2 * square,
            turned([0.0, 0.0, 0.3]),
            own([0.6, 0.1, 0.02]),
            own([-0.4, 0.5, 0.02]),
            own([-0.3, -0.55, 0.02]),
            1.2 * scale,
            1.25 * scale,
            1.15 * scale,
        );
        same(&omegas(&all(&model(&text))), &expected, 1e-8);
    }
}

#[test]
fn integrals_of_controllers_take_part() {
    // J s³ + kd s² + kp s + ki = 0
    let m = model(
        "[body.arm]\ntype = 'planar'\nmass = 1\ninertia = 0.5\n[joint.hinge]\ntype = 'revolute'\n\
         between = ['ground', 'arm']\n\
         [force.servo]\ntype = 'actuator'\njoint = 'hinge'\ntarget = 0\nkp = 20\nki = 5\nkd = 2\n",
    );
    for sparse in [false, true] {
        let r = modes(&m, ModalOptions { sparse: Some(sparse), ..Default::default() }).unwrap();
        assert_eq!(r.modes.len(), 2, "{:?}", r.modes);
        for m in &r.modes {
            let (a, b) = (m.real, m.imag);
            let (sq, cube) = (
                [a * a - b * b, 2.0 * a * b],
                [a * a * a - 3.0 * a * b * b, 3.0 * a * a * b - b * b * b],
            );
            let re = 0.5 * cube[0] + 2.0 * sq[0] + 20.0 * a + 5.0;
            let im = 0.5 * cube[1] + 2.0 * sq[1] + 20.0 * b;
            assert!(re.abs() < 1e-7 && im.abs() < 1e-7, "{a} {b}: {re} {im}");
        }
    }
}

#[test]
fn massless_bodies_follow_the_others() {
    // two springs in series through a body without mass
    let m = model(
        "[body.a]\ntype = 'point'\nmass = 0\nposition = [1, 0, 0]\n[body.b]\ntype = 'point'\nmass = 2\n\
         position = [2, 0, 0]\n[joint.ra]\ntype = 'point-on-line'\nbetween = ['ground', 'a']\naxis = [1, 0, 0]\n\
         [joint.rb]\ntype = 'point-on-line'\nbetween = ['ground', 'b']\naxis = [1, 0, 0]\n\
         [joint.rod]\ntype = 'distance'\nbetween = ['a', 'b']\n\
         [force.s1]\ntype = 'spring'\nbetween = ['ground', 'a']\nstiffness = 50\n",
    );
    same(&omegas(&all(&m)), &[5.0], 1e-10);
}

#[test]
fn a_ball_pressed_into_the_floor_vibrates_on_its_stiffness() {
    let m = model(
        "gravity = [0, -10]\n[body.ball]\ntype = 'planar'\nmass = 2\ninertia = 0.1\nposition = [0, 0.1001]\n\
         [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'ball']\naxis = [0, 1]\n\
         [shape.ball]\ntype = 'circle'\nbody = 'ball'\nradius = 0.1\n\
         [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\nnormal = [0, 1]\n\
         [contact.ground]\nbetween = ['ball', 'floor']\nlaw = 'hertz'\nstiffness = 1e6\n",
    );
    let depth = (20.0_f64 / 1e6).powf(2.0 / 3.0);
    let expected = (1.5 * 1e6 * depth.sqrt() / 2.0).sqrt();
    same(&omegas(&all(&m)), &[expected], 1e-7);
}

#[test]
fn what_has_no_modes_says_why() {
    let held = "[body.a]\ntype = 'planar'\nmass = 1\ninertia = 1\n[joint.j]\ntype = 'fixed'\nbetween = ['ground', 'a']\n";
    let e = modes(&model(held), ModalOptions::default()).unwrap_err();
    assert_eq!((e.code, e.input), ("E_NO_FREEDOM", true));
    let pendulum = load("pendulum.toml", &[]);
    let at = |t| modes(&pendulum, ModalOptions { at: At::Time(t), ..Default::default() });
    assert_eq!(at(11.0).unwrap_err().code, "E_RANGE");
    assert_eq!(at(-1.0).unwrap_err().code, "E_RANGE");
    let r = at(0.3).unwrap();
    assert!(r.notes.iter().any(|n| n.code == "N_NOT_STEADY"));
    // a block that slides
    let slides = model(
        "gravity = [0, -9.81]\n[body.box]\ntype = 'planar'\nmass = 1\ninertia = 0.01\nposition = [0, 0.05]\n\
         velocity = [1, 0]\n[shape.box]\ntype = 'profile'\nbody = 'box'\npoints = [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]]\n\
         [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\nnormal = [0, 1]\n\
         [contact.c]\nbetween = ['box', 'floor']\nfriction = 0.2\n",
    );
    let e = modes(&slides, ModalOptions { at: At::Start, ..Default::default() }).unwrap_err();
    assert_eq!(e.code, "E_SLIDING");
}
