//! Gaps of planar pairs: against dense sampling of both curves, along motions, over changes of feature.

use crate::common;

use common::{check_gradient, polyline, smallest};
use delassus_geom::{Contact, Pair, Pose, Profile, ProfileBuilder, Shape};
use std::f64::consts::PI;

fn square() -> Shape {
    Shape::profile(&Profile::rectangle(2.0, 2.0).unwrap())
}

/// Convex and smooth: a stadium.
fn stadium() -> Shape {
    let p = [[-1.0, -0.5, 0.0], [1.0, -0.5, 1.0], [1.0, 0.5, 0.0], [-1.0, 0.5, 1.0]];
    Shape::profile(&Profile::with_bulges(&p).unwrap())
}

/// A U with rounded inner corners.
fn slot() -> Shape {
    let b = ProfileBuilder::new()
        .point(-2.0, -1.0)
        .point(2.0, -1.0)
        .point(2.0, 2.0)
        .point(1.0, 2.0)
        .point(1.0, 0.0)
        .fillet(0.3)
        .point(-1.0, 0.0)
        .fillet(0.3)
        .point(-1.0, 2.0)
        .point(-2.0, 2.0);
    Shape::profile(&b.build().unwrap())
}

fn ell() -> Shape {
    let p = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    Shape::profile(&Profile::polygon(&p).unwrap())
}

/// Smallest distance of two outlines that do not overlap.
fn brute(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> f64 {
    let (x, y) = (polyline(a, pa, 120), polyline(b, pb, 120));
    let mut best = f64::INFINITY;
    for p in &x {
        for q in &y {
            best = best.min((p - q).norm());
        }
    }
    best
}

#[test]
fn smallest_gap_is_the_distance_of_the_curves() {
    let shapes = [
        Shape::circle(0.7).unwrap(),
        square(),
        stadium(),
        slot(),
        ell(),
        Shape::arc([0.0, 0.0], 1.5, 0.3, 2.0, false).unwrap(),
        Shape::point(),
    ];
    let fixed = Pose::planar(0.3, -0.2, 0.4);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            let pair = Pair::new(a, b).unwrap();
            for k in 0..12 {
                let (r, angle) = (5.5 + 0.1 * f64::from(k), 0.7 * f64::from(k));
                let pose = Pose::planar(r * angle.cos(), r * angle.sin(), 1.3 * f64::from(k));
                let gap = smallest(&pair, &fixed, &pose).unwrap().gap;
                let exact = brute(a, &fixed, b, &pose);
                // Open arcs are one-sided: seen from behind they have no gap.
                if i == 5 || j == 5 {
                    assert!(gap > exact - 4e-3, "{i} {j} {k}: {gap} {exact}");
                    continue;
                }
                assert!((gap - exact).abs() < 4e-3, "{i} {j} {k}: {gap} {exact}");
                assert!(gap < exact + 1e-9);
                assert!(pair.gap_bound(&fixed, &pose) <= gap + 1e-12);
                for slot in 0..pair.slots() as u32 {
                    let Some(c) = pair.slot(slot, &fixed, &pose, None) else { continue };
                    let bound = pair.slot_bound(slot, &fixed, &pose);
                    assert!(bound <= c.gap, "{i} {j} {k} {slot}: {bound} {}", c.gap);
                }
            }
        }
    }
}

#[test]
fn disc_in_a_concave_corner_has_two_contacts() {
    let pair = Pair::new(&ell(), &Shape::circle(0.25).unwrap()).unwrap();
    let mut out = Vec::new();
    pair.near(&Pose::identity(), &Pose::planar(1.25, 1.25, 0.0), 1e-6, &mut out);
    assert_eq!(out.len(), 2);
    assert!(out.iter().all(|c| c.gap.abs() < 1e-15));
    let sum = out[0].normal + out[1].normal;
    assert!((sum.x - 1.0).abs() < 1e-15 && (sum.y - 1.0).abs() < 1e-15);
}

#[test]
fn disc_between_the_walls_of_a_slot_has_two_contacts() {
    let pair = Pair::new(&slot(), &Shape::circle(1.0).unwrap()).unwrap();
    let mut out = Vec::new();
    pair.near(&Pose::identity(), &Pose::planar(0.0, 1.5, 0.0), 1e-6, &mut out);
    assert_eq!(out.len(), 2, "{out:?}");
    assert!((out[0].normal + out[1].normal).norm() < 1e-15);
    // In the fillet: one contact with the hollow arc.
    let pair = Pair::new(&slot(), &Shape::circle(0.2).unwrap()).unwrap();
    out.clear();
    let d = 0.1 / 2f64.sqrt();
    pair.near(&Pose::identity(), &Pose::planar(0.7 + d, 0.3 - d, 0.0), 1e-6, &mut out);
    assert_eq!(out.len(), 1, "{out:?}");
    assert!(out[0].gap.abs() < 1e-15);
}

