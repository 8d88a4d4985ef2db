//! Where two pieces of a curve meet.

use super::element::Element;
use delassus_math::Vec3;

/// Points common to two pieces that are not parts of the same line or circle; at most two.
pub(crate) fn intersections(a: &Element, b: &Element, tol: f64) -> Vec<Vec3> {
    let candidates = match (a, b) {
        (Element::Edge { p, t, .. }, Element::Edge { p: q, t: u, .. }) => line_line(p, t, q, u),
        (Element::Edge { p, t, .. }, Element::Arc { c, r, .. })
        | (Element::Arc { c, r, .. }, Element::Edge { p, t, .. }) => line_circle(p, t, c, *r),
        (Element::Arc { c, r, .. }, Element::Arc { c: d, r: s, .. }) => circle_circle(c, *r, d, *s),
    };
    candidates.into_iter().filter(|x| a.margin(x) >= -tol && b.margin(x) >= -tol).collect()
}

fn line_line(p: &Vec3, t: &Vec3, q: &Vec3, u: &Vec3) -> Vec<Vec3> {
    let det = t.x * u.y - t.y * u.x;
    if det.abs() < 1e-14 {
        return Vec::new();
    }
    let w = q - p;
    vec![p + t * ((w.x * u.y - w.y * u.x) / det)]
}

fn line_circle(p: &Vec3, t: &Vec3, c: &Vec3, r: f64) -> Vec<Vec3> {
    let s = t.dot(&(c - p));
    let foot = p + t * s;
    let h2 = r * r - (foot - c).norm_squared();
    if h2 < 0.0 {
        return Vec::new();
    }
    let h = h2.sqrt();
    vec![foot - t * h, foot + t * h]
}

fn circle_circle(c: &Vec3, r: f64, d: &Vec3, s: f64) -> Vec<Vec3> {
    let w = d - c;
    let l = w.norm();
    if l == 0.0 {
        return Vec::new();
    }
    let x = (l * l + r * r - s * s) / (2.0 * l);
    let h2 = r * r - x * x;
    if h2 < 0.0 {
        return Vec::new();
    }
    let (e, h) = (w / l, h2.sqrt());
    let side = Vec3::new(-e.y, e.x, 0.0) * h;
    vec![c + e * x + side, c + e * x - side]
}
