//! What the tests of gaps share.
#![allow(dead_code)]

use delassus_geom::{Contact, Pair, Pose, Shape};
use delassus_math::{Vec3, so3};

/// The contact with the smallest gap among all slots.
pub fn smallest(pair: &Pair, pa: &Pose, pb: &Pose) -> Option<Contact> {
    (0..pair.slots() as u32)
        .filter_map(|s| pair.slot(s, pa, pb, None))
        .min_by(|x, y| x.gap.total_cmp(&y.gap))
}

/// Outline in the world with `n` points per straight piece.
pub fn polyline(shape: &Shape, pose: &Pose, n: usize) -> Vec<Vec3> {
    let o = shape.outline();
    if o.len() == 1 {
        return vec![pose.p];
    }
    let mut out = Vec::new();
    for w in o.windows(2) {
        // Arcs are sampled finely already.
        let long = (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1]) > 0.3;
        let n = if long { n } else { 1 };
        for k in 0..n {
            let s = k as f64 / n as f64;
            let x = w[0][0] + s * (w[1][0] - w[0][0]);
            let y = w[0][1] + s * (w[1][1] - w[0][1]);
            out.push(pose.point(&Vec3::new(x, y, 0.0)));
        }
    }
    let last = o[o.len() - 1];
    out.push(pose.point(&Vec3::new(last[0], last[1], 0.0)));
    out
}

/// The pose moved by a twist (velocity of the origin, spatial angular velocity) for a time h.
pub fn moved(p: &Pose, v: &Vec3, w: &Vec3, h: f64) -> Pose {
    Pose::new(p.p + v * h, so3::exp(&(w * h)) * p.r)
}

/// d gap/dt = n·(ẋ_b − ẋ_a) at the contact points, for every slot, by central differences.
pub fn check_gradient(pair: &Pair, pa: &Pose, pb: &Pose, planar: bool) {
    let z = if planar { 0.0 } else { 1.0 };
    let (va, vb) = (Vec3::new(0.3, -0.7, 0.4 * z), Vec3::new(-0.5, 0.2, -0.6 * z));
    let (wa, wb) = (Vec3::new(0.3 * z, 0.2 * z, 0.8), Vec3::new(-0.4 * z, 0.7 * z, -0.3));
    let h = 1e-6;
    for s in 0..pair.slots() as u32 {
        let Some(c) = pair.slot(s, pa, pb, None) else { continue };
        let at = |h: f64| {
            let (qa, qb) = (moved(pa, &va, &wa, h), moved(pb, &vb, &wb, h));
            pair.slot(s, &qa, &qb, Some(c.feature_ids))
        };
        let (Some(p), Some(m)) = (at(h), at(-h)) else { continue };
        if p.feature_ids != c.feature_ids || m.feature_ids != c.feature_ids {
            continue;
        }
        let xa = va + wa.cross(&(c.points[0] - pa.p));
        let xb = vb + wb.cross(&(c.points[1] - pb.p));
        let rate = c.normal.dot(&(xb - xa));
        let slope = (p.gap - m.gap) / (2.0 * h);
        assert!((rate - slope).abs() < 1e-7 * (1.0 + rate.abs()), "slot {s}: {rate} {slope} {c:?}");
        assert!((c.normal.norm() - 1.0).abs() < 1e-12);
        let along = c.normal.dot(&(c.points[1] - c.points[0]));
        assert!((along - c.gap).abs() < 1e-9, "slot {s}: points {along}, gap {}", c.gap);
        assert!(!pair.feature_margin(&c, pa, pb).is_nan());
    }
}