#[test]
fn rolling_over_a_convex_corner_stays_in_one_slot_and_is_c1() {
    let pair = Pair::new(&square(), &Shape::circle(0.3).unwrap()).unwrap();
    assert_eq!(pair.slots(), 1);
    let path = |s: f64| Pose::planar(1.5 - s, 0.8 + 0.6 * s, 0.0);
    let mut last: Option<Contact> = None;
    let h = 1e-4;
    let mut changes = 0;
    for k in 0..15000 {
        let s = h * f64::from(k);
        let c = pair.slot(0, &Pose::identity(), &path(s), last.map(|c| c.feature_ids)).unwrap();
        let rate = c.normal.dot(&delassus_math::Vec3::new(-1.0, 0.6, 0.0));
        if let Some(l) = last {
            let slope = (c.gap - l.gap) / h;
            assert!((slope - rate).abs() < 1e-3, "{s}: {slope} {rate}");
            changes += u32::from(l.feature_ids != c.feature_ids);
        }
        assert!(pair.feature_margin(&c, &Pose::identity(), &path(s)) > -1e-8);
        last = Some(c);
    }
    assert_eq!(changes, 2);
}

#[test]
fn feature_margin_crosses_zero_where_the_feature_changes() {
    let pair = Pair::new(&square(), &Shape::circle(0.3).unwrap()).unwrap();
    let world = Pose::identity();
    let c = pair.slot(0, &world, &Pose::planar(0.5, 1.4, 0.0), None).unwrap();
    let m = |x: f64| pair.feature_margin(&c, &world, &Pose::planar(x, 1.4, 0.0));
    assert!((m(0.9) - 0.1).abs() < 1e-15 && (m(1.1) + 0.1).abs() < 1e-15);
}

#[test]
fn squares_stacked_exactly_touch_with_the_interface() {
    let pair = Pair::new(&square(), &square()).unwrap();
    for (dx, dy) in
        [(0.0, 0.0), (1e-17, 0.0), (1e-12, -1e-9), (-1e-12, -1e-6), (0.0, -1e-6), (0.0, 1e-7)]
    {
        let mut out = Vec::new();
        pair.near(&Pose::identity(), &Pose::planar(dx, 2.0 + dy, 0.0), 1e-4, &mut out);
        assert_eq!(out.len(), 2, "{dx} {dy} {out:?}");
        for c in &out {
            assert!((c.normal.y - 1.0).abs() < 1e-9, "{dx} {dy} {:?}", c.normal);
            assert!((c.gap - dy).abs() < 1e-15);
        }
    }
}

#[test]
fn ring_and_disc() {
    let pair = Pair::new(&Shape::ring(1.0).unwrap(), &Shape::circle(0.9).unwrap()).unwrap();
    let c = pair.slot(0, &Pose::identity(), &Pose::planar(0.05, 0.0, 0.0), None).unwrap();
    assert!((c.gap - 0.05).abs() < 1e-15);
    assert!((c.normal.x + 1.0).abs() < 1e-15);
    assert!((c.points[0].x - 1.0).abs() < 1e-15 && (c.points[1].x - 0.95).abs() < 1e-15);
}

#[test]
fn gradient_is_the_normal_for_every_pair() {
    let shapes = [
        Shape::circle(0.7).unwrap(),
        square(),
        stadium(),
        slot(),
        ell(),
        Shape::half_plane([0.0, -1.0], [0.1, 1.0]).unwrap(),
        Shape::segment([-2.0, 0.0], [2.0, 0.5]).unwrap(),
        Shape::ring(6.0).unwrap(),
        Shape::arc([0.0, -3.0], 2.0, 0.3, 2.0, false).unwrap(),
        Shape::arc([0.0, 0.0], 4.0, PI, PI, true).unwrap(),
        Shape::point(),
    ];
    let mut pairs = 0;
    for a in &shapes {
        for b in &shapes {
            let Ok(pair) = Pair::new(a, b) else { continue };
            pairs += 1;
            for k in 0..10 {
                let k = f64::from(k);
                let pa = Pose::planar(0.1 * k, -0.05 * k, 0.3 * k);
                let pb = Pose::planar(2.5 * (0.9 * k).cos(), 2.5 * (0.9 * k).sin(), -0.7 * k);
                check_gradient(&pair, &pa, &pb, true);
            }
        }
    }
    assert!(pairs > 100, "{pairs}");
}

