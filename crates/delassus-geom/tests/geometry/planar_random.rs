//! Random contours and discs: slots together are the exact signed distance.

use crate::common;

use common::{check_gradient, smallest};
use delassus_geom::{Contact, Pair, Pose, Profile, ProfileBuilder, Shape};
use delassus_math::Vec3;
use proptest::prelude::*;

/// A star-shaped contour with some of its pieces bulging out or in. None if a corner is a needle: what is pushed into
/// one comes out on its other side, and no depth is reported.
fn contour(radii: &[f64], bulges: &[f64]) -> Option<Profile> {
    let n = radii.len();
    let angle = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
    let at = |k: usize| [radii[k] * angle(k).cos(), radii[k] * angle(k).sin()];
    let bulge = |k: usize| if bulges[k].abs() > 0.05 { bulges[k] } else { 0.0 };
    let mut b = ProfileBuilder::new();
    for k in 0..n {
        b = b.point(at(k)[0], at(k)[1]);
        if bulge(k) != 0.0 {
            b = b.bulge(bulge(k));
        }
        // angle between the tangents of both pieces at the corner that ends this one
        let heads =
            |from: usize, to: usize| (at(to)[1] - at(from)[1]).atan2(at(to)[0] - at(from)[0]);
        let (corner, after) = ((k + 1) % n, (k + 2) % n);
        let back = heads(corner, k) + 2.0 * bulge(k).atan();
        let on = heads(corner, after) - 2.0 * bulge(corner).atan();
        let within = (back - on).rem_euclid(std::f64::consts::TAU);
        if within < NEEDLE {
            return None;
        }
    }
    b.build().ok()
}

/// Angle of a corner below which it is a needle, rad.
const NEEDLE: f64 = 0.05;

/// The corner is a wedge of 8e-4 rad, thinner where it is touched than the depth that is looked at.
#[test]
fn a_needle_is_told() {
    let bulges = [-0.27498287859494586, -0.10965603314296268, 0.0];
    let radii = [0.625743856692605, 1.4627815046418453, 1.171126572247445];
    assert!(contour(&radii, &bulges).is_none());
    assert!(contour(&radii, &[0.0; 3]).is_some());
}

/// A slot with rounded floor, wider than high inside, with one hook.
fn hook() -> Profile {
    ProfileBuilder::new()
        .point(-2.0, -1.0)
        .fillet(0.4)
        .point(2.0, -1.0)
        .point(2.0, 2.0)
        .point(0.5, 2.0)
        .point(0.5, 1.5)
        .point(1.0, 1.5)
        .point(1.0, 0.0)
        .fillet(0.3)
        .point(-1.0, 0.0)
        .point(-1.0, 2.0)
        .point(-2.0, 2.0)
        .build()
        .unwrap()
}

