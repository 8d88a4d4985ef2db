//! Checks of a contour: closed, not crossing itself, counter-clockwise.

use super::element::Element;
use super::intersect::intersections;
use crate::ShapeError;
use delassus_math::Vec3;
use std::f64::consts::PI;

/// Relative length below which two points are the same.
const SAME: f64 = 1e-12;
/// Largest number of neighbouring pairs of pieces that are compared: a few seconds. Contours that run to and fro more
/// often than that have this many because their boxes do not separate them.
const MOST_NEAR: u64 = 20_000_000;

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
    crossings(elements, tol, hi - lo, MOST_NEAR)?;
    if area < 0.0 {
        return Err(ShapeError::Clockwise { area });
    }
    Ok(())
}

/// The first pair of pieces that meet, in the order of their indices. Boxes are swept along the axis on which the
/// contour is longer, so only neighbouring pieces are compared.
fn crossings(elements: &[Element], tol: f64, size: Vec3, most: u64) -> Result<(), ShapeError> {
    let boxes: Vec<_> = elements.iter().map(Element::bounds).collect();
    let axis = usize::from(size.y > size.x);
    let mut order: Vec<usize> = (0..elements.len()).collect();
    order.sort_by(|&i, &j| boxes[i].0[axis].total_cmp(&boxes[j].0[axis]));
    let (mut first, mut looked) = (None, 0);
    for (k, &a) in order.iter().enumerate() {
        for &b in &order[k + 1..] {
            let ((la, ha), (lb, hb)) = (boxes[a], boxes[b]);
            if lb[axis] > ha[axis] + tol {
                break;
            }
            let pair = (a.min(b), a.max(b));
            let apart = la[1 - axis] > hb[1 - axis] + tol || lb[1 - axis] > ha[1 - axis] + tol;
            if apart || first.is_some_and(|(earlier, _)| earlier < pair) {
                continue;
            }
            looked += 1;
            if looked > most {
                return Err(ShapeError::TooTangled { pieces: elements.len(), most });
            }
            if let Some(at) = crossing(elements, pair, tol) {
                first = Some((pair, at));
            }
        }
    }
    match first {
        Some(((first, second), at)) => {
            Err(ShapeError::SelfIntersection { first, second, at: [at.x, at.y] })
        }
        None => Ok(()),
    }
}

/// Where two pieces i < j meet, apart from the joints that they share.
fn crossing(elements: &[Element], (i, j): (usize, usize), tol: f64) -> Option<Vec3> {
    let (a, b) = (&elements[i], &elements[j]);
    let mut shared = Vec::new();
    if j == i + 1 {
        shared.push(b.start());
        if spike(a, b) {
            return Some(b.start());
        }
    }
    if i == 0 && j == elements.len() - 1 {
        shared.push(a.start());
        if spike(b, a) {
            return Some(a.start());
        }
    }
    let near_shared = |x: &Vec3| shared.iter().any(|s| (s - x).norm() <= 1e5 * tol);
    let touching = [a.start(), a.end()]
        .into_iter()
        .filter(|x| on(b, x, tol))
        .chain([b.start(), b.end()].into_iter().filter(|x| on(a, x, tol)));
    intersections(a, b, tol).into_iter().chain(touching).find(|x| !near_shared(x))
}

fn on(e: &Element, x: &Vec3, tol: f64) -> bool {
    e.margin(x) >= -tol && e.distance(x).abs() <= tol
}

/// Two neighbours that run back over each other.
fn spike(a: &Element, b: &Element) -> bool {
    let (t, u) = (a.tangents()[1], b.tangents()[0]);
    let turn = (t.x * u.y - t.y * u.x).atan2(t.dot(&u)).abs();
    let straight = matches!((a, b), (Element::Edge { .. }, Element::Edge { .. }));
    straight && turn > PI - 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(corners: &[[f64; 2]]) -> Vec<Element> {
        let at = |k: usize| {
            let [x, y] = corners[k % corners.len()];
            Vec3::new(x, y, 0.0)
        };
        (0..corners.len()).map(|k| Element::edge(at(k), at(k + 1))).collect()
    }

    #[test]
    fn pieces_that_are_beside_each_other_are_limited_by_name() {
        // a comb whose teeth lean so far that all of their boxes overlap
        let tooth = |k: usize| [[k as f64 / 30.0, 0.0], [k as f64 / 30.0 + 10.0, 10.0]];
        let mut corners: Vec<[f64; 2]> = (0..30).flat_map(tooth).collect();
        corners.extend([[11.0, 10.0], [11.0, -1.0], [0.0, -1.0]]);
        let comb = closed(&corners);
        let size = Vec3::new(11.0, 11.0, 0.0);
        assert_eq!(crossings(&comb, 1e-11, size, MOST_NEAR), Ok(()));
        let refused = Err(ShapeError::TooTangled { pieces: comb.len(), most: 1000 });
        assert_eq!(crossings(&comb, 1e-11, size, 1000), refused);
    }

    #[test]
    fn the_first_of_several_crossings_is_told_along_both_axes() {
        // two bows; the sweep meets the later one first
        let bows = [
            [3.0, 0.0],
            [4.0, 1.0],
            [4.0, 0.0],
            [3.0, 1.0],
            [1.0, 0.0],
            [0.0, 1.0],
            [0.0, 0.0],
            [1.0, 1.0],
        ];
        for (bows, size) in [(bows, [4.0, 1.0]), (bows.map(|[x, y]| [y, x]), [1.0, 4.0])] {
            let told =
                crossings(&closed(&bows), 1e-12, Vec3::new(size[0], size[1], 0.0), MOST_NEAR);
            let first =
                matches!(told, Err(ShapeError::SelfIntersection { first: 0, second: 2, .. }));
            assert!(first, "{told:?}");
        }
    }
}
