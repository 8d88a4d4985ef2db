//! The properties of every force, checked by differences at random states.

use crate::joint::contract::{ENDS, Lab, Pose, Rng, close, scene};
use crate::{AxisPair, ForceKind};
use delassus_dae::{Power, Problem, State};
use delassus_math::{Quat, Vec3};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

pub(super) const KINDS: [&str; 5] = ["planar", "rigid", "telescope", "planar-modal", "modal"];
const PLANAR: &[&str] = &["planar", "planar-modal"];
const SPATIAL: &[&str] = &["rigid", "telescope", "modal"];

/// A force in the scene of two bodies.
struct Case {
    /// With `FIRST` and `SECOND` for the ends.
    text: &'static str,
    kinds: &'static [&'static str],
    /// The force is minus the gradient of the potential energy.
    conservative: bool,
    /// Acts between the two ends, with no resultant.
    mutual: bool,
    pose: Pose,
}

const SPRING: Case = Case {
    text: "type = 'spring'\nbetween = [FIRST, SECOND]\nstiffness = 40\nlength = 0.6",
    kinds: &KINDS,
    conservative: true,
    mutual: true,
    pose: Pose::Free,
};

const CASES: &[Case] = &[
    SPRING,
    Case {
        text: "type = 'spring'\nbetween = [FIRST, SECOND]\nstiffness = 40\ndamping = 3",
        conservative: false,
        ..SPRING
    },
    Case {
        text: "type = 'spring'\nbetween = [FIRST, SECOND]\n\
               force = '20*(length - 0.7) + 9*(length - 0.7)^3 + 2*rate*abs(rate) + 3*sin(t)'",
        conservative: false,
        ..SPRING
    },
    Case {
        text: "type = 'torsion'\nbetween = [FIRST, SECOND]\nstiffness = 5\nangle = 0.2",
        kinds: PLANAR,
        ..SPRING
    },
    Case {
        text: "type = 'torsion'\nbetween = [FIRST, SECOND]\naxis = [0, 0, -1]\n\
               torque = '5*sin(angle) + 0.4*rate^3 + t'",
        kinds: PLANAR,
        conservative: false,
        ..SPRING
    },
    Case {
        text: "type = 'torsion'\nbetween = [FIRST, SECOND]\naxis = [1, -2, 3]\n\
               stiffness = 5\nangle = 0.2",
        kinds: SPATIAL,
        ..SPRING
    },
    Case {
        text: "type = 'torsion'\nbetween = [FIRST, SECOND]\naxis = [1, -2, 3]\n\
               torque = '5*sin(angle) + 0.4*rate^3 + t'",
        kinds: SPATIAL,
        conservative: false,
        ..SPRING
    },
    Case {
        text: "type = 'torsion'\nbetween = [FIRST, SECOND]\naxis = [3, 4]\n\
               coordinate = 'position'\nstiffness = 5\nangle = 0.2",
        ..SPRING
    },
    Case { text: BEAM, kinds: SPATIAL, ..SPRING },
    Case { text: DAMPED_BEAM, kinds: SPATIAL, conservative: false, ..SPRING },
    Case { text: PLANAR_BEAM, kinds: PLANAR, ..SPRING },
    Case { text: DAMPED_PLANAR_BEAM, kinds: PLANAR, conservative: false, ..SPRING },
    Case { text: BUSHING, ..SPRING },
    Case { text: DAMPED_BUSHING, conservative: false, ..SPRING },
    Case { text: SKEW_BUSHING, conservative: false, ..SPRING },
    Case { text: "type = 'bearing'\nbetween = [FIRST, SECOND]\nstiffness = [40, 30]", ..SPRING },
    Case { text: BEARING, conservative: false, ..SPRING },
    Case { text: BEARING_ACROSS_X, kinds: &["rigid", "telescope"], conservative: false, ..SPRING },
    Case { text: TYRE, kinds: SPATIAL, conservative: false, mutual: false, ..SPRING },
    Case { text: STATELESS_TYRE, kinds: SPATIAL, conservative: false, mutual: false, ..SPRING },
    Case { text: LINEAR_TYRE, kinds: SPATIAL, conservative: false, mutual: false, ..SPRING },
    Case { text: PLANAR_TYRE, kinds: PLANAR, conservative: false, mutual: false, ..SPRING },
    Case {
        text: "type = 'force'\nat = 'b.n'\nforce = ['3 + t', -2, 0.5]",
        conservative: false,
        mutual: false,
        ..SPRING
    },
    Case {
        text: "type = 'force'\nat = 'b.n'\nframe = 'b.n'\nforce = ['3*cos(t)', -2, 0.5]",
        conservative: false,
        mutual: false,
        ..SPRING
    },
    Case {
        text: "type = 'force'\nat = 'b.n'\nframe = 'a.m'\nforce = ['3*cos(t)', -2]",
        conservative: false,
        mutual: false,
        ..SPRING
    },
    Case {
        text: "type = 'torque'\nat = 'b.n'\ntorque = [0.3, '2 + t', -1]",
        conservative: false,
        mutual: false,
        ..SPRING
    },
    Case {
        text: "type = 'torque'\nat = 'b.n'\nframe = 'a.m'\ntorque = [0.3, '2 + t', -1]",
        conservative: false,
        mutual: false,
        ..SPRING
    },
    Case {
        text: "type = 'actuator'\nbetween = [FIRST, SECOND]\ncoordinate = 'position'\n\
               axis = [3, 4]\ntarget = '0.4*sin(3*t)'\nkp = 7\nki = 3\nkd = 0.6",
        conservative: false,
        ..SPRING
    },
    Case {
        text: "type = 'actuator'\nbetween = [FIRST, SECOND]\ncoordinate = 'angle'\n\
               target = '0.4*sin(3*t)'\nkp = 7\nki = 3\nkd = 0.6",
        conservative: false,
        ..SPRING
    },
    Case {
        text: "type = 'actuator'\nbetween = [FIRST, SECOND]\ncoordinate = 'position'\n\
               axis = [3, 4]\ntarget = '0.4*sin(3*t)'\ncontrol = 'rate'\nkp = 7\nki = 3",
        conservative: false,
        ..SPRING
    },
];

