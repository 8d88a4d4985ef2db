//! `TangentKkt` against dense references.
use crate::common;

use common::{Rng, chain, dense, max_abs, max_diff, random_system, reference};
use delassus_linalg::{Backend, Csr, KktError, TangentKkt};

const BACKENDS: [Backend; 2] = [Backend::Dense, Backend::Sparse];

/// Pattern and values of a nonsymmetric S: mass blocks plus perturbation.
fn tangent_of(s: &common::System, rng: &mut Rng) -> (Csr, Vec<f64>) {
    let m = s.dense_mass();
    let mut pairs = Vec::new();
    for (k, &n) in s.blocks.sizes().iter().enumerate() {
        let (dof, next) = (s.blocks.dof(k), (k + 1) % s.blocks.count());
        for i in 0..n {
            for j in 0..n {
                pairs.push((dof + i, dof + j));
            }
            pairs.push((dof + i, s.blocks.dof(next)));
        }
    }
    let pattern = Csr::from_pairs(s.nv(), s.nv(), pairs).unwrap();
    let mut v = Vec::new();
    for i in 0..s.nv() {
        for &j in pattern.row(i) {
            v.push(1e4 * m[(i, j)] + 100.0 * rng.unit());
        }
    }
    (pattern, v)
}

#[test]
fn matches_the_dense_reference_with_different_left_and_right_matrices() {
    for seed in 0..40 {
        let s = random_system(3 + seed as usize % 8, 6, seed);
        let mut rng = Rng::new(seed + 50);
        let (pattern, sv) = tangent_of(&s, &mut rng);
        let cols: Vec<f64> = s.g.iter().map(|v| v + 0.01 * rng.unit()).collect();
        let (r, b) = (rng.vec(s.nv()), rng.vec(s.m()));
        let (xr, yr) =
            reference(&dense(&pattern, &sv), &s.dense_jac(), &dense(&s.jac, &cols), &r, &b);
        for backend in BACKENDS {
            let mut kkt = TangentKkt::new(pattern.clone(), s.jac.clone(), backend).unwrap();
            let info = kkt.factor(&sv, &s.g, &cols).unwrap();
            let (mut x, mut y) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
            kkt.solve(&r, &b, &mut x, &mut y).unwrap();
            if info.min_relative_pivot > 1e-4 {
                assert!(!info.regularized);
                assert!(
                    max_diff(&x, &xr) < 1e-10 * max_abs(&xr),
                    "seed {seed} {backend:?} {info:?}"
                );
                assert!(
                    max_diff(&y, &yr) < 1e-10 * max_abs(&yr),
                    "seed {seed} {backend:?} {info:?}"
                );
            }
        }
    }
}

#[test]
fn long_chains_need_no_pivots_and_lose_no_digits() {
    for (links, closed) in [(20, false), (60, false), (60, true)] {
        let s = chain(links, closed);
        let mut rng = Rng::new(links as u64);
        let (pattern, mut sv) = tangent_of(&s, &mut rng);
        let mut sparse = TangentKkt::new(pattern.clone(), s.jac.clone(), Backend::Sparse).unwrap();
        let mut dense = TangentKkt::new(pattern.clone(), s.jac.clone(), Backend::Dense).unwrap();
        // well conditioned; a diagonal that vanishes, which needs pivots; one that is soft beside its rows; and as before
        for weak in [None, Some(0.0), Some(3e-6), None] {
            let kept = sv.clone();
            if let Some(part) = weak {
                let dof = s.nv() / 2;
                for (v, &j) in sv[pattern.row_ptr[dof]..].iter_mut().zip(pattern.row(dof)) {
                    *v = if j == dof { part * *v } else { 0.0 };
                }
            }
            let (r, b) = (rng.vec(s.nv()), rng.vec(s.m()));
            let solve = |kkt: &mut TangentKkt| {
                kkt.factor(&sv, &s.g, &s.g).unwrap();
                let (mut x, mut y) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
                kkt.solve(&r, &b, &mut x, &mut y).unwrap();
                (x, y)
            };
            let ((x, y), (xr, yr)) = (solve(&mut sparse), solve(&mut dense));
            assert!(max_diff(&x, &xr) < 1e-11 * max_abs(&xr), "{links} {weak:?}");
            assert!(max_diff(&y, &yr) < 1e-11 * max_abs(&yr), "{links} {weak:?}");
            let mut left = b.clone();
            s.jac.mul_add(&s.g, -1.0, &x, &mut left);
            assert!(max_abs(&left) < 1e-11 * max_abs(&x), "{links} {weak:?}");
            sv = kept;
        }
    }
}

