//! The hot path must not touch the heap.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used)]
mod common;

use common::{Rng, chain};
use delassus_linalg::{Backend, CondensedKkt, Csr, KktOptions, MassKkt, MassShape, TangentKkt};

#[path = "common/counting.rs"]
mod counting;
use counting::heap_calls;

#[test]
fn mass_kkt_does_not_allocate() {
    assert!(heap_calls(|| drop(std::hint::black_box(vec![1]))) > 0);
    for redundant_rows in [false, true] {
        let base = chain(12, true);
        let s = if redundant_rows {
            base.with_rows(&[base.dense_row(3), base.dense_row(4)])
        } else {
            base
        };
        for backend in [Backend::Dense, Backend::Sparse] {
            let mut mass_floor = vec![0.0; s.nv()];
            mass_floor[4] = 1e-6;
            for mass_floor in [Vec::new(), mass_floor] {
                let opts = KktOptions { backend, mass_floor, redundant: false };
                let mut kkt = MassKkt::new(s.blocks.clone(), s.jac.clone(), opts).unwrap();
                let mut rng = Rng::new(1);
                let f = rng.vec(s.nv());
                let mut b = vec![0.0; s.m()];
                s.jac.mul_add(&s.g, 1.0, &f, &mut b);
                let (mut a, mut l) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
                let calls = heap_calls(|| {
                    kkt.set_mass(&s.mass).unwrap();
                    assert_eq!(kkt.factor(&s.g).unwrap().regularized, redundant_rows);
                    kkt.solve(&f, &b, &mut a, &mut l).unwrap();
                    kkt.solve_mass(&f, &mut a).unwrap();
                });
                assert_eq!(calls, 0, "{backend:?}");
            }
        }
    }
}

/// Blocks that are coupled with their neighbours, also where rows depend on each other.
#[test]
fn coupled_masses_do_not_allocate() {
    for redundant_rows in [false, true] {
        let base = chain(12, true);
        let s = if redundant_rows {
            base.with_rows(&[base.dense_row(3), base.dense_row(4)])
        } else {
            base
        };
        let pairs = (1..s.blocks.count()).map(|k| (k - 1, k));
        let shape = MassShape::coupled(s.blocks.sizes().to_vec(), pairs).unwrap();
        let mut mass = vec![0.0; shape.value_len()];
        for (m, (i, j)) in mass.iter_mut().zip(shape.entries()) {
            *m = if i == j { 1.0 } else { 0.05 };
        }
        let mut kkt = CondensedKkt::new(shape, s.jac.clone(), KktOptions::default()).unwrap();
        let f = Rng::new(1).vec(s.nv());
        let mut b = vec![0.0; s.m()];
        s.jac.mul_add(&s.g, 1.0, &f, &mut b);
        let (mut a, mut l) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
        let calls = heap_calls(|| {
            kkt.set_mass(&mass).unwrap();
            assert_eq!(kkt.factor(&s.g).unwrap().regularized, redundant_rows);
            kkt.solve(&f, &b, &mut a, &mut l).unwrap();
        });
        assert_eq!(calls, 0);
        s.jac.mul_add(&s.g, -1.0, &a, &mut b);
        assert!(b.iter().all(|x| x.abs() < 1e-10), "{b:?}");
    }
}

#[test]
fn tangent_kkt_does_not_allocate() {
    for redundant_rows in [false, true] {
        let base = chain(12, true);
        let s = if redundant_rows {
            base.with_rows(&[base.dense_row(3), base.dense_row(4)])
        } else {
            base
        };
        let pairs = (0..s.nv()).flat_map(|i| [(i, i), (i, (i + 3) % s.nv())]);
        let pattern = Csr::from_pairs(s.nv(), s.nv(), pairs).unwrap();
        for backend in [Backend::Dense, Backend::Sparse] {
            let mut kkt = TangentKkt::new(pattern.clone(), s.jac.clone(), backend).unwrap();
            let mut rng = Rng::new(1);
            let (r, b) = (rng.vec(s.nv()), rng.vec(s.m()));
            let (mut x, mut y) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
            // Changing values change the pivot order; still no growth.
            for _ in 0..50 {
                let values = rng.vec(pattern.nnz());
                let calls = heap_calls(|| {
                    kkt.factor(&values, &s.g, &s.g).unwrap();
                    kkt.solve(&r, &b, &mut x, &mut y).unwrap();
                });
                assert_eq!(calls, 0, "{backend:?}");
            }
        }
    }
}