/// A wheel deep in a hilly road, slow enough for what is regularised at rest, with everything that a tyre may have.
const TYRE: &str = "type = 'tyre'\nat = 'b.n'\naxis = [0.2, 1, 0.1]\ntyre = 't'\nroad = 'r'\n\
    [road.r]\nheight = '0.1*sin(x) + 0.05*x*y'\nfriction = 0.8\n\
    [tyre.t]\ntype = 'magic-formula'\nradius = 4\nload = 50\nstiffness = 40\nprogression = 7\n\
    damping = 2\nlow_speed = 3\nrelaxation = [0.7, 0.5]\nslip_damping = 0.1\ntrail = 0.2\n\
    camber = 0.3\nrolling_resistance = 0.05\n\
    lateral = { B = 2, C = 1.5, D = 1.1, E = -0.5, D_load = -0.02, stiffest_load = 3 }\n\
    longitudinal = { B = 3, C = 1.4, D = 1.2 }";
const STATELESS_TYRE: &str = "type = 'tyre'\nat = 'b.n'\ntyre = 't'\nroad = 'r'\nfree = true\n\
    [road.r]\nheight = '0.1*sin(x) + 0.05*x*y'\n\
    [tyre.t]\ntype = 'tmeasy'\nradius = 4\nload = 50\nforce = '30*depth + 5*depth^3'\n\
    damping = 2\nlow_speed = 9\nrelaxation = 0\ntrail = 0.2\nrolling_resistance = 0.05\n\
    lateral = { slope = 300, peak_slip = 0.4, peak = 60, slide_slip = 1.5, slide = 40, \
    double = [500, 0.5, 110, 2, 70] }";
const LINEAR_TYRE: &str = "type = 'tyre'\nat = 'b.n'\ntyre = 't'\n\
    [tyre.t]\ntype = 'linear'\nradius = 4\nload = 50\nstiffness = 40\nlow_speed = 2\n\
    lateral = 300";
const PLANAR_TYRE: &str = "type = 'tyre'\nat = 'b.n'\naxis = [0.3, 1]\ntyre = 't'\n\
    [tyre.t]\ntype = 'tanh'\nradius = 0.3\nload = 50\nstiffness = 40\nlow_speed = 2\n\
    lateral = 300\nrelaxation = 0.6\ntrail = 0.1\nrolling_resistance = 0.02";

const BEAM: &str = "type = 'beam'\nbetween = [FIRST, SECOND]\nlength = 0.7\nEA = 50\n\
    GA = [40, 30]\nEI = [2, 3]\nGJ = 1.5";