fn check_disc(profile: &Profile, r: f64, x: [f64; 2]) -> Result<(), TestCaseError> {
    let shape = Shape::profile(profile);
    let d = shape.signed_distance(x).unwrap();
    let ball = if r > 0.0 { Shape::circle(r).unwrap() } else { Shape::point() };
    let pair = Pair::new(&shape, &ball).unwrap();
    let there = Pose::planar(x[0], x[1], 0.3);
    let best = smallest(&pair, &Pose::identity(), &there);
    let Some(best) = best else {
        prop_assert!(d < -1e-6, "no slot sees {x:?} at {d}");
        return Ok(());
    };
    if d > -0.05 {
        // Outside it is the smallest gap; inside, where two chains may both be seen, one of them.
        let seen =
            (0..pair.slots() as u32).filter_map(|s| pair.slot(s, &Pose::identity(), &there, None));
        // Behind a concave corner both walls are seen, instead of the corner: less deep, the less the
        // sharper the corner is, but never out.
        let slack = if d < 0.0 { 1e-8 - d } else { 1e-8 };
        let right = |c: &Contact| c.gap > d - r - 1e-8 && c.gap < d - r + slack;
        prop_assert!(seen.into_iter().any(|c| right(&c)), "{x:?}: {}", d - r);
        prop_assert!(d < 0.0 || (best.gap - (d - r)).abs() < 1e-8, "{x:?}: {} {}", best.gap, d - r);
    }
    // Nothing in the list is further inside than the disc is.
    let mut out: Vec<Contact> = Vec::new();
    pair.near(&Pose::identity(), &there, 0.5, &mut out);
    for c in &out {
        prop_assert!(d < 0.0 || c.gap >= d - r - 1e-9);
    }
    // No point of contact is listed twice.
    for (i, a) in out.iter().enumerate() {
        for b in &out[..i] {
            let same =
                (a.points[0] - b.points[0]).norm() < 1e-9 && a.normal.dot(&b.normal) > 0.9999;
            let corner = a.feature_ids[0] == b.feature_ids[0];
            prop_assert!(!same || corner, "{a:?} {b:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn disc_and_contour(
        radii in prop::collection::vec(0.5..2.0f64, 3..9),
        bulges in prop::collection::vec(-0.5..0.7f64, 9),
        x in prop::array::uniform2(-3.0..3.0f64),
        r in 0.0..0.6f64,
    ) {
        let Some(p) = contour(&radii, &bulges) else { return Ok(()) };
        check_disc(&p, r, x)?;
        check_disc(&p, 0.0, x)?;
        check_disc(&p.into_hole(), r, x)?;
    }

    #[test]
    fn disc_and_hook(x in prop::array::uniform2(-3.0..3.0f64), r in 0.0..1.2f64) {
        check_disc(&hook(), r, x)?;
    }

    #[test]
    fn two_contours(
        radii in prop::collection::vec(0.5..1.5f64, 3..8),
        other in prop::collection::vec(0.5..1.5f64, 3..8),
        bulges in prop::collection::vec(-0.4..0.6f64, 8),
        direction in 0.0..6.3f64,
        turn in -3.0..3.0f64,
    ) {
        let (Some(p), Some(q)) = (contour(&radii, &bulges), contour(&other, &bulges[1..].iter().copied().chain([0.0]).collect::<Vec<_>>())) else {
            return Ok(());
        };
        let (a, b) = (Shape::profile(&p), Shape::profile(&q));
        let pair = Pair::new(&a, &b).unwrap();
        let n = Vec3::new(direction.cos(), direction.sin(), 0.0);
        let at = |s: f64| Pose::planar(s * n.x, s * n.y, turn);
        let world = Pose::identity();
        // March towards each other by the gap until they touch; the gap is a distance, so this never
        // goes through.
        let mut s = 8.0;
        for _ in 0..200 {
            let c = smallest(&pair, &world, &at(s)).unwrap();
            prop_assert!(c.gap > -1e-9, "{} at {s}", c.gap);
            if c.gap < 1e-9 {
                break;
            }
            s -= c.gap;
        }
        check_gradient(&pair, &world, &at(s + 0.01), true);
        let exact = outline_distance(&a, &world, &b, &at(s + 0.3));
        let c = smallest(&pair, &world, &at(s + 0.3)).unwrap();
        prop_assert!((c.gap - exact).abs() < 1e-2, "{} {exact}", c.gap);
        // A little further: the smallest gap is minus the depth along the normal.
        let touch = smallest(&pair, &world, &at(s)).unwrap();
        let depth = 1e-6;
        let mut out = Vec::new();
        let shift = touch.normal * (touch.gap + depth);
        let deeper = Pose::new(at(s).p - shift, at(s).r);
        pair.near(&world, &deeper, 1e-3, &mut out);
        let least = out.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        let corner_on_corner = matches!(
            touch.features,
            [delassus_geom::Feature::Ball { radius: 0.0, .. }, delassus_geom::Feature::Ball { radius: 0.0, .. }]
        );
        prop_assert!(corner_on_corner || (least + depth).abs() < 2e-7, "{least} {touch:?}");
    }
}

fn outline_distance(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> f64 {
    let (x, y) = (common::polyline(a, pa, 30), common::polyline(b, pb, 30));
    let d = |s: &Shape, p: &Pose, x: &Vec3| {
        let l = p.inv_point(x);
        s.signed_distance([l.x, l.y]).unwrap()
    };
    let from_b = y.iter().map(|x| d(a, pa, x)).fold(f64::INFINITY, f64::min);
    let from_a = x.iter().map(|x| d(b, pb, x)).fold(f64::INFINITY, f64::min);
    from_a.min(from_b)
}
