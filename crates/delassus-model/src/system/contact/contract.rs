//! The properties of every point, checked by differences at random states: u = H v, u_N is the rate of the gap, u̇ = H
//! a + bias, ∂H_N/∂ξ, bounds of its pair hold, and a rigid motion of the whole changes nothing.
//!
//! Used only by tests: if a model of theirs cannot be made, the test ends with the reason.

use crate::joint::contract::{Lab, MODES, PLANAR_MODES, Pose as Fit, Rng, TELESCOPES};
use crate::{Model, System, assemble, compile};
use delassus_dae::{ContactPoint, PointId, PointLaw, Problem, State, Unilateral};
use nalgebra::DVector;

pub(super) fn close(found: &[f64], expected: &[f64], tol: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (x, y) in found.iter().zip(expected) {
        let scale = x.abs().max(y.abs()).max(1.0);
        assert!((x - y).abs() <= tol * scale, "found {x}, expected {y}: {what}");
    }
}

/// Bodies and shapes for the plane; OTHER is the second body's frame or the ground.
const PLANE: &str = r#"
schema = 1
[body.a]
type = "KIND"
mass = 1.3
INERTIA
position = [0.3, 0.1]
[body.b]
type = "OTHER"
mass = 0.8
OTHER_INERTIA
position = [1.4, 0.9]
"#;

fn planar_text(kind: &str, other: &str, shapes: &str) -> String {
    let inertia = |kind: &str, com: &str| match kind {
        "planar" | "planar-modal" => format!("inertia = 0.7\ncom = {com}\nangle = 0.5"),
        _ => String::new(),
    };
    let text = PLANE.replace("OTHER_INERTIA", &inertia(other, "[-0.2, 0.1]"));
    let text = text.replace("INERTIA", &inertia(kind, "[0.1, 0.2]"));
    let text = text.replace("KIND", kind).replace("OTHER", other);
    text + &modes("a", kind) + &modes("b", other) + shapes
}

/// Modes of a body, if it deforms; shapes on it are at its node `p`.
fn modes(body: &str, kind: &str) -> String {
    let text = match kind {
        "modal" => MODES,
        "planar-modal" => PLANAR_MODES,
        _ => "",
    };
    text.replace("NAME", body)
}

/// Where the shapes of a body of this kind are.
fn seat(body: &str, kind: &str) -> String {
    if kind.ends_with("modal") { format!("{body}.p") } else { body.to_owned() }
}

fn spatial_text(kind: &str, other: &str, shapes: &str) -> String {
    let inertia = |kind: &str, com: &str| match kind {
        "rigid" | "modal" => format!(
            "inertia = [0.7, 0.9, 1.1, 0.05, -0.1, 0.08]\ncom = {com}\n\
             orientation = {{ axis = [0, 1, 1], angle = 0.5 }}"
        ),
        _ => String::new(),
    };
    format!(
        "schema = 1\n[body.a]\ntype = \"{kind}\"\nmass = 1.3\n{}\nposition = [0.3, 0.1, 0.2]\n\
         [body.b]\ntype = \"{other}\"\nmass = 0.8\n{}\nposition = [1.4, 0.9, -0.4]\n{}{}{shapes}",
        inertia(kind, "[0.1, 0.2, -0.1]"),
        inertia(other, "[-0.2, 0.1, 0.15]"),
        modes("a", kind),
        modes("b", other),
    )
}

/// A shape named `x` or `y`, off the origin where its body can turn.
fn shape(name: &str, body: &str, turns: bool, text: &str) -> String {
    let at = match (turns, text.contains("SPACE")) {
        (false, _) => "",
        (true, false) => "at = [0.15, -0.2]\n",
        (true, true) => "at = [0.15, -0.2, 0.3]\n",
    };
    format!("[shape.{name}]\nbody = \"{body}\"\n{at}{}\n", text.replace("SPACE", ""))
}