const DAMPED_BEAM: &str = "type = 'beam'\nbetween = [FIRST, SECOND]\nlength = 0.7\nEA = 50\n\
    EI = [2, 3]\nGJ = 1.5\ndamping = 0.2";
const PLANAR_BEAM: &str = "type = 'beam'\nbetween = [FIRST, SECOND]\nlength = 0.7\nEA = 50\n\
    GA = 40\nEI = 3";
const DAMPED_PLANAR_BEAM: &str = "type = 'beam'\nbetween = [FIRST, SECOND]\nlength = 0.7\n\
    EA = 50\nEI = 3\ndamping = 0.2";

/// 6×6, symmetric, positive definite, nothing zero.
const BUSHING: &str = "type = 'bushing'\nbetween = [FIRST, SECOND]\nstiffness = [\
    [50, 3, -2, 1, 0.5, -1], [3, 40, 4, -2, 1, 0.3], [-2, 4, 60, 0.7, -0.4, 2], \
    [1, -2, 0.7, 9, 1, -0.5], [0.5, 1, -0.4, 1, 7, 0.8], [-1, 0.3, 2, -0.5, 0.8, 8]]";
const DAMPED_BUSHING: &str = "type = 'bushing'\nbetween = [FIRST, SECOND]\n\
    stiffness = [50, 40, 60, 9, 7, 8]\ndamping = [\
    [5, 0.3, -0.2, 0.1, 0.1, -0.1], [0.3, 4, 0.4, -0.2, 0.1, 0.3], [-0.2, 0.4, 6, 0.1, -0.4, 0.2], \
    [0.1, -0.2, 0.1, 0.9, 0.1, -0.1], [0.1, 0.1, -0.4, 0.1, 0.7, 0.1], [-0.1, 0.3, 0.2, -0.1, 0.1, 0.8]]";

/// Cross terms that have no potential.
const SKEW_BUSHING: &str = "type = 'bushing'\nbetween = [FIRST, SECOND]\nallow_negative = true\n\
    stiffness = [[50, 3, 0, 0, 0, 5], [-7, 40, 0, 0, 0, 0], [0, 0, 60, 0, 0, 0], \
    [0, 0, 0, 9, 0, 0], [0, 0, 0, 0, 7, 0], [1, 0, 0, 0, 0, 8]]";
const BEARING: &str = "type = 'bearing'\nbetween = [FIRST, SECOND]\n\
    stiffness = [[50, 30], [-20, 40]]\ndamping = [[5, 1], [-2, 4]]";
const BEARING_ACROSS_X: &str = "type = 'bearing'\nbetween = [FIRST, SECOND]\naxis = [1, 0, 0]\n\
    stiffness = [[50, 30], [-20, 40]]\ndamping = [[5, 1], [-2, 4]]";

impl Case {
    fn lab(&self, kind: &str, ends: [&str; 2]) -> Lab {
        let text = self
            .text
            .replace("FIRST", &format!("'{}'", ends[0]))
            .replace("SECOND", &format!("'{}'", ends[1]));
        Lab::new(&format!("{}\n[force.f]\n{text}\n", scene(kind)))
    }
}

/// Frames and axis that a pose refers to.
fn pair(kind: &ForceKind) -> Option<AxisPair> {
    match kind {
        ForceKind::Torsion { coordinate, .. } | ForceKind::Actuator { coordinate, .. } => {
            Some(coordinate.pair.clone())
        }
        _ => None,
    }
}

fn energy(lab: &mut Lab, s: &State) -> DVector<f64> {
    lab.realize(s);
    let e = lab.sys.energies(&lab.ws).unwrap_or_default();
    DVector::from(vec![e.potential, e.kinetic + e.potential])
}

fn power(lab: &mut Lab, s: &State) -> Power {
    lab.realize(s);
    let lambda = vec![0.0; lab.sys.dims().n_vel];
    lab.sys.power(&lab.ws, &lambda).unwrap_or_default()
}

/// Power that enters minus power that leaves is the rate of energy of the free system.
pub(super) fn check_power(lab: &mut Lab, s: &State, what: &str) {
    let f = lab.force(s);
    let a = lab.mass(s).lu().solve(&f).unwrap();
    let v = DVector::from(s.v.clone());
    let rate = lab.slope(s, (&v, &a, 1.0), energy)[1];
    let p = power(lab, s);
    let scale = f.dot(&v).abs() + p.work.abs() + p.dissipated.abs() + 1.0;
    let expected = p.work - p.dissipated;
    assert!((rate - expected).abs() < 1e-8 * scale, "{what}: power {expected}, energy rate {rate}");
}

