//! Damped modes whose rates differ by many powers of ten: damping in proportion to stiffness has s² + τω² s + ω² = 0.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::analysis::{ModalOptions, modes};
use support::{assembled, parsed};

fn model(text: &str) -> Assembled {
    assembled(&parsed(&format!("schema = 1\n{text}\n[analysis]\nend = 1\n")), &[])
}

/// Exponents (imaginary part ≥ 0) that the undamped frequencies and a damping time give, the lowest by size first.
fn expected(omegas: &[f64], tau: f64) -> Vec<[f64; 2]> {
    let mut out = Vec::new();
    for w in omegas {
        let half = 0.5 * tau * w * w;
        if half < *w {
            out.push([-half, (w * w - half * half).sqrt()]);
        } else {
            let root = (half * half - w * w).sqrt();
            out.push([-(half + root), 0.0]);
            out.push([-w * w / (half + root), 0.0]);
        }
    }
    out.sort_by(|a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])));
    out
}

/// All damped exponents against the undamped frequencies of the same model, to a part of each.
fn follows_from_undamped(text: &dyn Fn(f64) -> String, tau: f64, part: f64) {
    let all = |undamped| {
        let options = ModalOptions { undamped, ..Default::default() };
        modes(&model(&text(tau)), options).unwrap().modes
    };
    let omegas: Vec<f64> = all(true).iter().map(|m| m.imag).collect();
    let mut found: Vec<[f64; 2]> = all(false).iter().map(|m| [m.real, m.imag]).collect();
    found.sort_by(|a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])));
    let right = expected(&omegas, tau);
    assert_eq!(found.len(), right.len(), "{tau}: {found:?} {right:?}");
    for (a, b) in found.iter().zip(&right) {
        let off = (a[0] - b[0]).hypot(a[1] - b[1]);
        assert!(off <= part * b[0].hypot(b[1]), "damping {tau} s: {a:?} {b:?}\n{found:?}");
    }
}

/// A portal frame of two slender beams under a rigid top; its rates go from 30 to 1e6 rad/s.
fn frame(damping: f64) -> String {
    format!(
        "[section.s]\ntype = 'circle'\nradius = '4 mm'\n[material.m]\nyoung = '210 GPa'\npoisson = 0.3\ndensity = 7850\n\
         damping = {damping}\n[body.l]\ntype = 'planar-beam'\nlength = 0.5\nelements = 6\nangle = '90 deg'\nsection = 's'\n\
         material = 'm'\n[body.r]\ntype = 'planar-beam'\nlength = 0.5\nelements = 6\nposition = [0.6, 0]\nangle = '90 deg'\n\
         section = 's'\nmaterial = 'm'\n[body.top]\ntype = 'planar'\nmass = 1\ninertia = 0.03\nposition = [0.3, 0.5]\n\
         markers = {{ a = [-0.3, 0], b = [0.3, 0] }}\n[joint.c1]\ntype = 'fixed'\nbetween = ['ground.root', 'l.start']\n\
         [ground.markers]\nfoot = [0.6, 0]\nroot = {{ position = [0, 0], angle = '90 deg' }}\n[joint.p1]\ntype = 'revolute'\n\
         between = ['l.end', 'top.a']\n[joint.p2]\ntype = 'revolute'\nbetween = ['r.end', 'top.b']\n[joint.c2]\n\
         type = 'revolute'\nbetween = ['ground.foot', 'r.start']\n"
    )
}

#[test]
fn a_frame_of_damped_beams_has_the_exponents_of_its_undamped_frequencies() {
    for tau in [1e-6, 1e-4, 2e-3, 0.05, 1.0, 10.0] {
        follows_from_undamped(&frame, tau, 1e-6);
    }
}

/// Two points on a line, between springs whose stiffnesses differ by 1e10.
fn soft_and_stiff(damping: f64) -> String {
    let (soft, stiff) = (1.0, 1e10);
    format!(
        "[body.a]\ntype = 'point'\nmass = 1\nposition = [1, 0, 0]\n[body.b]\ntype = 'point'\nmass = 2\nposition = [2, 0, 0]\n\
         [joint.ra]\ntype = 'point-on-line'\nbetween = ['ground', 'a']\naxis = [1, 0, 0]\n\
         [joint.rb]\ntype = 'point-on-line'\nbetween = ['ground', 'b']\naxis = [1, 0, 0]\n\
         [force.s1]\ntype = 'spring'\nbetween = ['ground', 'a']\nstiffness = {soft}\ndamping = {}\n\
         [force.s2]\ntype = 'spring'\nbetween = ['a', 'b']\nstiffness = {stiff}\ndamping = {}\n",
        soft * damping,
        stiff * damping
    )
}

#[test]
fn a_soft_spring_beside_a_stiff_one_keeps_its_damped_mode() {
    for tau in [1e-6, 1e-3, 0.1, 10.0] {
        // the stiffness matrix holds the soft spring beside the stiff one to 1e-6
        follows_from_undamped(&soft_and_stiff, tau, 1e-5);
        let found = modes(&model(&soft_and_stiff(tau)), ModalOptions::default()).unwrap().modes;
        let w = (1.0_f64 / 3.0).sqrt();
        let lowest = expected(&[w], tau)[0];
        let near = |m: &&delassus::sim::analysis::NamedMode| {
            (m.real - lowest[0]).hypot(m.imag - lowest[1]) <= 1e-5 * lowest[0].hypot(lowest[1])
        };
        assert!(found.iter().any(|m| near(&m)), "{tau}: {lowest:?} not in {found:?}");
    }
}

/// A free pair of points joined by a damped spring: nothing holds or brakes it as a whole.
#[test]
fn what_nothing_holds_keeps_its_zero_beside_strong_damping() {
    let text = |damping: f64| {
        format!(
            "[body.a]\ntype = 'point'\nmass = 1\nposition = [1, 0, 0]\n[body.b]\ntype = 'point'\nmass = 2\n\
             position = [2, 0, 0]\n[joint.ra]\ntype = 'point-on-line'\nbetween = ['ground', 'a']\naxis = [1, 0, 0]\n\
             [joint.rb]\ntype = 'point-on-line'\nbetween = ['ground', 'b']\naxis = [1, 0, 0]\n\
             [force.s]\ntype = 'spring'\nbetween = ['a', 'b']\nstiffness = 1e8\ndamping = {}\n",
            1e8 * damping
        )
    };
    for tau in [1e-6, 1e-3, 1.0] {
        let found = modes(&model(&text(tau)), ModalOptions::default()).unwrap().modes;
        assert_eq!(found.iter().filter(|m| m.real == 0.0 && m.imag == 0.0).count(), 1, "{found:?}");
        let right = expected(&[(1e8_f64 * 1.5).sqrt()], tau);
        assert_eq!(found.len(), 1 + right.len(), "{found:?}");
        for r in right {
            let off = |m: &delassus::sim::analysis::NamedMode| (m.real - r[0]).hypot(m.imag - r[1]);
            assert!(found.iter().any(|m| off(m) <= 1e-7 * r[0].hypot(r[1])), "{r:?} {found:?}");
        }
    }
}