const RULE: &str = "[contact.c]\nbetween = ['x', 'y']\nfriction = 0.3\nallow_overlap = true\n";

/// Tries all points of a model at random states.
fn points_keep(text: &str, seed: u64) {
    let mut lab = Lab::new(text);
    let mut rng = Rng(seed);
    let mut tried = 0;
    for _ in 0..6 {
        let s = lab.state(&mut rng, Fit::Free, None);
        lab.realize(&s);
        let mut near = Vec::new();
        lab.sys.near(&lab.ws, f64::INFINITY, &mut near);
        assert!(near.is_sorted());
        let mut below = Vec::new();
        lab.sys.near(&lab.ws, 0.7, &mut below);
        assert!(below.iter().all(|id| near.contains(id)));
        for id in near {
            let mut p = ContactPoint::default();
            lab.realize(&s);
            if lab.sys.position(&lab.ws, id, false, None, &mut p) {
                lab.sys.rates(&lab.ws, id, &mut p);
                tried += 1;
                bounds(&lab, id, &p, text);
                at_once(&lab, id, &p, text);
                one(&mut lab, &s, id, &p, &mut rng, text);
            }
        }
    }
    assert!(tried > 0, "no point faces anything\n{text}");
}

/// Evaluation in one call, or in part, agrees with evaluation step by step.
fn at_once(lab: &Lab, id: PointId, p: &ContactPoint, text: &str) {
    let mut whole = ContactPoint::default();
    assert!(lab.sys.evaluate(&lab.ws, id, None, &mut whole), "{text}");
    assert_eq!(&whole, p, "{text}");
    let mut part = ContactPoint::default();
    assert!(lab.sys.normal(&lab.ws, id, None, &mut part), "{text}");
    assert_eq!(part.cols, p.cols, "{text}");
    close(&[part.gap], &[p.gap], 1e-12, text);
    close(&part.rows[0], &p.rows[0], 1e-12, text);
}

/// The gap alone is that of the whole point, and no point is nearer or faster than its pair may be.
fn bounds(lab: &Lab, id: PointId, p: &ContactPoint, text: &str) {
    if !matches!(lab.sys.law(id), PointLaw::Contact { .. }) {
        return;
    }
    let gap = lab.sys.gap(&lab.ws, id, None, &mut ContactPoint::default());
    close(&[gap.unwrap_or(f64::NAN)], &[p.gap], 1e-12, text);
    let (clearance, speed) = lab.sys.approach(&lab.ws, id);
    // what stands around a hollow has no far side in its gap, but its bound ends with the shape
    if !(text.contains("hollow") && p.gap < -1.0) {
        assert!(clearance <= p.gap.max(0.0) + 1e-12, "{clearance} above {}: {text}", p.gap);
    }
    assert!(speed >= p.rate[0].abs() * (1.0 - 1e-12), "{speed} below {}: {text}", p.rate[0]);
}

