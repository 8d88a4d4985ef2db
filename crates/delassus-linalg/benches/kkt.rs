//! Speed of factor + solve: the closed planar three-body loop (8 rows, 9
//! coordinates), chains of 20, 200 and 2000 bodies, and the tangent system.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Rng, System, chain};
use criterion::{Criterion, criterion_group, criterion_main};
use delassus_linalg::{Backend, Csr, KktOptions, MassKkt, TangentKkt};
use std::hint::black_box;

fn mass(c: &mut Criterion, name: &str, s: &System, backend: Backend, redundant: bool) {
    let opts = KktOptions { backend, redundant, ..KktOptions::default() };
    let mut kkt = MassKkt::new(s.blocks.clone(), s.jac.clone(), opts).unwrap();
    kkt.set_mass(&s.mass).unwrap();
    let mut rng = Rng::new(1);
    let (f, b) = (rng.vec(s.nv()), rng.vec(s.m()));
    let (mut a, mut l) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
    kkt.factor(&s.g).unwrap();
    c.bench_function(&format!("mass factor+solve {name} {backend:?}"), |bench| {
        bench.iter(|| {
            kkt.factor(black_box(&s.g)).unwrap();
            kkt.solve(black_box(&f), &b, &mut a, &mut l).unwrap();
        });
    });
    if s.m() < 10 {
        c.bench_function(&format!("mass solve {name} {backend:?}"), |bench| {
            bench.iter(|| kkt.solve(black_box(&f), &b, &mut a, &mut l).unwrap());
        });
    }
}

fn tangent(c: &mut Criterion, name: &str, s: &System, backend: Backend) {
    let nv = s.nv();
    let couple = |i: usize| (0..6).map(move |k| (i, (i / 3 * 3 + k) % nv));
    let pattern = Csr::from_pairs(nv, nv, (0..nv).flat_map(couple)).unwrap();
    let mut rng = Rng::new(1);
    let mut values = rng.vec(pattern.nnz());
    for i in 0..nv {
        values[pattern.slot(i, i).unwrap()] += 100.0;
    }
    let mut kkt = TangentKkt::new(pattern, s.jac.clone(), backend).unwrap();
    let (r, b) = (rng.vec(nv), rng.vec(s.m()));
    let (mut x, mut y) = (vec![0.0; nv], vec![0.0; s.m()]);
    c.bench_function(&format!("tangent factor {name} {backend:?}"), |bench| {
        bench.iter(|| kkt.factor(black_box(&values), &s.g, &s.g).unwrap());
    });
    c.bench_function(&format!("tangent solve {name} {backend:?}"), |bench| {
        bench.iter(|| kkt.solve(black_box(&r), &b, &mut x, &mut y).unwrap());
    });
}

fn all(c: &mut Criterion) {
    tangent(c, "15 unknowns", &chain(3, false), Backend::Dense);
    tangent(c, "chain 200", &chain(200, false), Backend::Sparse);
    let loop3 = chain(3, true);
    mass(c, "8 rows", &loop3, Backend::Dense, false);
    mass(c, "8 rows", &loop3, Backend::Sparse, false);
    mass(c, "8 rows redundant", &loop3, Backend::Dense, true);
    for n in [6, 10, 20] {
        let s = chain(n, false);
        mass(c, &format!("chain {n}"), &s, Backend::Dense, false);
        mass(c, &format!("chain {n}"), &s, Backend::Sparse, false);
    }
    for n in [200, 2000] {
        let s = chain(n, false);
        mass(c, &format!("chain {n}"), &s, Backend::Sparse, false);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(700));
    targets = all
}
criterion_main!(benches);
