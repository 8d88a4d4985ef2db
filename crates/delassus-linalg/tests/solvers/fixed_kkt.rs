//! `FixedKkt` against dense references: trees, stars and loops of bodies, with and without rows that depend on each other.
use crate::common;

use common::{Rng, dense, max_abs, max_diff, reference};
use delassus_linalg::{Csr, FixedKkt, MassShape};

/// Bodies on parents of lower number, each held by some rows, and more rows and couplings between others.
struct Mechanism {
    shape: MassShape,
    s: Csr,
    s_values: Vec<f64>,
    jac: Csr,
    g: Vec<f64>,
}

fn mechanism(
    bodies: usize,
    parent: impl Fn(usize, &mut Rng) -> Option<usize>,
    loops: usize,
    seed: u64,
) -> Mechanism {
    let mut rng = Rng::new(seed);
    for _ in 0..9 {
        rng.next_u64();
    }
    let sizes: Vec<usize> = (0..bodies).map(|_| [1, 2, 3, 6, 6, 6][rng.below(6)]).collect();
    let shape = MassShape::new(sizes.clone());
    let nv = shape.dim();
    let mut joints: Vec<(usize, Option<usize>, usize)> = Vec::new();
    for (k, &size) in sizes.iter().enumerate() {
        joints.push((k, parent(k, &mut rng), rng.below(size)));
    }
    for _ in 0..loops {
        joints.push((rng.below(bodies), Some(rng.below(bodies)), 1));
    }
    let (mut rows, mut entries, mut coupled) = (0, Vec::new(), Vec::new());
    let dofs = |k: usize| shape.dof(k)..shape.dof(k) + sizes[k];
    for (a, b, n) in joints {
        let b = b.filter(|b| *b != a);
        for i in 0..n {
            for j in [Some(a), b].into_iter().flatten().flat_map(dofs) {
                entries.push((rows + i, j));
            }
        }
        rows += n;
        let both = || [Some(a), b].into_iter().flatten().flat_map(dofs);
        coupled.extend(both().flat_map(|i| both().map(move |j| (i, j))));
    }
    coupled
        .extend((0..bodies).flat_map(|k| dofs(k).flat_map(move |i| dofs(k).map(move |j| (i, j)))));
    let s = Csr::from_pairs(nv, nv, coupled).unwrap();
    let jac = Csr::from_pairs(rows, nv, entries).unwrap();
    let mut s_values = vec![0.0; s.nnz()];
    for i in 0..nv {
        for (at, &j) in (s.row_ptr[i]..).zip(s.row(i)) {
            s_values[at] = 0.1 * rng.unit() + if i == j { 1.0 + 0.5 * rng.unit() } else { 0.0 };
        }
    }
    let g = rng.vec(jac.nnz());
    Mechanism { shape, s, s_values, jac, g }
}

fn all_kinds() -> Vec<(&'static str, Mechanism)> {
    let mut out = Vec::new();
    for seed in 0..12 {
        let n = 2 + 3 * seed as usize;
        out.push(("chain", mechanism(n, |k, _| k.checked_sub(1), 0, seed)));
        out.push(("star", mechanism(n, |k, _| (k > 0).then_some(0), 0, seed + 100)));
        out.push(("comb", mechanism(n, |k, _| k.checked_sub(1 + k % 2), 0, seed + 200)));
        let tree = |k: usize, rng: &mut Rng| (k > 0).then(|| rng.below(k));
        out.push(("tree", mechanism(n, tree, 0, seed + 300)));
        out.push(("loops", mechanism(n, tree, n / 3, seed + 400)));
        out.push(("apart", mechanism(n, |_, _| None, 0, seed + 500)));
    }
    out
}

#[test]
fn matches_the_dense_reference_on_trees_and_loops() {
    let mut close = 0;
    for (k, (kind, m)) in all_kinds().into_iter().enumerate() {
        let mut kkt = FixedKkt::new(m.s.clone(), m.jac.clone(), &m.shape, false).unwrap();
        let mut rng = Rng::new(k as u64);
        let (nv, rows) = (m.s.nrows, m.jac.nrows);
        let (r, b) = (rng.vec(nv), rng.vec(rows));
        let (mut x, mut y) = (vec![0.0; nv], vec![0.0; rows]);
        // twice, and other values in between: nothing of earlier factors is left
        let weakest = kkt.factor(&m.s_values, &m.g);
        let doubled: Vec<f64> = m.s_values.iter().map(|v| 2.0 * v).collect();
        kkt.factor(&doubled, &m.g);
        assert_eq!(kkt.factor(&m.s_values, &m.g), weakest);
        kkt.solve(&r, &b, &mut x, &mut y);
        let g = dense(&m.jac, &m.g);
        let (xr, yr) = reference(&dense(&m.s, &m.s_values), &g, &g, &r, &b);
        if weakest > 1e-4 {
            close += 1;
            assert!(max_diff(&x, &xr) <= 1e-8 * max_abs(&xr), "{kind} {k} {weakest:e}");
            assert!(max_diff(&y, &yr) <= 1e-8 * max_abs(&yr), "{kind} {k} {weakest:e}");
        }
        let entries = kkt.multiplications();
        assert_eq!(entries.len(), nv + rows);
        assert!(kkt.entries() >= nv + rows);
    }
    assert!(close > 60, "{close} of 72");
}

#[test]
fn rows_that_repeat_others_leave_the_solution_bounded() {
    for (kind, m) in all_kinds() {
        if m.jac.nrows == 0 {
            continue;
        }
        let (nv, rows) = (m.s.nrows, m.jac.nrows);
        let twice = |i: usize| (0..2).map(move |k| 2 * i + k);
        let pairs = (0..rows).flat_map(|i| {
            twice(i).flat_map({
                let jac = &m.jac;
                move |row| jac.row(i).iter().map(move |j| (row, *j))
            })
        });
        let jac = Csr::from_pairs(2 * rows, nv, pairs).unwrap();
        let both = |i: usize| [i, i].map(|i| &m.g[m.jac.row_ptr[i]..m.jac.row_ptr[i + 1]]).concat();
        let g: Vec<f64> = (0..rows).flat_map(both).collect();
        let mut kkt = FixedKkt::new(m.s.clone(), jac.clone(), &m.shape, false).unwrap();
        assert!(kkt.factor(&m.s_values, &g) < 1e-6, "{kind}");
        let known = Rng::new(7).vec(nv);
        let mut b = vec![0.0; 2 * rows];
        jac.mul_add(&g, 1.0, &known, &mut b);
        let (mut x, mut y) = (vec![0.0; nv], vec![0.0; 2 * rows]);
        kkt.solve(&vec![0.0; nv], &b, &mut x, &mut y);
        jac.mul_add(&g, -1.0, &x, &mut b);
        assert!(
            max_abs(&b) < 1e-5 && max_abs(&y) < 1e5,
            "{kind} {:e} {:e}",
            max_abs(&b),
            max_abs(&y)
        );
    }
}
