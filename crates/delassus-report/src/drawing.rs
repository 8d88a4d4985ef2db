//! A still drawing of the mechanism as SVG.

use crate::drawing_play;
use crate::drawing_shapes::outlines;
use crate::payload::push_poses;
use crate::report::Report;
use crate::scene::{Attachment, Geometry, Scene};
use delassus_math::{Mat3, Quat, Vec3, largest, so3};
use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const MARGIN: f64 = 30.0;
/// Colours of bodies, in turn.
const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8a6d00", "#2b7bba"];

/// Bodies at one time: their origins and orientations.
pub(crate) struct Placed(Vec<(Vec3, Mat3)>);

impl Placed {
    fn new(report: &Report, row: usize) -> Placed {
        let planar = report.planar();
        let mut numbers = Vec::new();
        push_poses(&report.motion, row, planar, &mut numbers);
        let pose = |x: &[f64]| match x {
            [x, y, angle] => {
                let turn = Quat::from_axis_angle(&Vec3::z(), *angle).matrix();
                (Vec3::new(*x, *y, 0.0), turn)
            }
            [x, y, z, q @ ..] => (Vec3::new(*x, *y, *z), Quat::from_slice(q).matrix()),
            _ => (Vec3::zeros(), Mat3::identity()),
        };
        Placed(numbers.chunks(if planar { 3 } else { 7 }).map(pose).collect())
    }

    fn at(&self, body: usize, p: &[f64; 3]) -> Option<Vec3> {
        let (x, r) = self.0.get(body)?;
        let p = x + r * Vec3::from(*p);
        p.iter().all(|x| x.is_finite()).then_some(p)
    }

    /// Orientation of a body, if it is known.
    pub(crate) fn turn(&self, body: usize) -> Option<Mat3> {
        self.0.get(body).map(|(_, r)| *r)
    }

    /// Place of an end of a joint or force.
    pub(crate) fn end(&self, a: &Attachment) -> Option<Vec3> {
        self.at(a.body, &a.p)
    }
}

/// Projection from space to the picture.
pub(crate) struct View {
    right: Vec3,
    up: Vec3,
    low: (f64, f64),
    scale: f64,
    shift: (f64, f64),
}

impl View {
    /// Face-on for planar models, from the side and above for others.
    fn new(scene: &Scene, points: &[Vec3]) -> View {
        let up = Vec3::from(scene.up);
        let (right, up) = if scene.planar || up.norm() < 0.5 {
            (Vec3::x(), Vec3::y())
        } else {
            let side = up.cross(&delassus_math::perpendicular(&up)).normalize();
            let look = (side + up.cross(&side) * 0.6 + up * 0.5).normalize();
            let right = up.cross(&look).normalize();
            (right, look.cross(&right))
        };
        let flat = |p: &Vec3| (right.dot(p), up.dot(p));
        let (mut low, mut high) =
            ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        for (x, y) in points.iter().map(flat) {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        if !(low.0 <= high.0) {
            (low, high) = ((-1.0, -1.0), (1.0, 1.0));
        }
        let least = 1e-9 + 0.05 * scene.size.abs();
        let (w, h) = ((high.0 - low.0).max(least), (high.1 - low.1).max(least));
        let scale = ((WIDTH - 2.0 * MARGIN) / w).min((HEIGHT - 2.0 * MARGIN) / h);
        let shift =
            ((WIDTH - scale * (high.0 - low.0)) / 2.0, (HEIGHT - scale * (high.1 - low.1)) / 2.0);
        View { right, up, low, scale, shift }
    }

    /// Pixels per metre.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Directions to the right and up in the picture.
    pub(crate) fn axes(&self) -> [Vec3; 2] {
        [self.right, self.up]
    }

    /// Where a point is in the picture.
    pub(crate) fn place(&self, p: &Vec3) -> (f64, f64) {
        let (x, y) = (self.right.dot(p) - self.low.0, self.up.dot(p) - self.low.1);
        (self.shift.0 + self.scale * x, HEIGHT - self.shift.1 - self.scale * y)
    }
}

/// The mechanism at the start and, faintly, at the end of the run; `None` if nothing is known about it.
pub(crate) fn svg(report: &Report) -> Option<String> {
    let scene = &report.description.as_ref()?.scene;
    let rows = report.motion.t.len();
    if rows == 0 {
        return None;
    }
    let first = Placed::new(report, 0);
    let last = (rows > 1).then(|| Placed::new(report, rows - 1));
    Some(picture(scene, &first, last.as_ref()))
}

/// The only position of a report, faintly, and displaced by a shape whose largest displacement is drawn as this part of
/// the size of the model.
pub(crate) fn mode_svg(report: &Report, shape: &[[[f64; 3]; 4]], part: f64) -> Option<String> {
    let scene = &report.description.as_ref()?.scene;
    if report.motion.t.is_empty() {
        return None;
    }
    let rest = Placed::new(report, 0);
    // a turn moves what is as far away as the model is large
    let size = |v: &[f64; 3]| Vec3::from(*v).norm();
    let moves = shape.iter().flat_map(|b| [size(&b[0]), 0.3 * scene.size * size(&b[1])]);
    let most = largest(moves);
    let factor = if most > 0.0 { part * scene.size / most } else { 0.0 };
    let moved = rest.0.iter().enumerate().map(|(k, (x, r))| {
        let Some(b) = k.checked_sub(1).and_then(|k| shape.get(k)) else { return (*x, *r) };
        let turn = Vec3::from(b[1]) * factor;
        (x + Vec3::from(b[0]) * factor, r + so3::hat(&turn) * r)
    });
    Some(picture(scene, &Placed(moved.collect()), Some(&rest)))
}

/// The mechanism at one position, and faintly at another.
fn picture(scene: &Scene, first: &Placed, faint: Option<&Placed>) -> String {
    let mut points = points(scene, first);
    points.extend(faint.iter().flat_map(|l| self::points(scene, l)));
    let view = View::new(scene, &points);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"mechanism\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    if let Some(faint) = faint {
        out.push_str("<g opacity=\"0.25\">\n");
        draw(&mut out, scene, faint, &view);
        out.push_str("</g>\n");
    }
    out.push_str("<g>\n");
    draw(&mut out, scene, first, &view);
    out.push_str("</g>\n</svg>\n");
    out
}

