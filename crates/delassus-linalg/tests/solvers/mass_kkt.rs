//! `MassKkt` against dense references, redundancy, singularity, masslessness.
use crate::common;

use common::{Rng, System, chain, max_abs, max_diff, random_system, reference};
use delassus_linalg::{Backend, KktError, KktOptions, MassKkt, SolveInfo};
use faer::Mat;

fn build(s: &System, backend: Backend, redundant: bool) -> MassKkt {
    let opts = KktOptions { backend, redundant, ..KktOptions::default() };
    let mut kkt = MassKkt::new(s.blocks.clone(), s.jac.clone(), opts).unwrap();
    kkt.set_mass(&s.mass).unwrap();
    kkt
}

fn run(
    kkt: &mut MassKkt,
    f: &[f64],
    b: &[f64],
) -> Result<(Vec<f64>, Vec<f64>, SolveInfo), KktError> {
    let (mut a, mut l) = (vec![0.0; f.len()], vec![0.0; b.len()]);
    let info = kkt.solve(f, b, &mut a, &mut l)?;
    Ok((a, l, info))
}

fn pinv_multiplier(s: &System, rhs: &[f64]) -> Vec<f64> {
    // λ = pinv(Gᵀ) rhs
    let svd = s.dense_jac().transpose().to_owned().svd().unwrap();
    let rhs = Mat::from_fn(rhs.len(), 1, |i, _| rhs[i]);
    let sigma = svd.S().column_vector();
    let ut = svd.U().transpose() * &rhs;
    let k = sigma.nrows();
    let scaled =
        Mat::from_fn(
            k,
            1,
            |i, _| {
                if sigma[i] > 1e-10 * sigma[0] { ut[(i, 0)] / sigma[i] } else { 0.0 }
            },
        );
    let l = svd.V().subcols(0, k) * scaled;
    (0..s.m()).map(|i| l[(i, 0)]).collect()
}

fn balance(s: &System, f: &[f64], a: &[f64]) -> Vec<f64> {
    // M a − f
    let m = s.dense_mass();
    (0..s.nv()).map(|i| (0..s.nv()).map(|j| m[(i, j)] * a[j]).sum::<f64>() - f[i]).collect()
}

#[test]
fn random_systems_match_the_dense_reference_in_both_backends() {
    for seed in 0..60 {
        let bodies = 2 + (seed as usize % 9);
        let s0 = random_system(bodies, 1, seed);
        let rows = (s0.nv() / 2).max(1);
        let s = random_system(bodies, rows, seed);
        let mut rng = Rng::new(seed + 1000);
        let f = rng.vec(s.nv());
        let a0 = rng.vec(s.nv());
        let mut b = vec![0.0; s.m()];
        s.jac.mul_add(&s.g, 1.0, &a0, &mut b);
        let mut dense = build(&s, Backend::Dense, false);
        let mut sparse = build(&s, Backend::Sparse, false);
        let info = dense.factor(&s.g).unwrap();
        sparse.factor(&s.g).unwrap();
        let (a, l, _) = run(&mut dense, &f, &b).unwrap();
        let (a2, l2, _) = run(&mut sparse, &f, &b).unwrap();
        if info.min_relative_pivot > 1e-3 {
            let g = s.dense_jac();
            let (ar, lr) = reference(&s.dense_mass(), &g, &g, &f, &b);
            let (sa, sl) = (1.0 + max_abs(&ar), 1.0 + max_abs(&lr));
            assert!(max_diff(&a, &ar) < 1e-11 * sa, "seed {seed} {info:?}");
            assert!(max_diff(&l, &lr) < 1e-11 * sl, "seed {seed} {info:?}");
            assert!(max_diff(&a, &a2) < 1e-12 * sa, "seed {seed}");
            assert!(max_diff(&l, &l2) < 1e-12 * sl, "seed {seed}");
        }
        assert!(
            s.constraint_error(&a, &b) < 1e-11,
            "seed {seed} {info:?} {}",
            s.constraint_error(&a, &b)
        );
        assert!(s.constraint_error(&a2, &b) < 1e-11, "seed {seed}");
    }
}

