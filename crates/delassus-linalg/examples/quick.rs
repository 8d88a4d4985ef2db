#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
use delassus_linalg::*;
use std::hint::black_box;
use std::time::Instant;
fn best(mut f: impl FnMut(), inner: usize) -> f64 {
    let mut b = f64::INFINITY;
    for _ in 0..2000 {
        let t = Instant::now();
        for _ in 0..inner {
            f();
        }
        b = b.min(t.elapsed().as_secs_f64() / inner as f64);
    }
    b * 1e9
}
fn main() {
    for (n, closed) in [
        (3, true),
        (6, true),
        (8, true),
        (10, false),
        (15, false),
        (20, false),
        (200, false),
        (2000, false),
    ] {
        let s = chain(n, closed);
        for backend in [Backend::Dense, Backend::Sparse] {
            if n > 50 && backend == Backend::Dense {
                continue;
            }
            for red in [false, true] {
                let mut k = MassKkt::new(
                    s.blocks.clone(),
                    s.jac.clone(),
                    KktOptions {
                        backend,
                        redundant: red,
                        ..Default::default()
                    },
                )
                .unwrap();
                k.set_mass(&s.mass).unwrap();
                let mut rng = Rng::new(1);
                let (f, b) = (rng.vec(s.nv()), rng.vec(s.m()));
                let (mut a, mut l) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
                let inner = (400 / n).max(1);
                let tf = best(
                    || {
                        k.factor(black_box(&s.g)).unwrap();
                    },
                    inner,
                );
                let ts = best(
                    || {
                        k.solve(black_box(&f), &b, &mut a, &mut l).unwrap();
                    },
                    inner,
                );
                println!(
                    "n {n} rows {} {backend:?} redundant {red}: factor {tf:.0} ns solve {ts:.0} ns",
                    s.m()
                );
            }
        }
        let nv = s.nv();
        let m = s.dense_mass();
        let pat = Csr::from_pairs(
            nv,
            nv,
            (0..nv).flat_map(|i| {
                let b = i / 3 * 3;
                let o = if b + 3 < nv { b + 3 } else { b };
                [(i, b), (i, b + 1), (i, b + 2), (i, o), (i, i)]
            }),
        )
        .unwrap();
        let mut rng = Rng::new(1);
        let mut v = vec![];
        for i in 0..nv {
            for &j in pat.row(i) {
                v.push(100.0 * m[(i, j)] + rng.unit());
            }
        }
        for backend in [Backend::Dense, Backend::Sparse] {
            if n > 50 && backend == Backend::Dense {
                continue;
            }
            let mut k = TangentKkt::new(pat.clone(), s.jac.clone(), backend).unwrap();
            let (f, b) = (rng.vec(s.nv()), rng.vec(s.m()));
            let (mut a, mut l) = (vec![0.0; s.nv()], vec![0.0; s.m()]);
            let inner = (200 / n).max(1);
            let tf = best(
                || {
                    k.factor(black_box(&v), &s.g, &s.g).unwrap();
                },
                inner,
            );
            let ts = best(
                || {
                    k.solve(black_box(&f), &b, &mut a, &mut l).unwrap();
                },
                inner,
            );
            println!(
                "tangent n {n} size {} {backend:?}: factor {tf:.0} ns solve {ts:.0} ns",
                s.m() + nv
            );
        }
    }
}
