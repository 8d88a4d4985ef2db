#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
use delassus_linalg::*;
fn main() {
    let s = chain(3, false);
    let nv = s.nv();
    let m = s.dense_mass();
    let pat = Csr::dense(nv, nv);
    let mut rng = Rng::new(1);
    let mut v = vec![];
    for i in 0..nv {
        for &j in pat.row(i) {
            v.push(100.0 * m[(i, j)] + rng.unit());
        }
    }
    let mut k = TangentKkt::new(pat, s.jac.clone(), Backend::Dense).unwrap();
    let (mut x, mut y) = (vec![0.0; nv], vec![0.0; 6]);
    let (r, b) = (rng.vec(nv), rng.vec(6));
    let (mut f, mut so) = (u128::MAX, u128::MAX);
    for _ in 0..3000 {
        let t = std::time::Instant::now();
        for _ in 0..100 {
            k.factor(std::hint::black_box(&v), &s.g, &s.g).unwrap();
        }
        f = f.min(t.elapsed().as_nanos());
        let t = std::time::Instant::now();
        for _ in 0..100 {
            k.solve(std::hint::black_box(&r), &b, &mut x, &mut y)
                .unwrap();
        }
        so = so.min(t.elapsed().as_nanos());
    }
    println!("15x15 factor {} solve {}", f / 100, so / 100);
}
