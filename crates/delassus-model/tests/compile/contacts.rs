//! Shapes and one-sided interactions: what they are compiled to, and every check.

use crate::compile_support;

use compile_support::{faults, model_with, refused_entry};
use delassus_dae::RestitutionLaw;
use delassus_model::spec::{ImpactType, SchemeType};
use delassus_model::{BodyId, ContactKind, Form, ShapeId};

const SHAPES: &str = r#"
[shape.x]
type = "circle"
body = "a.tip"
radius = "20 mm"
at = [0.5, 0]
[shape."y{i}"]
repeat = "i = 1..2"
type = "point"
body = "b"
at = ["0.1*i", 0]
[shape.floor]
type = "half-plane"
body = "ground"
"#;

fn refused_with(text: &str, code: &str, path: &str, value: &str, help: &str) {
    refused_entry(
        &format!("{SHAPES}[contact.all]\namong = ['*']\n{text}"),
        code,
        path,
        value,
        help,
    );
}

#[test]
fn shapes_and_contacts() {
    let m = model_with(&format!(
        "{SHAPES}[contact.one]\nbetween = ['x', ['y*', 'floor']]\nrestitution = 0.5\n\
         restitution_law = 'poisson'\nfriction = 0.3\nstatic_friction = 0.4\n\
         [contact.rest]\namong = ['y*', 'floor']\n"
    ));
    let x = &m.shapes[0];
    assert_eq!((x.name.as_str(), x.frame.body, x.frame.p.x), ("x", Some(BodyId(0)), 1.5));
    assert_eq!(x.form, Form::Circle { radius: 0.02 });
    let ContactKind::Shapes { a, b, surface, .. } = &m.contacts[0].kind else { panic!() };
    assert_eq!(
        (a.as_slice(), b.as_deref()),
        (&[ShapeId(0)][..], Some(&[ShapeId(1), ShapeId(2), ShapeId(3)][..]))
    );
    assert_eq!((surface.restitution.e, surface.restitution.law), (0.5, RestitutionLaw::Poisson));
    assert_eq!((surface.friction, surface.static_friction), (0.3, 0.4));
    assert!(matches!(&m.contacts[1].kind, ContactKind::Shapes { b: None, .. }));
    assert!(m.notes.is_empty(), "{:?}", m.notes);
}

#[test]
fn shapes_that_nothing_touches_are_noted() {
    let m = model_with(&format!("{SHAPES}[contact.one]\nbetween = ['x', 'floor']\n"));
    let found: Vec<_> = m.notes.iter().map(|n| (n.code, n.path.as_str())).collect();
    assert_eq!(found, [("N_SHAPE_UNUSED", "shape.y{i}")]);
}

#[test]
fn settings() {
    let m = model_with("[analysis]\nimpacts = 'sequential'\n[method]\nscheme = 'event-driven'\n");
    assert_eq!(
        (m.analysis.impacts, m.method.scheme),
        (ImpactType::Sequential, SchemeType::EventDriven)
    );
    let m = model_with("");
    assert_eq!(
        (m.analysis.impacts, m.method.scheme),
        (ImpactType::Simultaneous, SchemeType::Hybrid)
    );
}

#[test]
fn coefficients() {
    let c = |line: &str| format!("[contact.c]\nbetween = ['x', 'floor']\n{line}\n");
    for e in ["-0.1", "1.5", "'2 - 0.99'"] {
        let text = c(&format!("restitution = {e}"));
        refused_with(&text, "E_RESTITUTION", "contact.c.restitution", "from 0 to 1", "comes back");
    }
    let text = c("friction = -0.1");
    refused_with(&text, "E_FRICTION", "contact.c.friction", "-0.1", "zero or more");
    let text = c("friction = 0.4\nstatic_friction = 0.3");
    refused_with(
        &text,
        "E_FRICTION",
        "contact.c.static_friction",
        "less than `friction`",
        "at least",
    );
}

#[test]
fn partners() {
    let c = |line: &str| format!("[contact.c]\n{line}\n");
    let same = "E_SAME_BODY";
    refused_with(
        &c("between = ['x', 'x']"),
        same,
        "contact.c.between",
        "touch itself",
        "two bodies",
    );
    refused_with(&c("between = ['y1', 'y2']"), same, "contact.c.between", "body `b`", "two bodies");
    refused_with(&c("among = ['y*']"), same, "contact.c.among", "body `b`", "two bodies");
    let unknown = "E_UNKNOWN_NAME";
    refused_with(
        &c("between = ['x', 'flor']"),
        unknown,
        "contact.c.between[1]",
        "`flor`",
        "`floor`",
    );
    refused_with(
        &c("between = ['x', ['floor', 'z*']]"),
        unknown,
        "contact.c.between[1][1]",
        "`z*`",
        "",
    );
    refused_with(&c("between = ['x']"), "E_SHAPE", "contact.c.between", "1 entry", "2 sides");
    refused_with(&c("restitution = 1"), "E_MISSING_FIELD", "contact.c.between", "", "among");
    refused_with(
        &c("between = ['x', 'floor']\njoint = 'pin'"),
        "E_FIELD_UNUSED",
        "contact.c.joint",
        "",
        "",
    );
}