#[test]
fn redundant_rows_leave_the_acceleration_unchanged_and_give_the_pseudo_inverse_multiplier() {
    for seed in 0..30 {
        let s = chain(4, seed % 2 == 0);
        let mut rng = Rng::new(seed + 7);
        let f = rng.vec(s.nv());
        let a0 = rng.vec(s.nv());
        // Copies, a tripled row, a scaled copy and a combination.
        let combo: Vec<f64> =
            s.dense_row(1).iter().zip(s.dense_row(5)).map(|(x, y)| 0.7 * x - 1.3 * y).collect();
        let scaled: Vec<f64> = s.dense_row(4).iter().map(|v| 30.0 * v).collect();
        let r = s.with_rows(&[s.dense_row(2), s.dense_row(2), scaled, combo, s.dense_row(0)]);
        let mut b = vec![0.0; r.m()];
        r.jac.mul_add(&r.g, 1.0, &a0, &mut b);

        let mut plain = build(&s, Backend::Dense, false);
        assert!(!plain.factor(&s.g).unwrap().regularized);
        let (a_ref, _, _) = run(&mut plain, &f, &b[..s.m()]).unwrap();
        let lambda_ref = pinv_multiplier(&r, &balance(&s, &f, &a_ref));
        for backend in [Backend::Dense, Backend::Sparse] {
            for redundant in [false, true] {
                let mut kkt = build(&r, backend, redundant);
                let info = kkt.factor(&r.g).unwrap();
                assert!(info.regularized);
                assert_eq!(info.free_directions, 5, "{info:?}");
                let (a, l, si) = run(&mut kkt, &f, &b).unwrap();
                let scale = max_abs(&a_ref);
                assert!(max_diff(&a, &a_ref) < 1e-12 * scale, "{:e} {si:?}", max_diff(&a, &a_ref));
                assert!(r.constraint_error(&a, &b) < 1e-12 * 30.0 * scale);
                let e = max_diff(&l, &lambda_ref) / max_abs(&lambda_ref);
                assert!(e < 1e-11, "multiplier {e:e} {si:?} {info:?}");
            }
        }
    }
}

#[test]
fn more_free_directions_than_the_projection_holds() {
    let s = chain(40, false);
    let copies: Vec<Vec<f64>> = (0..40).map(|i| s.dense_row(2 * i)).collect();
    let r = s.with_rows(&copies);
    let mut rng = Rng::new(2);
    let (f, a0) = (rng.vec(s.nv()), rng.vec(s.nv()));
    let mut b = vec![0.0; r.m()];
    r.jac.mul_add(&r.g, 1.0, &a0, &mut b);
    let mut plain = build(&s, Backend::Sparse, false);
    plain.factor(&s.g).unwrap();
    let (a_ref, _, _) = run(&mut plain, &f, &b[..s.m()]).unwrap();
    let mut kkt = build(&r, Backend::Sparse, true);
    let info = kkt.factor(&r.g).unwrap();
    assert_eq!((info.regularized, info.free_directions), (true, 0));
    let (a, l, solved) = run(&mut kkt, &f, &b).unwrap();
    let e = max_diff(&a, &a_ref) / max_abs(&a_ref);
    assert!(e < 1e-12, "{e:e} {solved:?}");
    let wanted = pinv_multiplier(&r, &balance(&s, &f, &a_ref));
    let e = max_diff(&l, &wanted) / max_abs(&wanted);
    assert!(e < 1e-5, "{e:e} {solved:?}");
}

#[test]
fn near_singular_sweep_stays_finite_and_satisfied() {
    // Two rows closing in on each other, and a row closing in on zero.
    for parallel in [true, false] {
        for e in 0..=64 {
            let sigma = 10f64.powf(-f64::from(e) / 4.0);
            let base = chain(3, false);
            let mut row = if parallel { base.dense_row(3) } else { vec![0.0; base.nv()] };
            row[8] += sigma;
            let s = base.with_rows(&[row]);
            let mut rng = Rng::new(3);
            let (f, a0) = (rng.vec(s.nv()), rng.vec(s.nv()));
            let mut b = vec![0.0; s.m()];
            s.jac.mul_add(&s.g, 1.0, &a0, &mut b);
            for backend in [Backend::Dense, Backend::Sparse] {
                let mut kkt = build(&s, backend, false);
                let info = kkt.factor(&s.g).unwrap();
                let (a, l, si) = run(&mut kkt, &f, &b).unwrap();
                let err = s.constraint_error(&a, &b);
                assert!(max_abs(&a) < 1e3, "{sigma:e}: {a:?}");
                assert!(max_abs(&l) < 1e3 / sigma.max(1e-5).powi(2), "{sigma:e}: {l:?}");
                if std::env::var_os("SWEEP").is_some() {
                    println!(
                        "{parallel} {sigma:9.2e} {backend:?} pivot {:9.2e} reg {} free {} ref {} a {:9.2e} l {:9.2e} err {err:9.2e}",
                        info.min_relative_pivot,
                        info.regularized,
                        info.free_directions,
                        si.refinements,
                        max_abs(&a),
                        max_abs(&l)
                    );
                }
                if sigma > 5e-6 {
                    assert!(err < 2e-13, "{sigma:e}: {err:e} {info:?}");
                }
                // Filtered directions violate by no more than their own size.
                assert!(err < 1e-11 + 10.0 * sigma, "{sigma:e}: {err:e}");
            }
        }
    }
}

