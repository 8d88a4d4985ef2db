//! The broad phase finds what comparing all with all finds.

use delassus_geom::{Aabb, Broad, Pose, Shape};
use delassus_math::Vec3;
use proptest::prelude::*;

fn all_pairs(boxes: &[Aabb], margin: f64) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            if boxes[i].meets(&boxes[j].grown(margin)) {
                out.push((i, j));
            }
        }
    }
    out
}

proptest! {
    #[test]
    fn equals_all_pairs(
        seeds in prop::collection::vec(prop::array::uniform6(0.0..1.0f64), 0..60),
        margin in 0.0..0.2f64,
    ) {
        let mut boxes: Vec<Aabb> = seeds
            .iter()
            .map(|s| {
                let lo = Vec3::new(s[0], 3.0 * s[1], s[2]);
                Aabb { lo, hi: lo + Vec3::new(s[3], s[4], s[5]) * 0.4 }
            })
            .collect();
        let mut broad = Broad::new();
        let mut out = Vec::new();
        // The memory of other boxes and margins must not show, far away or a little.
        let asked = [(0.0, 1.0), (0.3, 1.0), (-2.0, 1.0), (1e-3, 1.0), (-2e-3, 1.2), (5e-3, 0.3), (0.0, 4.0)];
        for (shift, part) in asked {
            for (k, b) in boxes.iter_mut().enumerate() {
                b.lo.x += shift * (k % 3) as f64;
                b.hi.x += shift * (k % 3) as f64;
            }
            prop_assert!(broad.pairs(&boxes, part * margin, |i| i, |_, _| true, usize::MAX, &mut out));
            prop_assert_eq!(&out, &all_pairs(&boxes, part * margin));
        }
    }
}

proptest! {
    #[test]
    fn boxes_of_one_owner_do_not_meet(
        seeds in prop::collection::vec((prop::array::uniform3(0.0..1.0f64), 0..4usize), 0..60),
    ) {
        let owner = |i: usize| seeds[i].1;
        let boxes: Vec<Aabb> = seeds
            .iter()
            .map(|(s, _)| {
                let lo = Vec3::new(s[0], s[1], s[2]);
                Aabb { lo, hi: lo + Vec3::repeat(0.3) }
            })
            .collect();
        let mut out = Vec::new();
        prop_assert!(Broad::new().pairs(&boxes, 0.1, owner, |_, _| true, usize::MAX, &mut out));
        let mut wanted = all_pairs(&boxes, 0.1);
        wanted.retain(|(i, j)| owner(*i) != owner(*j));
        prop_assert_eq!(out, wanted);
    }
}

#[test]
fn a_ground_meets_everything() {
    let ground = Shape::half_space(Vec3::zeros(), Vec3::z()).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let mut boxes = vec![ground.aabb(&Pose::identity())];
    boxes.extend((0..3).map(|k| ball.aabb(&Pose::at(2.0 * f64::from(k), 0.0, 0.0))));
    let mut out = Vec::new();
    assert!(Broad::new().pairs(&boxes, 0.1, |i| i, |_, _| true, 3, &mut out));
    assert_eq!(out, [(0, 1), (0, 2), (0, 3)]);
}

#[test]
fn a_thousand_spheres() {
    // A heap on a grid; every sphere has 26 neighbours whose boxes touch its own.
    let ball = Shape::sphere(0.5).unwrap();
    let boxes: Vec<Aabb> = (0..1000)
        .map(|k| {
            let (x, y, z) = (k % 10, k / 10 % 10, k / 100);
            ball.aabb(&Pose::at(f64::from(x), f64::from(y), f64::from(z)))
        })
        .collect();
    let mut out = Vec::new();
    let n = 3 * 900 + 6 * 810 + 4 * 729;
    let mut broad = Broad::new();
    assert!(!broad.pairs(&boxes, 0.0, |i| i, |_, _| true, n - 1, &mut out) && out.len() == 1);
    assert!(broad.pairs(&boxes, 0.0, |i| i, |_, _| true, n, &mut out));
    assert_eq!(out.len(), n);
    // unwanted pairs do not count
    assert!(Broad::new().pairs(&boxes, 0.0, |i| i, |i, j| i + 1 == j, 900, &mut out));
    assert_eq!(out.len(), 900);
}