fn one(lab: &mut Lab, s: &State, id: PointId, p: &ContactPoint, rng: &mut Rng, text: &str) {
    let n = lab.sys.law(id).rows();
    let v = DVector::from(s.v.clone());
    let a = rng.vector(v.len());
    let mut cols = Vec::new();
    lab.sys.columns(id, &mut cols);
    assert_eq!(cols, p.cols);
    for k in 0..n {
        close(&[p.row_dot(k, &s.v)], &[p.rate[k]], 1e-12, text);
    }
    let follow = |lab: &mut Lab, s: &State| {
        let mut at = ContactPoint::default();
        lab.realize(s);
        assert!(lab.sys.position(&lab.ws, id, true, Some(p.features), &mut at));
        lab.sys.rates(&lab.ws, id, &mut at);
        at
    };
    if matches!(lab.sys.law(id), PointLaw::Contact { .. }) {
        let gap = lab.slope(s, (&v, &a, 1.0), |lab, s| DVector::from(vec![follow(lab, s).gap]));
        close(&[gap[0]], &[p.rate[0]], 1e-8, text);
    }
    let rates =
        lab.slope(s, (&v, &a, 1.0), |lab, s| DVector::from(follow(lab, s).rate[..n].to_vec()));
    for k in 0..n {
        let wanted = p.row_dot(k, a.as_slice()) + p.bias[k];
        close(&[rates[k]], &[wanted], 1e-7, &format!("row {k}\n{text}"));
    }
    lab.realize(s);
    let mut found = vec![0.0; cols.len() * cols.len()];
    if lab.sys.gap_hessian(&lab.ws, id, p, &mut found) {
        for (j, col) in cols.iter().enumerate() {
            let (mut along, still) = (DVector::zeros(v.len()), DVector::zeros(v.len()));
            along[*col] = 1.0;
            let change = lab.slope(s, (&along, &still, 1.0), |lab, s| {
                DVector::from(follow(lab, s).rows[0].clone())
            });
            let column: Vec<f64> = (0..cols.len()).map(|i| found[i * cols.len() + j]).collect();
            close(&column, change.as_slice(), 1e-7, &format!("change of H along {j}\n{text}"));
        }
    }
}

/// A rigid motion of two bodies leaves all rates at zero.
fn carried_along(text: &str) {
    let mut lab = Lab::new(text);
    let mut rng = Rng(77);
    let mut s = lab.state(&mut rng, Fit::Free, None);
    let (turn, shift) = lab.rigid_motion(&mut rng);
    lab.carry(&mut s, &turn, &shift);
    lab.realize(&s);
    let mut near = Vec::new();
    lab.sys.near(&lab.ws, f64::INFINITY, &mut near);
    let mut p = ContactPoint::default();
    for id in near {
        if lab.sys.position(&lab.ws, id, false, None, &mut p) {
            lab.sys.rates(&lab.ws, id, &mut p);
            close(
                &p.rate[..lab.sys.law(id).rows()],
                &[0.0; 3][..lab.sys.law(id).rows()],
                1e-12,
                text,
            );
        }
    }
}

const PLANAR_SHAPES: [&str; 6] = [
    "type = 'point'",
    "type = 'circle'\nradius = 0.2",
    "type = 'half-plane'\nnormal = [3, 4]",
    "type = 'segment'\nfrom = [-1, 0]\nto = [1, 0.2]",
    "type = 'arc'\nradius = 3\nhollow = true",
    "type = 'profile'\npoints = [[-0.3, -0.2], [0.4, -0.2], { at = [0.3, 0.3], fillet = 0.05 }, [-0.3, 0.2]]",
];

#[test]
fn planar_points() {
    let mut seed = 1;
    for (x, y) in [(1, 1), (0, 1), (0, 2), (2, 1), (1, 3), (4, 1), (0, 5), (5, 2), (5, 1), (5, 5)] {
        for (kind, other) in [
            ("planar", "planar"),
            ("planar-point", "planar"),
            ("planar", "ground"),
            ("planar-modal", "planar-modal"),
            ("planar", "planar-modal"),
            ("planar-modal", "ground"),
        ] {
            let (a_turns, on_ground) = (kind != "planar-point", other == "ground");
            let b = if on_ground { "ground".to_owned() } else { seat("b", other) };
            let shapes = shape("x", &seat("a", kind), a_turns, PLANAR_SHAPES[x])
                + &shape("y", &b, true, PLANAR_SHAPES[y])
                + RULE;
            let other = if on_ground { "planar" } else { other };
            let text = planar_text(kind, other, &shapes);
            seed += 1;
            points_keep(&text, seed);
            if a_turns && !on_ground {
                carried_along(&text);
            }
        }
    }
}