/// Chain whose middle body has no mass.
fn massless_chain() -> (System, Vec<f64>) {
    let mut s = chain(4, true);
    let at = s.blocks.value(1);
    s.mass[at..at + 9].fill(0.0);
    let mut floor = vec![0.0; s.nv()];
    floor[3..6].fill(1e-6);
    (s, floor)
}

fn build_massless(s: &System, floor: Vec<f64>, backend: Backend) -> MassKkt {
    let opts = KktOptions { backend, mass_floor: floor, redundant: false };
    let mut kkt = MassKkt::new(s.blocks.clone(), s.jac.clone(), opts).unwrap();
    kkt.set_mass(&s.mass).unwrap();
    kkt
}

#[test]
fn massless_body_in_a_regular_system_is_exact() {
    let (s, floor) = massless_chain();
    let mut rng = Rng::new(5);
    let (f, b) = (rng.vec(s.nv()), rng.vec(s.m()));
    let g = s.dense_jac();
    let (ar, lr) = reference(&s.dense_mass(), &g, &g, &f, &b);
    for backend in [Backend::Dense, Backend::Sparse] {
        let mut kkt = build_massless(&s, floor.clone(), backend);
        kkt.factor(&s.g).unwrap();
        let (a, l, info) = run(&mut kkt, &f, &b).unwrap();
        assert!(max_diff(&a, &ar) < 1e-11 * max_abs(&ar), "{:e} {info:?}", max_diff(&a, &ar));
        assert!(max_diff(&l, &lr) < 1e-11 * max_abs(&lr), "{:e} {info:?}", max_diff(&l, &lr));
        assert!(info.residual.unwrap() < 1e-12, "{info:?}");
    }
}

#[test]
fn undetermined_massless_coordinate_is_an_error() {
    // An open chain with a massless last body: nothing balances its torque.
    let mut s = chain(3, false);
    let at = s.blocks.value(2);
    s.mass[at..at + 9].fill(0.0);
    let mut floor = vec![0.0; s.nv()];
    floor[6..9].fill(1e-6);
    for backend in [Backend::Dense, Backend::Sparse] {
        let mut kkt = build_massless(&s, floor.clone(), backend);
        kkt.factor(&s.g).unwrap();
        let result = run(&mut kkt, &vec![1.0; s.nv()], &vec![0.0; s.m()]);
        assert!(matches!(result, Err(KktError::Undetermined { .. })), "{result:?}");
    }
    // Without a floor the mass matrix itself is refused.
    let mut kkt = MassKkt::new(s.blocks.clone(), s.jac.clone(), KktOptions::default()).unwrap();
    assert!(matches!(
        kkt.set_mass(&s.mass),
        Err(KktError::MassNotPositive { block: 2, dof: 6, .. })
    ));
    assert!(matches!(kkt.factor(&s.g), Err(KktError::NotReady(_))));
}

#[test]
fn non_finite_input_is_named() {
    let s = chain(3, true);
    let (f, b) = (vec![1.0; s.nv()], vec![0.5; s.m()]);
    for bad in [f64::NAN, f64::INFINITY] {
        for backend in [Backend::Dense, Backend::Sparse] {
            for redundant in [false, true] {
                let mut kkt = build(&s, backend, redundant);
                let mut g = s.g.clone();
                let slot = s.jac.row_ptr[3];
                g[slot] = bad;
                assert_eq!(kkt.factor(&g), Err(KktError::NonFinite { row: 3 }));
                assert!(matches!(run(&mut kkt, &f, &b), Err(KktError::NotReady(_))));
                kkt.factor(&s.g).unwrap();
                let mut bb = b.clone();
                bb[5] = bad;
                assert_eq!(run(&mut kkt, &f, &bb).err(), Some(KktError::NonFinite { row: 5 }));
                let mut ff = f.clone();
                ff[2] = bad;
                assert_eq!(run(&mut kkt, &ff, &b).err(), Some(KktError::NonFiniteDof { dof: 2 }));
                // A failure leaves no trace in the next solve.
                let clean = run(&mut kkt, &f, &b).unwrap();
                let mut fresh = build(&s, backend, redundant);
                fresh.factor(&s.g).unwrap();
                assert_eq!(clean, run(&mut fresh, &f, &b).unwrap());
                let mut mass = s.mass.clone();
                mass[9] = bad;
                assert_eq!(kkt.set_mass(&mass), Err(KktError::NonFiniteDof { dof: 3 }));
            }
        }
    }
}

