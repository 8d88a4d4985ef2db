//! Small motions next to steady ones: spinning tops, conical pendulums, rolling discs, free spinning bodies.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::analysis::{About, At, ModalOptions, ModalReport, modes};
use support::{assembled, parsed};

fn at_start(text: &str) -> ModalReport {
    let m: Assembled =
        assembled(&parsed(&format!("schema = 1\n{text}\n[analysis]\nend = 1\n")), &[]);
    let r = modes(&m, ModalOptions { at: At::Start, ..Default::default() }).unwrap();
    // Krylov spaces agree
    let options = ModalOptions { at: At::Start, sparse: Some(true), ..Default::default() };
    let sparse = modes(&m, options).unwrap();
    for m in r.modes.iter().filter(|m| m.imag > 0.0) {
        let near = |x: &&delassus::sim::analysis::NamedMode| {
            (x.imag - m.imag).abs() < 1e-6 * m.imag && (x.real - m.real).abs() < 1e-6 * m.imag
        };
        assert!(sparse.modes.iter().any(|x| near(&x)), "{:?}\n{:?}", r.modes, sparse.modes);
    }
    r
}

fn top(spin: f64) -> ModalReport {
    // mass centre 0.2 m above the pivot; about the pivot A = 0.1 + 1·0.04, about its axis C = 0.05
    at_start(&format!(
        "gravity = [0, 0, -9.81]\n[body.top]\ntype = 'rigid'\nmass = 1\ninertia = [0.1, 0.1, 0.05]\ncom = [0, 0, 0.2]\n\
         rate = [0, 0, {spin}]\n[joint.tip]\ntype = 'spherical'\nbetween = ['ground', 'top']\n"
    ))
}

#[test]
fn a_sleeping_top_nods_and_precesses() {
    let (a, c, torque) = (0.14, 0.05, 9.81 * 0.2);
    let spin = 60.0;
    let r = top(spin);
    assert!(matches!(r.about, About::Steady(w) if w == [0.0; 3]), "{:?} {:?}", r.about, r.notes);
    let root = ((c * spin) * (c * spin) - 4.0 * a * torque).sqrt();
    let expected = [(c * spin - root) / (2.0 * a), (c * spin + root) / (2.0 * a)];
    let found: Vec<f64> = r.modes.iter().filter(|m| m.imag > 1e-9).map(|m| m.imag).collect();
    assert_eq!(found.len(), 2, "{:?}", r.modes);
    for (w, e) in found.iter().zip(expected) {
        assert!((w - e).abs() < 1e-9 * e, "{found:?} {expected:?}");
    }
    assert!(r.modes.iter().all(|m| m.real.abs() < 1e-8));
}

#[test]
fn a_slow_top_falls() {
    let (a, c, torque) = (0.14, 0.05, 9.81 * 0.2);
    let spin = 10.0;
    let r = top(spin);
    let growth = (4.0 * a * torque - (c * spin) * (c * spin)).sqrt() / (2.0 * a);
    let worst = r.modes.iter().max_by(|x, y| x.real.total_cmp(&y.real)).unwrap();
    assert!((worst.real - growth).abs() < 1e-9 * growth, "{:?}", r.modes);
    assert!((worst.imag - c * spin / (2.0 * a)).abs() < 1e-9 * growth);
}

#[test]
fn a_conical_pendulum_is_steady_in_axes_that_turn_with_it() {
    let (length, angle) = (0.8_f64, 0.6_f64);
    let rate = (9.81 / (length * angle.cos())).sqrt();
    let radius = length * angle.sin();
    let r = at_start(&format!(
        "gravity = [0, 0, -9.81]\n[body.bob]\ntype = 'point'\nmass = 1\nposition = [{radius}, 0, {}]\n\
         velocity = [0, {}, 0]\n[joint.rod]\ntype = 'distance'\nbetween = ['ground', 'bob']\n",
        -length * angle.cos(),
        rate * radius
    ));
    assert!(matches!(r.about, About::Steady(w) if (w[2] - rate).abs() < 1e-9), "{:?}", r.about);
    assert!(r.notes.iter().any(|n| n.code == "N_TURNING_AXES"));
    let expected = rate * (1.0 + 3.0 * angle.cos().powi(2)).sqrt();
    let found = r.modes.iter().find(|m| m.imag > 1e-6).unwrap();
    assert!((found.imag - expected).abs() < 1e-8 * expected, "{:?} {expected}", r.modes);
}

fn disc(speed: f64) -> ModalReport {
    let (m, r) = (2.0, 0.5);
    let (a, c) = (0.25 * m * r * r, 0.5 * m * r * r);
    // rolls along x, axle along y
    at_start(&format!(
        "gravity = [0, 0, -9.81]\n[body.disc]\ntype = 'rigid'\nmass = {m}\ninertia = [{a}, {c}, {a}]\n\
         position = [0, 0, {r}]\nvelocity = [{speed}, 0, 0]\nrate = [0, {}, 0]\n\
         [joint.roll]\ntype = 'rolling'\nbetween = ['ground', 'disc']\nradius = {r}\naxis = [0, 0, 1]\naxis2 = [0, 1, 0]\n",
        speed / r
    ))
}

#[test]
fn a_rolling_disc_wobbles_above_its_critical_speed_and_falls_below() {
    // ω² = (12/5) Ω² − (4/5) g/r
    let r = disc(3.0);
    assert!(matches!(r.about, About::Steady(_)), "{:?} {:?}", r.about, r.notes);
    let square: f64 = 2.4 * 36.0 - 0.8 * 9.81 / 0.5;
    let found = r.modes.iter().find(|m| m.imag > 1e-6).unwrap();
    assert!((found.imag - square.sqrt()).abs() < 1e-8 * found.imag, "{:?}", r.modes);
    let slow = disc(0.5);
    let square: f64 = 0.8 * 9.81 / 0.5 - 2.4;
    assert!(slow.modes.iter().all(|m| m.real.is_finite()), "{:?}", slow.modes);
    let worst = slow.modes.iter().map(|m| m.real).fold(0.0, f64::max);
    assert!((worst - square.sqrt()).abs() < 1e-8 * worst, "{:?}", slow.modes);
}

#[test]
fn a_free_body_spins_stably_about_its_extreme_axes_only() {
    let r = |w: [f64; 3]| {
        at_start(&format!(
            "[body.book]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1.5, 2.2]\nrate = [{}, {}, {}]\n",
            w[0], w[1], w[2]
        ))
    };
    // about z: ω² = n² (C − A)(C − B)/(A B)
    let found = r([0.0, 0.0, 5.0]);
    assert!(matches!(found.about, About::Steady(_)), "{:?}", found.notes);
    let expected = 5.0 * (1.2_f64 * 0.7 / 1.5).sqrt();
    assert!(
        found.modes.iter().any(|m| (m.imag - expected).abs() < 1e-8 && m.real.abs() < 1e-8),
        "{:?}",
        found.modes
    );
    // about y it tumbles: growth n √((B − A)(C − B)/(A C))
    let found = r([0.0, 5.0, 0.0]);
    let growth = 5.0 * (0.5_f64 * 0.7 / 2.2).sqrt();
    assert!(found.modes.iter().all(|m| m.real.is_finite()), "{:?}", found.modes);
    let worst = found.modes.iter().map(|m| m.real).fold(0.0, f64::max);
    assert!((worst - growth).abs() < 1e-8, "{:?}", found.modes);
}