const SPATIAL_SHAPES: [&str; 7] = [
    "type = 'sphere'\nradius = 0.2",
    "type = 'half-space'\nnormal = [3, 4, 1]",
    "type = 'capsule'\nradius = 0.1\nlength = 5SPACE",
    "type = 'box'\nsize = [0.5, 0.6, 0.7]SPACE",
    "type = 'point'",
    "type = 'cylinder'\nradius = 0.3\nlength = 0.4SPACE",
    "type = 'hull'\npoints = [[0, 0, 0], [0.6, 0, 0.1], [0, 0.5, 0], [0.1, 0.1, 0.7]]SPACE",
];

#[test]
fn spatial_points() {
    let mut seed = 1;
    for (x, y) in [
        (0, 0),
        (0, 1),
        (1, 0),
        (2, 0),
        (0, 2),
        (4, 1),
        (0, 3),
        (3, 1),
        (3, 3),
        (2, 2),
        (2, 3),
        (6, 3),
        (1, 5),
        (5, 0),
        (5, 1),
    ] {
        for (kind, other) in [
            ("rigid", "rigid"),
            ("point", "rigid"),
            ("rigid", "ground"),
            ("modal", "modal"),
            ("modal", "rigid"),
            ("modal", "ground"),
        ] {
            let (a_turns, on_ground) = (kind != "point", other == "ground");
            if !a_turns && !matches!(x, 0 | 4) {
                continue;
            }
            let b = if on_ground { "ground".to_owned() } else { seat("b", other) };
            let mark = |text: &str| {
                if text.contains("SPACE") { text.to_owned() } else { format!("{text}SPACE") }
            };
            let shapes = shape("x", &seat("a", kind), a_turns, &mark(SPATIAL_SHAPES[x]))
                + &shape("y", &b, true, &mark(SPATIAL_SHAPES[y]))
                + RULE;
            let other = if on_ground { "rigid" } else { other };
            let text = spatial_text(kind, other, &shapes);
            seed += 1;
            points_keep(&text, seed);
            if [kind, other].contains(&"rigid") {
                points_keep(&format!("{TELESCOPES}{text}"), seed + 1000);
            }
            if a_turns && !on_ground {
                carried_along(&text);
            }
        }
    }
}

/// Stops, ropes, clutches, dry friction and sums of coordinates.
const SCALARS: &str = r#"
[joint.hinge]
type = "revolute"
between = ["ground", "SEAT_A"]
axis = AXIS
[joint.slide]
type = "prismatic"
between = ["SEAT_A", "SEAT_B"]
[contact.stop]
type = "limit"
joint = "hinge"
lower = "-100 deg"
upper = "100 deg"
allow_overlap = true
[contact.end]
type = "limit"
joint = "slide"
upper = 9
[contact.rope]
type = "rope"
between = ["ground", "SEAT_B"]
length = 9
[contact.freewheel]
type = "one-way"
joint = "hinge"
direction = -1
[contact.brake]
type = "dry-friction"
joint = "slide"
bound = 3
static_bound = 4
[contact.sum]
type = "coordinates"
gap = [{ joint = "hinge", factor = -0.2 }, { joint = "slide", factor = 1.5 }]
offset = 9
slip = [{ joint = "slide", factor = 1 }]
friction = 0.3
"#;

#[test]
fn scalar_points() {
    points_keep(&planar_text("planar", "planar", &scalars("planar")), 3);
    points_keep(&planar_text("planar-modal", "planar-modal", &scalars("planar-modal")), 3);
    spatial_scalars("rigid", &["", TELESCOPES]);
    spatial_scalars("modal", &[""]);
}

fn scalars(kind: &str) -> String {
    let text = SCALARS.replace("AXIS", "[0, 0, 1]");
    text.replace("SEAT_A", &seat("a", kind)).replace("SEAT_B", &seat("b", kind))
}