/// f = −∂V/∂ξ at rest.
fn check_potential(lab: &mut Lab, s: &State, what: &str) {
    let mut rest = s.clone();
    rest.v.fill(0.0);
    let expected = -lab.gradient(&rest, false, energy).row(0).transpose();
    close(&lab.force(&rest), &expected, 1e-8, &format!("{what}: force and potential"));
}

#[test]
fn forces_keep_their_contract() {
    for (k, case) in CASES.iter().enumerate() {
        for &kind in case.kinds {
            for ends in ENDS {
                let what = format!("case {k} {kind} {ends:?} {}", case.text);
                let mut lab = case.lab(kind, ends);
                let mut bare = Lab::new(&scene(kind));
                let pair = pair(&lab.model().forces[0].kind);
                // an element of a beam has no force where it is turned by almost half a turn or more
                let mut seeds = (0..).filter(|seed| {
                    let s = lab.state(&mut Rng(seed + 5), case.pose, pair.as_ref());
                    lab.force(&s).iter().all(|f| f.is_finite())
                });
                let seeds: Vec<u64> = seeds.by_ref().take(3).collect();
                for seed in seeds {
                    let mut rng = Rng(seed + 5);
                    let s = lab.state(&mut rng, case.pose, pair.as_ref());
                    assert!(lab.check_tangent(&s, &mut rng, &what), "{what}: quality");
                    check_power(&mut lab, &s, &what);
                    if case.conservative {
                        check_potential(&mut lab, &s, &what);
                        assert_eq!(power(&mut lab, &s), Power::default(), "{what}");
                    }
                    if case.mutual && ends == ENDS[0] {
                        check_mutual(&mut lab, &mut bare, &s, &mut rng, &what);
                    }
                }
            }
        }
    }
}

/// Action and reaction, and the same force on the bodies wherever they are as a whole.
fn check_mutual(lab: &mut Lab, bare: &mut Lab, s: &State, rng: &mut Rng, what: &str) {
    let mut own = |bare: &mut Lab, s: &State| {
        let alone = State { z: Vec::new(), ..s.clone() };
        lab.force(s) - bare.force(&alone)
    };
    let f = own(bare, s);
    assert!(f.norm() > 1e-3, "{what}: no force");
    let (turn, shift) = bare.rigid_motion(rng);
    let other = bare.carried(s, &turn, &shift);
    // generalised forces turn like velocities
    let as_velocity = State { v: f.as_slice().to_vec(), ..s.clone() };
    let expected = bare.carried(&as_velocity, &turn, &shift).v;
    let found = own(bare, &other);
    close(&found, &DVector::from(expected), 1e-10, &format!("{what}: after a rigid motion"));
    let total = bare.resultant(s, &f) / f.norm();
    close(&total, &DVector::zeros(6), 1e-9, &format!("{what}: action and reaction"));
}

#[test]
fn free_bodies_keep_their_energy_in_gravity() {
    for kind in KINDS {
        let mut lab = Lab::new(&scene(kind));
        for seed in 0..3 {
            let mut rng = Rng(seed);
            let s = lab.state(&mut rng, Pose::Free, None);
            let what = format!("gravity {kind}");
            assert!(lab.check_tangent(&s, &mut rng, &what));
            check_power(&mut lab, &s, &what);
            check_potential(&mut lab, &s, &what);
        }
    }
}