#[test]
fn slots_of_a_tumbling_block_keep_their_corners() {
    let ground = Shape::half_plane([0.0, 0.0], [0.0, 1.0]).unwrap();
    let pair = Pair::new(&ground, &square()).unwrap();
    assert_eq!(pair.slots(), 4);
    let mut corners: Vec<u32> = Vec::new();
    for k in 0..500 {
        let t = 0.02 * f64::from(k);
        let there = Pose::planar(t, 1.4 + 0.1 * t.sin(), 0.9 * t);
        let ids: Vec<u32> = (0..4)
            .map(|s| pair.slot(s, &Pose::identity(), &there, None).unwrap().feature_ids[1])
            .collect();
        assert!(corners.is_empty() || corners == ids);
        corners = ids;
    }
}

#[test]
fn disc_passes_from_floor_to_fillet_to_wall() {
    // Between slots the contact is handed over: same gap, same normal, at the place where the margin of
    // the old one is zero.
    let shape = slot();
    let pair = Pair::new(&shape, &Shape::circle(0.2).unwrap()).unwrap();
    let world = Pose::identity();
    // Centre along the floor (0.2 above it), around the fillet (0.1 from its centre), up the wall.
    let path = |s: f64| {
        let quarter = 0.1 * PI / 2.0;
        if s < 0.0 {
            Pose::planar(0.7 + s, 0.2, 0.0)
        } else if s < quarter {
            let a = s / 0.1 - PI / 2.0;
            Pose::planar(0.7 + 0.1 * a.cos(), 0.3 + 0.1 * a.sin(), 0.0)
        } else {
            Pose::planar(0.8, 0.3 + s - quarter, 0.0)
        }
    };
    let mut slots = Vec::new();
    let mut last: Option<Contact> = None;
    for k in 0..2000 {
        let there = path(-0.5 + 5e-4 * f64::from(k) + 1.7e-7);
        let mut out = Vec::new();
        pair.near(&world, &there, 1e-3, &mut out);
        assert_eq!(out.len(), 1, "{k}: {out:?}");
        let c = out[0];
        assert!(c.gap.abs() < 1e-12, "{k}: {}", c.gap);
        if slots.last() != Some(&c.slot) {
            slots.push(c.slot);
        }
        if let Some(l) = last {
            assert!((l.normal - c.normal).norm() < 1e-2);
            if l.slot != c.slot {
                assert!(pair.feature_margin(&l, &world, &there) < 0.0);
            }
        }
        assert!(pair.feature_margin(&c, &world, &there) > -1e-9);
        last = Some(c);
    }
    assert_eq!(slots.len(), 3);
}

#[test]
fn a_rolling_stadium_has_two_smooth_gaps() {
    // Each round end with its two end points is one slot; seen from the ground, arc and end points follow
    // each other with continuous gap and slope.
    let ground = Shape::half_plane([0.0, 0.0], [0.0, 1.0]).unwrap();
    let pair = Pair::new(&ground, &stadium()).unwrap();
    assert_eq!(pair.slots(), 2);
    let h = 1e-4;
    for slot in 0..2 {
        let mut last: Option<(Contact, f64)> = None;
        let mut kinds = std::collections::BTreeSet::new();
        for k in 0..62_832 {
            let there = Pose::planar(0.0, 2.0, h * f64::from(k));
            let previous = last.map(|(c, _)| c.feature_ids);
            let c = pair.slot(slot, &Pose::identity(), &there, previous).unwrap();
            // Rate of the gap when the body turns about its origin.
            let arm = c.points[1] - there.p;
            let rate = c.normal.dot(&delassus_math::Vec3::new(-arm.y, arm.x, 0.0));
            // The end that points up has its two end points at the same height for a moment.
            if let Some((l, r)) = last.filter(|(l, _)| c.gap.max(l.gap) < 2.0) {
                assert!((c.gap - l.gap - h * (rate + r) / 2.0).abs() < 1e-8, "{slot} {k}");
                assert!((rate - r).abs() < 3.0 * h, "{slot} {k}");
            }
            assert!(pair.feature_margin(&c, &Pose::identity(), &there) > -1e-8, "{slot} {k}");
            kinds.insert(c.feature_ids[1]);
            last = Some((c, rate));
        }
        assert_eq!(kinds.len(), 3);
    }
}