fn spatial_scalars(kind: &str, first_lines: &[&str]) {
    let text = spatial_text(kind, kind, &scalars(kind));
    // an angle is one only about a common axis: the slide and the rope remain in free poses
    let text = text
        .replace(
            "[contact.stop]\ntype = \"limit\"\njoint = \"hinge\"",
            "[contact.stop]\ntype = \"limit\"\njoint = \"slide\"",
        )
        .replace("lower = \"-100 deg\"\nupper = \"100 deg\"", "lower = -9\nupper = 8")
        .replace("type = \"one-way\"\njoint = \"hinge\"", "type = \"one-way\"\njoint = \"slide\"")
        .replace("{ joint = \"hinge\", factor = -0.2 }, ", "");
    for first in first_lines {
        points_keep(&format!("{first}{text}"), 4);
    }
}

fn model(text: &str) -> Model {
    let spec = toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    compile(&spec).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

#[test]
fn signs_and_names() {
    let text = planar_text("planar", "planar", &scalars("planar"));
    let sys = System::new(model(&text)).unwrap();
    let mut ws = sys.workspace();
    let q = sys.given_configuration();
    let z = sys.initial_z(0.0, &q);
    sys.realize_position(0.0, &q, &z, &mut ws);
    let mut near = Vec::new();
    sys.near(&ws, f64::INFINITY, &mut near);
    let names: Vec<String> = near.iter().map(|id| sys.point_name(*id)).collect();
    assert_eq!(names, ["stop.lower", "stop.upper", "end", "rope", "freewheel", "brake", "sum"]);
    let mut p = ContactPoint::default();
    let gap = |k: usize, p: &mut ContactPoint| {
        assert!(sys.position(&ws, near[k], false, None, p));
        p.gap
    };
    let limit = 100f64.to_radians();
    close(&[gap(0, &mut p), gap(1, &mut p)], &[0.5 + limit, limit - 0.5], 1e-14, "limits");
    close(&[gap(3, &mut p)], &[9.0 - 1.4f64.hypot(0.9)], 1e-14, "rope");
    // without a near gap only what has none is left
    sys.near(&ws, 0.0, &mut near);
    let names: Vec<String> = near.iter().map(|id| sys.point_name(*id)).collect();
    assert_eq!(names, ["freewheel", "brake"]);
}

#[test]
fn the_start_may_not_overlap() {
    let text = |extra: &str, y: f64| {
        format!(
            "schema = 1\n[body.ball]\ntype = 'planar-point'\nmass = 1\nposition = [0, {y}]\n\
             [shape.ball]\ntype = 'circle'\nbody = 'ball'\nradius = 0.1\n\
             [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
             [contact.c]\nbetween = ['ball', 'floor']\n{extra}"
        )
    };
    let start = |text: &str| assemble(System::new(model(text)).unwrap());
    assert!(start(&text("", 0.1)).is_ok());
    assert!(start(&text("allow_overlap = true", 0.05)).is_ok());
    let faults = start(&text("", 0.05)).unwrap_err();
    assert_eq!((faults[0].code, faults[0].path.as_str()), ("E_OVERLAP", "contact.c"));
    assert!(faults[0].message.contains("`ball` and `floor` by 5.000e-2"), "{}", faults[0].message);
    let limit = "[joint.j]\ntype = 'prismatic'\nbetween = ['ground', 'ball']\naxis = [0, 1]\n\
                 [contact.l]\ntype = 'limit'\njoint = 'j'\nupper = 0.2\n";
    let faults = start(&text(limit, 0.3)).unwrap_err();
    assert_eq!((faults[0].code, faults[0].path.as_str()), ("E_BEYOND_LIMIT", "contact.l"));
}

/// Also where pairs come from the broad phase, and also deep ones: the contact points detect neither a square exactly
/// on top of another one nor one inside.
#[test]
fn deep_overlap_among_many_is_named() {
    let text = |moved: f64, extra: &str| {
        let mut text = String::from("schema = 1\n");
        for k in 0..100 {
            let x = if k == 70 { moved } else { 0.2 * f64::from(k) };
            let half = if k == 71 { 0.02 } else { 0.1 };
            text += &format!(
                "[body.b{k}]\ntype = 'planar'\nmass = 1\ninertia = 1\nposition = [{x}, 0]\n\
                 [shape.s{k}]\ntype = 'profile'\nbody = 'b{k}'\n\
                 points = [[-{half}, -{half}], [{half}, -{half}], [{half}, {half}], [-{half}, {half}]]\n"
            );
        }
        text + &format!("[contact.c]\namong = ['s*']\n{extra}\n")
    };
    let start = |text: &str| assemble(System::new(model(text)).unwrap());
    assert!(System::new(model(&text(14.0, ""))).unwrap().contacts.pairs.are_many());
    assert!(start(&text(14.0, "")).is_ok());
    // one on the spot of another, and one around a small one and into the next
    for (moved, listed) in [
        (2.0, ["`s10` and `s70` by 2.000e-1", "at the start: `s10`"]),
        (14.21, ["`s70` and `s71` by 1.100e-1", "`s70` and `s72` by 1.000e-2"]),
    ] {
        let faults = start(&text(moved, "")).unwrap_err();
        for part in listed {
            assert!(faults[0].message.contains(part), "{}", faults[0].message);
        }
        assert!(start(&text(moved, "allow_overlap = true")).is_ok());
    }
}

#[test]
fn unsupported_pairs_are_named() {
    let text = planar_text(
        "planar",
        "planar",
        &(shape("x", "a", false, "type = 'half-plane'")
            + &shape("y", "b", false, "type = 'half-plane'")
            + RULE),
    );
    let faults = System::new(model(&text)).unwrap_err();
    assert_eq!((faults[0].code, faults[0].path.as_str()), ("E_PAIR_UNSUPPORTED", "contact.c"));
    assert!(faults[0].message.contains("`x` cannot touch `y`"), "{}", faults[0].message);
}

/// The list of all pairs and the groups of a large model find the same points.
#[test]
fn many_shapes() {
    let text = |rule: &str, n: usize| {
        format!(
            "schema = 1\n[body.'s{{i}}{{j}}']\nrepeat = 'i = 1..{n}, j = 1..{n}'\ntype = 'point'\nmass = 1\n\
             position = ['0.21*i + 0.01*sin(7*j)', '0.21*j', '0.05*cos(3*i + 5*j)']\n\
             [shape.'s{{i}}{{j}}']\nrepeat = 'i = 1..{n}, j = 1..{n}'\ntype = 'sphere'\nbody = 's{{i}}{{j}}'\n\
             radius = 0.1\n[shape.floor]\ntype = 'half-space'\nbody = 'ground'\nat = [0, 0, -0.12]\n[contact.c]\n{rule}\n"
        )
    };
    let near = |rule: &str, n: usize, margin: f64| {
        let sys = System::new(model(&text(rule, n))).unwrap();
        let mut ws = sys.workspace();
        sys.realize_position(0.0, &sys.given_configuration(), &[], &mut ws);
        let mut out = Vec::new();
        sys.near(&ws, margin, &mut out);
        (sys.contacts.pairs.are_many(), out, sys)
    };
    let (many, found, sys) = near("among = ['s*', 'floor']", 10, 0.05);
    assert!(many && !found.is_empty() && found.is_sorted());
    // by brute force
    let (_, all, _) = near("among = ['s*', 'floor']", 10, f64::INFINITY);
    let mut ws = sys.workspace();
    sys.realize_position(0.0, &sys.given_configuration(), &[], &mut ws);
    let mut p = ContactPoint::default();
    let wanted: Vec<PointId> = all
        .into_iter()
        .filter(|id| sys.position(&ws, *id, false, None, &mut p) && p.gap < 0.05)
        .collect();
    assert_eq!(found, wanted);
    let (many, few, _) = near("between = ['s*', 'floor']", 10, 0.05);
    assert!(!many);
    assert_eq!(few.len(), found.iter().filter(|id| id.pair & 0xffff_ffff == 100).count());
}
