//! Random impacts of linkages: few coordinates, one to four points, any friction and law.

use crate::linear;

use delassus_dae::*;
use delassus_nonsmooth::impact::{Impact, ImpactError, resolve};
use delassus_nonsmooth::{Response, release};
use linear::{Linear, id};

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / ((1u64 << 53) as f64)
    }
    fn sym(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() * n as f64) as usize).min(n - 1)
    }
}

fn linkage(seed: u64, kind: RestitutionLaw, sequential: bool) -> (Linear, Vec<f64>) {
    let mut r = Rng(seed.wrapping_mul(7919) + 17);
    for _ in 0..8 {
        r.next();
    }
    let nv = 1 + r.below(4);
    let points = 1 + r.below(4);
    let tangential = 1 + r.below(2);
    let mut p = Linear::masses(&vec![1.0; nv]);
    // M = L Lᵀ + a little
    let l: Vec<Vec<f64>> = (0..nv).map(|_| (0..nv).map(|_| r.sym()).collect()).collect();
    for i in 0..nv {
        for j in 0..nv {
            p.mass[i][j] =
                (0..nv).map(|k| l[i][k] * l[j][k]).sum::<f64>() + if i == j { 0.05 } else { 0.0 };
        }
    }
    let (mu, e) = ([0.0, 0.2, 0.5, 1.0][r.below(4)], [0.0, 0.3, 0.8, 1.0][r.below(4)]);
    for _ in 0..points {
        let law = PointLaw::Contact {
            mu,
            mu_static: mu,
            restitution: Restitution { e, law: kind },
            tangential,
        };
        let rows: Vec<Vec<f64>> =
            (0..=tangential).map(|_| (0..nv).map(|_| r.sym()).collect()).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|r| &r[..]).collect();
        p = p.point(law, &rows, 0.0);
    }
    p.sequential = sequential;
    let v = (0..nv).map(|_| r.sym()).collect();
    (p, v)
}

fn impact(p: &Linear, v: &[f64]) -> (Response, Vec<f64>, Result<Impact, ImpactError>) {
    let mut ws = p.workspace();
    p.realize_position(0.0, &vec![0.0; v.len()], &[], &mut ws);
    p.realize_velocity(v, &[], &mut ws);
    let points = release::evaluate(p, &ws, (0..p.points.len()).map(|k| (id(k), [0, 0])));
    let mut r = Response::new(p).unwrap();
    r.set(p, &ws, points).unwrap();
    let mut u = Vec::new();
    r.rates(&mut u);
    let i = resolve(&r, &u, p.sequential, &mut delassus_cone::Workspace::new());
    (r, u, i)
}

/// √(2T) of the motion.
fn size(p: &Linear, v: &[f64]) -> f64 {
    let n = v.len();
    (0..n).map(|i| (0..n).map(|j| v[i] * p.mass[i][j] * v[j]).sum::<f64>()).sum::<f64>().sqrt()
}

/// Whatever friction locks: there is an answer, it has to do with the approach, it gains nothing, and nothing
/// approaches after it. Impulses of up to 1e300 and laws without a solution were seen here.
#[test]
fn every_law_has_an_answer_that_is_bounded() {
    for kind in [RestitutionLaw::Newton, RestitutionLaw::Poisson, RestitutionLaw::Energetic] {
        for sequential in [false, true] {
            let mut reduced = 0;
            // the rest are those of a long survey that were worst
            for seed in (0..60).chain([83, 116, 154, 260, 309, 321, 443, 451, 546, 593, 677]) {
                let (p, v) = linkage(seed, kind, sequential);
                let (r, u, i) = impact(&p, &v);
                if r.members.iter().all(|m| u[m.row] >= 0.0) {
                    continue;
                }
                let i = i.unwrap_or_else(|e| panic!("{seed} {kind:?} {sequential}: {e}"));
                reduced += usize::from(!i.reduced.is_empty());
                let t = size(&p, &v);
                for k in 0..r.n {
                    let size = i.impulse[k].abs() * r.w[k * r.n + k].sqrt() / t;
                    assert!(size < 1e5, "{seed} {kind:?} {sequential}: impulse {size:e}");
                }
                assert!(i.energy <= 1e-10 * t * t, "{seed} {kind:?} {sequential}: {}", i.energy);
                for m in &r.members {
                    let rate = i.after[m.row] / t;
                    assert!(rate > -1e-7, "{seed} {kind:?} {sequential}: approaches by {rate:e}");
                }
            }
            println!("{kind:?}, one by one {sequential}: restitution reduced {reduced} times");
        }
    }
}

/// A body without clearance between two walls: it cannot leave either of them as Newton's law demands. It stays, and
/// that is reported.
#[test]
fn two_walls_that_face_each_other() {
    for kind in [RestitutionLaw::Newton, RestitutionLaw::Energetic] {
        let law = PointLaw::Contact {
            mu: 0.0,
            mu_static: 0.0,
            restitution: Restitution { e: 0.8, law: kind },
            tangential: 0,
        };
        let p = Linear::masses(&[2.0]).point(law, &[&[1.0]], 0.0).point(law, &[&[-1.0]], 0.0);
        let (_, _, i) = impact(&p, &[-3.0]);
        let i = i.unwrap();
        assert!(i.after.iter().all(|u| u.abs() < 1e-7), "{kind:?} {:?}", i.after);
        if kind == RestitutionLaw::Newton {
            assert_eq!(i.reduced[0].points, [id(0)]);
            assert!(i.softened < 1e-5);
        }
    }
}
