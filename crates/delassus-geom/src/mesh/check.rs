//! Closed, manifold, facing outwards.

use super::{MAX_TRIANGLES, MeshError};
use delassus_math::Vec3;
use std::collections::BTreeMap;

pub(super) fn volume(points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    // About the first point: no loss of digits far from the origin.
    let o = points.first().copied().unwrap_or_default();
    let at = |k: u32| points[k as usize] - o;
    triangles.iter().map(|t| at(t[0]).dot(&at(t[1]).cross(&at(t[2])))).sum::<f64>() / 6.0
}

/// The first fault of a surface.
pub(crate) fn check(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    if triangles.is_empty() {
        return Err(MeshError::Empty);
    }
    if triangles.len() > MAX_TRIANGLES {
        return Err(MeshError::TooMany { found: triangles.len(), limit: MAX_TRIANGLES });
    }
    if let Some(vertex) = points.iter().position(|x| x.iter().any(|v| !v.is_finite())) {
        return Err(MeshError::NotFinite { vertex });
    }
    let n = points.len();
    let mut sides: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for (k, t) in triangles.iter().enumerate() {
        if let Some(&v) = t.iter().find(|&&v| v as usize >= n) {
            return Err(MeshError::IndexOutOfRange { triangle: k, index: v.into(), vertices: n });
        }
        let [a, b, c] = t.map(|v| points[v as usize]);
        let (u, v) = (b - a, c - a);
        let longest = u.norm().max(v.norm()).max((c - b).norm());
        if !(u.cross(&v).norm() > 1e-12 * longest * longest) {
            return Err(MeshError::Degenerate { triangle: k });
        }
        for s in 0..3 {
            let side = (t[s], t[(s + 1) % 3]);
            if let Some(first) = sides.insert(side, k) {
                let (from, to) = ends(points, side);
                return Err(MeshError::NonManifoldEdge { first, second: k, from, to });
            }
        }
    }
    for (&(a, b), &triangle) in &sides {
        if !sides.contains_key(&(b, a)) {
            let (from, to) = ends(points, (a, b));
            return Err(MeshError::OpenEdge { triangle, from, to });
        }
    }
    let volume = volume(points, triangles);
    if !(volume > 0.0) {
        return Err(MeshError::Inverted { volume });
    }
    Ok(())
}

fn ends(points: &[Vec3], (a, b): (u32, u32)) -> ([f64; 3], [f64; 3]) {
    (points[a as usize].into(), points[b as usize].into())
}