/// Places where something is attached to a body, and its mass centre.
fn ends(scene: &Scene, body: usize) -> Vec<[f64; 3]> {
    let joints = scene.joints.iter().flat_map(|j| [Some(j.a), Some(j.b)]);
    let forces = scene.forces.iter().flat_map(|f| [Some(f.a), f.b]);
    let mut out: Vec<[f64; 3]> = Vec::new();
    for a in joints.chain(forces).flatten().filter(|a| a.body == body) {
        if !out.contains(&a.p) {
            out.push(a.p);
        }
    }
    out
}

fn points(scene: &Scene, placed: &Placed) -> Vec<Vec3> {
    let mut out: Vec<Vec3> = Vec::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        if i > 0 {
            out.extend(placed.at(i, &body.com));
        }
        out.extend(ends(scene, i).iter().filter_map(|p| placed.at(i, p)));
        // half planes do not count: they have no end
        let bounded = body.shapes.iter().filter(|s| !matches!(s.geometry, Geometry::Line { .. }));
        let lines = bounded.flat_map(|s| outlines(s, 0.0)).flatten();
        out.extend(lines.filter_map(|p| placed.at(i, &p.into())));
    }
    out.extend(drawing_play::points(scene, placed));
    out
}

fn draw(out: &mut String, scene: &Scene, placed: &Placed, view: &View) {
    // writing to a String cannot fail
    let line = |out: &mut String, a: &Vec3, b: &Vec3, look: &str| {
        let ((x1, y1), (x2, y2)) = (view.place(a), view.place(b));
        let _ = writeln!(
            out,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {look}/>"
        );
    };
    for f in &scene.forces {
        if let (Some(a), Some(b)) = (placed.end(&f.a), f.b.and_then(|b| placed.end(&b))) {
            line(out, &a, &b, "stroke=\"#777\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"");
        }
    }
    for (i, body) in scene.bodies.iter().enumerate() {
        let of = body.of_beam.unwrap_or(i);
        let colour = if i == 0 { "#777" } else { COLOURS[(of - 1) % COLOURS.len()] };
        let far = 2.0 * (WIDTH + HEIGHT) / view.scale;
        for points in body.shapes.iter().flat_map(|s| outlines(s, far)) {
            let mut path = String::new();
            for p in points.iter().filter_map(|p| placed.at(i, &(*p).into())) {
                let (x, y) = view.place(&p);
                let _ = write!(path, "{x:.1},{y:.1} ");
            }
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                path.trim_end()
            );
        }
    }
    for (i, body) in scene.bodies.iter().enumerate().skip(1) {
        // nodes of a beam are drawn as parts of it
        let single = body.of_beam.is_none();
        let Some(com) = placed.at(i, &body.com).filter(|_| single) else { continue };
        let colour = COLOURS[(i - 1) % COLOURS.len()];
        let ends = ends(scene, i);
        let look = format!("stroke=\"{colour}\" stroke-width=\"4\" stroke-linecap=\"round\"");
        for p in ends.iter().filter_map(|p| placed.at(i, p)) {
            line(out, &com, &p, &look);
        }
        let (x, y) = view.place(&com);
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
    }
    for j in &scene.joints {
        let (Some(a), Some(b)) = (placed.end(&j.a), placed.end(&j.b)) else { continue };
        if j.kind == "distance" {
            line(out, &a, &b, "stroke=\"#222\" stroke-width=\"1.5\"");
        }
        let (x, y) = view.place(&b);
        if j.kind == "prismatic" {
            let body = j.a.body.max(j.b.body).max(1);
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"30\" height=\"20\" fill=\"{}\"/>",
                x - 15.0,
                y - 10.0,
                COLOURS[(body - 1) % COLOURS.len()]
            );
        }
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"white\" stroke=\"#222\" \
             stroke-width=\"1.5\"/>"
        );
        if (j.a.body == 0 || j.b.body == 0) && j.kind != "prismatic" {
            let (x, y) = view.place(if j.a.body == 0 { &a } else { &b });
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1},{y:.1}l-8,13h16zm-11,13h22\" fill=\"none\" stroke=\"#222\" \
                 stroke-width=\"1.5\"/>"
            );
        }
    }
    drawing_play::draw(out, scene, placed, view);
}