#[test]
fn a_bushing_is_a_potential_up_to_almost_half_a_turn() {
    let case = Case { text: BUSHING, ..SPRING };
    let mut lab = case.lab("rigid", ["ground.m", "b.n"]);
    let ForceKind::Bushing { a, b, .. } = lab.model().forces[0].kind.clone() else { panic!() };
    for angle in [0.0, 1e-9, 1e-5, 1e-3, 0.02, 1.0, 2.0, 3.0, 3.1] {
        let mut rng = Rng(3);
        let mut s = lab.state(&mut rng, Pose::Free, None);
        let turn = Quat::from_axis_angle(&Vec3::new(1.0, -2.0, 2.0).normalize(), angle).matrix();
        let r = a.r * turn * b.r.transpose();
        s.q[10..14].copy_from_slice(&Quat::from_matrix(&r).0);
        let what = format!("bushing at {angle} rad");
        check_potential(&mut lab, &s, &what);
        check_power(&mut lab, &s, &what);
        lab.check_tangent(&s, &mut rng, &what);
    }
    // K at rest in the free position is the given matrix, so it is positive semidefinite
    let mut s = lab.state(&mut Rng(1), Pose::Free, None);
    s.v.fill(0.0);
    let r = a.r * b.r.transpose();
    s.q[10..14].copy_from_slice(&Quat::from_matrix(&r).0);
    let com = lab.model().bodies[1].com;
    let x = a.p - r * (b.p - com);
    s.q[7..10].copy_from_slice(x.as_slice());
    let (k, _) = lab.tangent(&s, &[0.0; 12], &[], 1.0, 0.0);
    let k: DMatrix<f64> = k.view((6, 6), (6, 6)).into_owned();
    close(&k, &k.transpose(), 1e-8, "bushing: symmetric");
    assert!(SymmetricEigen::new(k).eigenvalues.min() > 0.1);
}

/// An actuator along a joint, with sensors of its coordinate.
fn actuator(kind: &str, coordinate: &str, rest: &str) -> Lab {
    let joint = match (kind, coordinate) {
        ("planar" | "planar-modal", "angle") => "type = 'revolute'",
        ("planar" | "planar-modal", _) => "type = 'prismatic'\naxis = [3, 4]",
        _ => "type = 'cylindrical'\naxis = [1, -2, 3]\naxis2 = [2, 1, 0.5]",
    };
    Lab::new(&format!(
        "{}\n[joint.j]\n{joint}\nbetween = ['a.m', 'b.n']\n\
         [sensor.s]\ntype = 'joint'\njoint = 'j'\ncoordinate = '{coordinate}'\n\
         [sensor.r]\ntype = 'joint-rate'\njoint = 'j'\ncoordinate = '{coordinate}'\n\
         [force.f]\ntype = 'actuator'\njoint = 'j'\ncoordinate = '{coordinate}'\n\
         target = '0.4*sin(3*t)'\n{rest}\n",
        scene(kind)
    ))
}

#[test]
fn an_actuator_pushes_along_its_coordinate_and_integrates_its_error() {
    for kind in KINDS {
        for coordinate in ["angle", "position"] {
            for control in ["position", "rate"] {
                let what = format!("{kind} {coordinate} {control}");
                let kd = if control == "position" { 0.6 } else { 0.0 };
                let derivative =
                    if control == "position" { format!("\nkd = {kd}") } else { String::new() };
                let gains = format!("control = '{control}'\nkp = 7\nki = 3{derivative}");
                let mut lab = actuator(kind, coordinate, &gains);
                let pair = pair(&lab.model().forces[0].kind);
                let mut rng = Rng(8);
                let s = lab.state(&mut rng, Pose::Aligned, pair.as_ref());
                lab.realize(&s);
                let out = crate::Outputs {
                    a: &[],
                    lambda: &[],
                    dissipated: 0.0,
                    work: 0.0,
                    energy_at_start: 0.0,
                    stored: 0.0,
                };
                let mut m = crate::Measured::default();
                let mut z_dot = vec![0.0; lab.sys.dims().nz];
                lab.sys.z_dot(&lab.ws, &mut z_dot);
                let p = power(&mut lab, &s);
                lab.sys.measure(&mut lab.ws, &out, &mut m);
                let (x, rate) = (m.values[0], m.values[1]);
                let (want, want_rate) = (0.4 * (3.0 * s.t).sin(), 1.2 * (3.0 * s.t).cos());
                let (e, e_dot) = match control {
                    "position" => (want - x, want_rate - rate),
                    _ => (want - rate, 0.0),
                };
                let push = 7.0 * e + 3.0 * s.z[s.z.len() - 1] + kd * e_dot;
                let near = |x: f64, y: f64| (x - y).abs() < 1e-10 * (1.0 + y.abs());
                assert!(near(z_dot[z_dot.len() - 1], e), "{what}: integral of the error");
                assert!(near(p.work, push * rate), "{what}: {} {}", p.work, push * rate);
                // a counter of turns follows the angle
                let counts = !kind.starts_with("planar") && coordinate == "angle";
                assert_eq!(z_dot.len(), 1 + usize::from(counts), "{what}");
                assert!(!counts || near(z_dot[0], rate), "{what}");
            }
        }
    }
}