#[test]
fn redundant_rows_converge_under_outer_refinement() {
    let base = chain(5, true);
    let s = base.with_rows(&[base.dense_row(3), base.dense_row(7), base.dense_row(3)]);
    let mut rng = Rng::new(4);
    let (pattern, sv) = tangent_of(&s, &mut rng);
    let r = rng.vec(s.nv());
    let mut b = vec![0.0; s.m()];
    s.jac.mul_add(&s.g, 1.0, &rng.vec(s.nv()), &mut b);
    let g = base.dense_jac();
    let (xr, _) = reference(&dense(&pattern, &sv), &g, &g, &r, &b[..base.m()]);
    for backend in BACKENDS {
        for declared in [false, true] {
            let mut kkt = TangentKkt::new(pattern.clone(), s.jac.clone(), backend).unwrap();
            kkt.set_redundant(declared);
            assert!(kkt.factor(&sv, &s.g, &s.g).unwrap().regularized);
            let (mut x, mut y) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
            let (mut dx, mut dy) = (x.clone(), y.clone());
            for sweep in 0..4 {
                let (mut r1, mut r2) = (r.clone(), b.clone());
                pattern.mul_add(&sv, -1.0, &x, &mut r1);
                s.jac.mul_t_add(&s.g, 1.0, &y, &mut r1);
                s.jac.mul_add(&s.g, -1.0, &x, &mut r2);
                kkt.solve(&r1, &r2, &mut dx, &mut dy).unwrap();
                for (x, d) in x.iter_mut().zip(&dx) {
                    *x += d;
                }
                for (y, d) in y.iter_mut().zip(&dy) {
                    *y += d;
                }
                let e = max_diff(&x, &xr) / max_abs(&xr);
                assert!(e < [1e-5, 1e-9, 1e-11, 1e-11][sweep], "{sweep} {e:e}");
            }
            // Equal rows share equally.
            assert!((y[3] - y[12]).abs() < 1e-6 * max_abs(&y), "{y:?}");
        }
    }
}

#[test]
fn massless_rows_work_if_constrained_and_fail_cleanly_if_not() {
    // x0 heavy, x1 massless; x0 - x1 = 0 makes it regular.
    let pattern = Csr::from_pairs(2, 2, [(0, 0), (1, 1)]).unwrap();
    let jac = Csr::dense(1, 2);
    for backend in BACKENDS {
        let mut kkt = TangentKkt::new(pattern.clone(), jac.clone(), backend).unwrap();
        kkt.factor(&[2.0, 0.0], &[1.0, -1.0], &[1.0, -1.0]).unwrap();
        let (mut x, mut y) = (vec![0.0; 2], vec![0.0; 1]);
        kkt.solve(&[3.0, 1.0], &[0.0], &mut x, &mut y).unwrap();
        assert!(max_diff(&x, &[2.0, 2.0]) < 1e-14 && (y[0] - 1.0).abs() < 1e-14, "{x:?} {y:?}");
        let lost = kkt.factor(&[2.0, 0.0], &[1.0, 0.0], &[1.0, 0.0]);
        assert!(matches!(lost, Err(KktError::Singular { .. })), "{lost:?}");
        let solve = kkt.solve(&[3.0, 1.0], &[0.0], &mut x, &mut y);
        assert!(matches!(solve, Err(KktError::NotReady(_))));
    }
}

#[test]
fn non_finite_and_empty() {
    let pattern = Csr::dense(2, 2);
    let jac = Csr::dense(1, 2);
    for backend in BACKENDS {
        let mut kkt = TangentKkt::new(pattern.clone(), jac.clone(), backend).unwrap();
        let s = [2.0, 0.1, -0.1, 3.0];
        let g = [1.0, 1.0];
        let nan = f64::NAN;
        assert_eq!(
            kkt.factor(&[2.0, 0.0, nan, 1.0], &g, &g),
            Err(KktError::NonFiniteDof { dof: 1 })
        );
        assert_eq!(kkt.factor(&s, &[nan, 1.0], &g), Err(KktError::NonFinite { row: 0 }));
        kkt.factor(&s, &g, &g).unwrap();
        let (mut x, mut y) = (vec![0.0; 2], vec![0.0; 1]);
        assert_eq!(
            kkt.solve(&[1.0, nan], &[0.0], &mut x, &mut y),
            Err(KktError::NonFiniteDof { dof: 1 })
        );
        assert_eq!(
            kkt.solve(&[1.0, 1.0], &[nan], &mut x, &mut y),
            Err(KktError::NonFinite { row: 0 })
        );
        kkt.solve(&[1.0, 1.0], &[0.0], &mut x, &mut y).unwrap();
        let mut none = TangentKkt::new(pattern.clone(), Csr::dense(0, 2), backend).unwrap();
        none.factor(&s, &[], &[]).unwrap();
        none.solve(&[2.0, 3.0], &[], &mut x, &mut []).unwrap();
        let mut zero = TangentKkt::new(Csr::dense(0, 0), Csr::dense(0, 0), backend).unwrap();
        zero.factor(&[], &[], &[]).unwrap();
        zero.solve(&[], &[], &mut [], &mut []).unwrap();
    }
    assert!(
        TangentKkt::new(Csr::from_pairs(2, 2, [(0, 0), (1, 0)]).unwrap(), jac, Backend::Auto)
            .is_err()
    );
}