#[test]
fn shapes_fit_their_bodies() {
    let s = |body: &str, rest: &str| format!("[shape.s]\nbody = '{body}'\n{rest}\n");
    let wrong = "E_SHAPE_BODY";
    refused_with(&s("r", "type = 'circle'\nradius = 1"), wrong, "shape.s.body", "plane", "sphere");
    refused_with(&s("a", "type = 'sphere'\nradius = 1"), wrong, "shape.s.body", "solid", "circle");
    let tilted = "[ground.markers]\nup = { orientation = { z = [1, 0, 0] } }\n";
    let text = format!("{tilted}{}", s("ground.up", "type = 'half-plane'"));
    refused_with(&text, wrong, "shape.s.body", "tilted", "marker");
    refused_with(&s("a", "type = 'circle'"), "E_MISSING_FIELD", "shape.s.radius", "", "radius");
    refused_with(&s("a", "type = 'circle'\nradius = -1"), "E_RANGE", "shape.s.radius", "-1", "");
    refused_with(
        &s("a", "type = 'circle'\nradius = '1 s'"),
        "E_DIMENSION",
        "shape.s.radius",
        "",
        "",
    );
    refused_with(&s("q", "type = 'point'"), "E_UNKNOWN_NAME", "shape.s.body", "`q`", "");
    refused_with(&s("a", "type = 'point'\nradius = 1"), "E_FIELD_UNUSED", "shape.s.radius", "", "");
    let arc = "type = 'profile'\npoints = [{ at = [0, 0], arc = 0.4 }, [1, 0], [0, 1]]";
    refused_with(&s("a", arc), "E_RANGE", "shape.s.points[0].arc", "0.4 m", "half the distance");
    let mesh = "type = 'mesh'\nfile = 'x.stl'";
    refused_with(&s("r", mesh), "E_MESH", "shape.s.file", "not loaded", "");
}

#[test]
fn limits_and_others() {
    let c = |line: &str| format!("[contact.c]\n{line}\n");
    let limit = "type = 'limit'\njoint = 'pin'\n";
    let text = c(&format!("{limit}lower = '30 deg'\nupper = '30 deg'"));
    refused_entry(&text, "E_RANGE", "contact.c.upper", "lower must be below", "");
    refused_entry(&c(limit), "E_MISSING_FIELD", "contact.c.upper", "", "lower");
    refused_entry(
        &c("type = 'limit'\nupper = 1"),
        "E_MISSING_FIELD",
        "contact.c.joint",
        "",
        "joint",
    );
    let text = c("type = 'limit'\njoint = 'ball'\nupper = 1");
    refused_entry(&text, "E_NO_COORDINATE", "contact.c.joint", "`ball`", "");
    let text = c("type = 'rope'\nbetween = ['a', 'a.tip']");
    refused_entry(&text, "E_SAME_BODY", "contact.c.between", "`a`", "");
    let text = c("type = 'rope'\nbetween = ['a', 'b']\nlength = 0");
    refused_entry(&text, "E_RANGE", "contact.c.length", "0 m", "");
    let text = c("type = 'one-way'\njoint = 'pin'\ndirection = 2");
    refused_entry(&text, "E_RANGE", "contact.c.direction", "2", "");
    let text = c("type = 'dry-friction'\njoint = 'pin'\nbound = '3 N'");
    refused_entry(&text, "E_DIMENSION", "contact.c.bound", "3 N", "");
    let text = c("type = 'dry-friction'\njoint = 'pin'\nbound = 3\nstatic_bound = 2");
    refused_entry(&text, "E_FRICTION", "contact.c.static_bound", "2", "");
    let text = c("type = 'coordinates'\ngap = [{ joint = 'pin', factor = 1 }]\nfriction = 1");
    refused_entry(&text, "E_MISSING_FIELD", "contact.c.slip", "", "");
}

/// Independent faults come together, in the order of the file.
#[test]
fn all_at_once() {
    let text = "schema = 1\n[body.a]\ntype = 'planar-point'\nmass = 1\n\
                [shape.a]\ntype = 'circle'\nbody = 'a'\nradius = 0\n\
                [shape.f]\ntype = 'half-plane'\nbody = 'ground'\n\
                [contact.c]\nbetween = ['a', 'f']\nrestitution = 2\nfriction = -1\n";
    let codes: Vec<_> = faults(text).iter().map(|f| f.code).collect();
    assert_eq!(codes, ["E_RANGE", "E_RESTITUTION", "E_FRICTION"]);
}