#[test]
fn empty_systems() {
    use delassus_linalg::{Csr, MassShape};
    for backend in [Backend::Auto, Backend::Dense, Backend::Sparse] {
        for redundant in [false, true] {
            let opts = || KktOptions { backend, redundant, ..KktOptions::default() };
            let mut kkt = MassKkt::new(MassShape::new(vec![2]), Csr::dense(0, 2), opts()).unwrap();
            kkt.set_mass(&[2.0, 0.0, 0.0, 4.0]).unwrap();
            kkt.factor(&[]).unwrap();
            let (a, l, _) = run(&mut kkt, &[2.0, 2.0], &[]).unwrap();
            assert_eq!(a, [1.0, 0.5]);
            assert!(l.is_empty());
            let mut kkt = MassKkt::new(MassShape::new(vec![]), Csr::dense(0, 0), opts()).unwrap();
            kkt.set_mass(&[]).unwrap();
            kkt.factor(&[]).unwrap();
            run(&mut kkt, &[], &[]).unwrap();
            // A row without coefficients: no multiplier, no crash.
            let mut kkt = MassKkt::new(MassShape::new(vec![1]), Csr::dense(2, 1), opts()).unwrap();
            kkt.set_mass(&[1.0]).unwrap();
            assert!(kkt.factor(&[0.0, 1.0]).unwrap().regularized);
            let (a, l, _) = run(&mut kkt, &[3.0], &[0.0, 1.0]).unwrap();
            assert!(
                (a[0] - 1.0).abs() < 1e-14 && l[0] == 0.0 && (l[1] + 2.0).abs() < 1e-14,
                "{a:?} {l:?}"
            );
            assert!(kkt.factor(&[0.0, 0.0]).unwrap().regularized);
            let (a, l, _) = run(&mut kkt, &[3.0], &[0.0, 0.0]).unwrap();
            assert_eq!((a[0], &l[..]), (3.0, &[0.0, 0.0][..]));
        }
    }
}

#[test]
fn same_bits_twice_and_counts() {
    let s = chain(30, true);
    let mut rng = Rng::new(9);
    let (f, b) = (rng.vec(s.nv()), rng.vec(s.m()));
    for backend in [Backend::Dense, Backend::Sparse] {
        let mut kkt = build(&s, backend, false);
        kkt.factor(&s.g).unwrap();
        let first = run(&mut kkt, &f, &b).unwrap();
        kkt.factor(&s.g).unwrap();
        let second = run(&mut kkt, &f, &b).unwrap();
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&first.0), bits(&second.0));
        assert_eq!(bits(&first.1), bits(&second.1));
        let counts = kkt.counts();
        assert_eq!((counts.factorizations, counts.solves, counts.regularized), (2, 2, 0));
    }
}

proptest::proptest! {
    /// Any random system, redundant or not, satisfies its own equations.
    #[test]
    fn equations_hold(seed in 0u64..1_000_000, bodies in 1usize..12, rows in 0usize..30, sparse: bool) {
        let s = random_system(bodies, rows, seed);
        let mut rng = Rng::new(seed ^ 0x55);
        let (f, a0) = (rng.vec(s.nv()), rng.vec(s.nv()));
        let mut b = vec![0.0; s.m()];
        s.jac.mul_add(&s.g, 1.0, &a0, &mut b);
        let backend = if sparse { Backend::Sparse } else { Backend::Dense };
        let mut kkt = build(&s, backend, false);
        let info = kkt.factor(&s.g).unwrap();
        let (a, l, solved) = run(&mut kkt, &f, &b).unwrap();
        let size = 1.0 + max_abs(&l);
        let mut r = balance(&s, &f, &a);
        s.jac.mul_t_add(&s.g, -1.0, &l, &mut r);
        proptest::prop_assert!(max_abs(&r) < 1e-11 * size, "{:e} {info:?} {solved:?}", max_abs(&r));
        let e = s.constraint_error(&a, &b);
        proptest::prop_assert!(e < 1e-10 * size, "{e:e} {info:?} {solved:?}");
    }
}
