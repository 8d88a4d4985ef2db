//! Collects faces into patches that are surfaces of something convex.

use super::poly::{Edge, Face, Triangle};
use delassus_math::Vec3;

/// Largest patch of a body that is not convex: keeps the check of all against all affordable.
const LARGEST: usize = 256;

/// Gives every face its patch; returns how many there are.
pub(super) fn assign(
    points: &[Vec3],
    triangles: &[Triangle],
    edges: &[Edge],
    faces: &mut [Face],
    tol: f64,
) -> usize {
    const NONE: u32 = u32::MAX;
    faces.iter_mut().for_each(|f| f.patch = NONE);
    // A closed connected surface without a concave edge is convex.
    let convex = edges.iter().all(|e| e.convex);
    let corners = |f: &Face| -> Vec<Vec3> {
        f.triangles
            .iter()
            .flat_map(|&t| triangles[t as usize].v)
            .map(|v| points[v as usize])
            .collect()
    };
    let mut count = 0;
    for seed in 0..faces.len() {
        if faces[seed].patch != NONE {
            continue;
        }
        faces[seed].patch = count;
        let mut members = vec![(seed, corners(&faces[seed]))];
        let mut next = 0;
        while next < members.len() {
            let around = faces[members[next].0].edges.clone();
            next += 1;
            for e in around {
                let e = &edges[e as usize];
                for g in e.faces.map(|g| g as usize) {
                    if !e.convex || faces[g].patch != NONE {
                        continue;
                    }
                    if convex {
                        faces[g].patch = count;
                        members.push((g, Vec::new()));
                        continue;
                    }
                    if members.len() >= LARGEST {
                        continue;
                    }
                    let own = corners(&faces[g]);
                    let behind =
                        |f: &Face, xs: &[Vec3]| xs.iter().all(|x| f.n.dot(&(x - f.x)) <= tol);
                    let fits = members
                        .iter()
                        .all(|(m, xs)| behind(&faces[*m], &own) && behind(&faces[g], xs));
                    if fits {
                        faces[g].patch = count;
                        members.push((g, own));
                    }
                }
            }
        }
        count += 1;
    }
    count as usize
}
