//! Checks of a contour: closed, not crossing itself, counter-clockwise.

use super::element::Element;
use super::intersect::intersections;
use crate::ShapeError;
use delassus_math::Vec3;
use std::f64::consts::PI;

/// Relative length below which two points are the same.
const SAME: f64 = 1e-12;

/// Signed area by Green's theorem; arcs add their segment between chord and arc.
pub(crate) fn area(elements: &[Element]) -> f64 {
    let mut twice = 0.0;
    for e in elements {
        let (a, b) = (e.start(), e.end());
        twice += a.x * b.y - a.y * b.x;
        if let Element::Arc { r, sweep, .. } = *e {
            twice += r * r * (sweep - sweep.sin());
        }
    }
    twice / 2.0
}

/// The first fault of a contour that should be closed and counter-clockwise.
pub(super) fn check(elements: &[Element]) -> Result<(), ShapeError> {
    let n = elements.len();
    let mut lo = Vec3::repeat(f64::INFINITY);
    let mut hi = -lo;
    for e in elements {
        let (a, b) = e.bounds();
        lo = lo.inf(&a);
        hi = hi.sup(&b);
    }
    let size = (hi - lo).norm();
    let tol = SAME * size;
    for k in 0..n {
        if !(elements[k].length() > tol) {
            return Err(ShapeError::ZeroLength { element: k });
        }
        let gap = (elements[k].end() - elements[(k + 1) % n].start()).norm();
        if !(gap <= 1e3 * tol) {
            return Err(ShapeError::NotClosed { element: k, gap });
        }
    }
    if n == 1 && !elements[0].is_full_circle() {
        return Err(ShapeError::TooFewPoints { found: n, needed: 2 });
    }
    let area = area(elements);
    if !(area.abs() > 1e-10 * size * size) {
        return Err(ShapeError::NoArea { area });
    }
    crossings(elements, tol)?;
    if area < 0.0 {
        return Err(ShapeError::Clockwise { area });
    }
    Ok(())
}

fn crossings(elements: &[Element], tol: f64) -> Result<(), ShapeError> {
    let n = elements.len();
    let boxes: Vec<_> = elements.iter().map(Element::bounds).collect();
    for i in 0..n {
        for j in i + 1..n {
            let ((la, ha), (lb, hb)) = (boxes[i], boxes[j]);
            let apart = (0..2).any(|k| la[k] > hb[k] + tol || lb[k] > ha[k] + tol);
            if apart {
                continue;
            }
            let (a, b) = (&elements[i], &elements[j]);
            // Joints that the two share are no crossings.
            let mut shared = Vec::new();
            if j == i + 1 {
                shared.push(b.start());
                spike(a, b, i, j)?;
            }
            if i == 0 && j == n - 1 {
                shared.push(a.start());
                spike(b, a, j, i)?;
            }
            let near_shared = |x: &Vec3| shared.iter().any(|s| (s - x).norm() <= 1e5 * tol);
            let touching = [a.start(), a.end()]
                .into_iter()
                .filter(|x| on(b, x, tol))
                .chain([b.start(), b.end()].into_iter().filter(|x| on(a, x, tol)));
            if let Some(at) =
                intersections(a, b, tol).into_iter().chain(touching).find(|x| !near_shared(x))
            {
                return Err(ShapeError::SelfIntersection { first: i, second: j, at: [at.x, at.y] });
            }
        }
    }
    Ok(())
}

fn on(e: &Element, x: &Vec3, tol: f64) -> bool {
    e.margin(x) >= -tol && e.distance(x).abs() <= tol
}

/// Two neighbours that run back over each other.
fn spike(a: &Element, b: &Element, i: usize, j: usize) -> Result<(), ShapeError> {
    let (t, u) = (a.tangents()[1], b.tangents()[0]);
    let turn = (t.x * u.y - t.y * u.x).atan2(t.dot(&u)).abs();
    let straight = matches!((a, b), (Element::Edge { .. }, Element::Edge { .. }));
    if straight && turn > PI - 1e-9 {
        let at = b.start();
        return Err(ShapeError::SelfIntersection { first: i, second: j, at: [at.x, at.y] });
    }
    Ok(())
}
