//! Reduces the number of triangles for the view, so that the page stays small. Contacts always use all triangles.

use delassus_math::Vec3;
use std::collections::BTreeMap;

/// The largest number of triangles of one surface, and of all together.
const ONE: usize = 20_000;
const ALL: usize = 60_000;
/// No surface is made coarser than this for the sake of the others.
const LEAST: usize = 500;

/// Corners and triangles.
pub(crate) type Surface = (Vec<Vec3>, Vec<[u32; 3]>);

/// The number of triangles that each of `surfaces` surfaces may have.
pub(crate) fn share(surfaces: usize) -> usize {
    (ALL / surfaces.max(1)).clamp(LEAST, ONE)
}

/// The surface with at most about `most` triangles: corners in the same cell of a grid are merged, and triangles that
/// vanish as a result are left out.
pub(crate) fn coarse(surface: Surface, most: usize) -> Surface {
    let (corners, triangles) = &surface;
    let first = corners.first().copied().unwrap_or_default();
    let low = corners.iter().fold(first, |a, b| a.inf(b));
    let high = corners.iter().fold(first, |a, b| a.sup(b));
    let size = (high - low).max();
    if triangles.len() <= most || !(size > 0.0) {
        return surface;
    }
    let mut best = None;
    // about 2 triangles per cell of the surface, 6 n² cells
    let mut cells = ((most as f64 / 12.0).sqrt() * 2.0).ceil();
    while cells >= 2.0 {
        let made = clustered(corners, triangles, &low, size / cells);
        let enough = made.1.len() <= most;
        best = Some(made);
        if enough {
            break;
        }
        cells = (cells * 0.8).floor();
    }
    best.unwrap_or_else(|| surface.clone())
}

fn clustered(corners: &[Vec3], triangles: &[[u32; 3]], low: &Vec3, cell: f64) -> Surface {
    let mut cells: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let mut sums: Vec<(Vec3, f64)> = Vec::new();
    let of: Vec<u32> = corners
        .iter()
        .map(|x| {
            let place = (x - low) / cell;
            let key = [place.x as i32, place.y as i32, place.z as i32];
            let k = *cells.entry(key).or_insert(sums.len() as u32);
            if k as usize == sums.len() {
                sums.push((Vec3::zeros(), 0.0));
            }
            let sum = &mut sums[k as usize];
            *sum = (sum.0 + x, sum.1 + 1.0);
            k
        })
        .collect();
    let mut kept: Vec<[u32; 3]> = triangles
        .iter()
        .map(|t| t.map(|k| of.get(k as usize).copied().unwrap_or(0)))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .map(|[a, b, c]| {
            if a < b && a < c {
                [a, b, c]
            } else if b < c {
                [b, c, a]
            } else {
                [c, a, b]
            }
        })
        .collect();
    kept.sort_unstable();
    kept.dedup();
    (sums.into_iter().map(|(x, n)| x / n).collect(), kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of n × 2n fields.
    fn ball(n: u32) -> Surface {
        let mut corners = Vec::new();
        for i in 0..=n {
            for k in 0..2 * n {
                let (s, c) = (std::f64::consts::PI * f64::from(i) / f64::from(n)).sin_cos();
                let (sk, ck) = (std::f64::consts::PI * f64::from(k) / f64::from(n)).sin_cos();
                corners.push(Vec3::new(s * ck, s * sk, c));
            }
        }
        let at = |i: u32, k: u32| i * 2 * n + k % (2 * n);
        let fields = (0..n).flat_map(|i| (0..2 * n).map(move |k| (i, k)));
        let triangles = fields.flat_map(|(i, k)| {
            let (a, b, c, d) = (at(i, k), at(i, k + 1), at(i + 1, k), at(i + 1, k + 1));
            [[a, c, b], [b, c, d]]
        });
        let triangles = triangles.collect();
        (corners, triangles)
    }

    #[test]
    fn small_ones_stay_as_they_are() {
        let b = ball(8);
        assert_eq!(coarse(b.clone(), 1000), b);
        assert_eq!((share(1), share(6), share(1000)), (20_000, 10_000, 500));
    }

    #[test]
    fn large_ones_keep_their_form() {
        let b = ball(100);
        assert_eq!(b.1.len(), 40_000);
        let (corners, triangles) = coarse(b, 3000);
        assert!((500..=3000).contains(&triangles.len()), "{}", triangles.len());
        assert!(triangles.iter().flatten().all(|k| (*k as usize) < corners.len()));
        assert!(corners.iter().all(|x| (x.norm() - 1.0).abs() < 0.05));
        let volume: f64 = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|k| corners[k as usize]);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum();
        assert!((volume / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.05, "{volume}");
    }
}
