//! Speed of factor + solve: the closed planar three-body loop (8 rows, 9
//! coordinates) and chains of 20, 200 and 2000 bodies.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Rng, System, chain};
use criterion::{Criterion, criterion_group, criterion_main};
use delassus_linalg::{Backend, KktOptions, MassKkt};
use std::hint::black_box;

fn mass(c: &mut Criterion, name: &str, s: &System, backend: Backend, redundant: bool) {
    let opts = KktOptions {
        backend,
        redundant,
        ..KktOptions::default()
    };
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

fn all(c: &mut Criterion) {
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
