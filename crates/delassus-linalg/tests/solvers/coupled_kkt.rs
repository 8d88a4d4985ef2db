//! Coupled masses against a dense solution of the whole system.

use delassus_linalg::{CondensedKkt, Csr, KktError, KktOptions, MassKkt, MassShape};

/// Numbers between −1 and 1 that do not repeat.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

struct Case {
    shape: MassShape,
    mass: Vec<f64>,
    jac: Csr,
    values: Vec<f64>,
}

/// A chain of blocks, each coupled with the next, as a sum of elements; `rows` between near blocks.
fn chain(sizes: &[usize], rows: &[(usize, usize)], noise: &mut Noise) -> Case {
    let pairs = (1..sizes.len()).map(|k| (k - 1, k));
    let shape = MassShape::coupled(sizes.to_vec(), pairs).unwrap();
    let n = shape.dim();
    let mut dense = vec![0.0; n * n];
    for k in 1..sizes.len() {
        let span = shape.dof(k - 1)..shape.dof(k) + sizes[k];
        let b: Vec<f64> = (0..span.len() * span.len()).map(|_| noise.next()).collect();
        for (r, i) in span.clone().enumerate() {
            for (s, j) in span.clone().enumerate() {
                let dot: f64 =
                    (0..span.len()).map(|l| b[r * span.len() + l] * b[s * span.len() + l]).sum();
                dense[i * n + j] += dot + if i == j { 0.3 } else { 0.0 };
            }
        }
    }
    let mass = shape.entries().map(|(i, j)| dense[i * n + j]).collect();
    let span = |k: usize| shape.dof(k)..shape.dof(k) + sizes[k];
    let pairs = rows.iter().enumerate();
    let pairs = pairs.flat_map(|(i, (a, b))| span(*a).chain(span(*b)).map(move |j| (i, j)));
    let jac = Csr::from_pairs(rows.len(), n, pairs).unwrap();
    let values = (0..jac.nnz()).map(|_| noise.next()).collect();
    Case { shape, mass, jac, values }
}

/// Largest |M a − Gᵀλ − f| and |G a − b|.
fn residual(c: &Case, mass: &[f64], f: &[f64], b: &[f64], a: &[f64], l: &[f64]) -> f64 {
    let mut r: Vec<f64> = f.iter().map(|f| -f).collect();
    c.shape.mul_add(mass, a, &mut r);
    c.jac.mul_t_add(&c.values, -1.0, l, &mut r);
    let mut s: Vec<f64> = b.iter().map(|b| -b).collect();
    c.jac.mul_add(&c.values, 1.0, a, &mut s);
    r.iter().chain(&s).fold(0.0, |m: f64, x| if *x >= -m && *x <= m { m } else { x.abs() })
}

fn solve(
    c: &Case,
    opts: KktOptions,
    f: &[f64],
    b: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), KktError> {
    let mut kkt = CondensedKkt::new(c.shape.clone(), c.jac.clone(), opts)?;
    kkt.set_mass(&c.mass)?;
    kkt.factor(&c.values)?;
    let (mut a, mut l) = (vec![0.0; f.len()], vec![0.0; b.len()]);
    kkt.solve(f, b, &mut a, &mut l)?;
    Ok((a, l))
}

#[test]
fn solutions_fulfil_the_equations() {
    let mut noise = Noise(7);
    for rows in [
        vec![],
        vec![(0, 1)],
        vec![(0, 0), (2, 3), (3, 5), (5, 0)],
        (0..5).map(|k| (k, k + 1)).collect(),
        vec![(2, 2), (2, 2), (2, 4), (4, 4), (0, 5)],
    ] {
        let c = chain(&[2, 1, 3, 2, 6, 3], &rows, &mut noise);
        let f: Vec<f64> = (0..c.shape.dim()).map(|_| noise.next()).collect();
        let b: Vec<f64> = rows.iter().map(|_| noise.next()).collect();
        let (a, l) = solve(&c, KktOptions::default(), &f, &b).unwrap();
        let off = residual(&c, &c.mass, &f, &b, &a, &l);
        assert!(off < 1e-10, "{} rows: {off:e}", rows.len());
    }
}

/// A row twice: the acceleration of one, and half of its force in each.
#[test]
fn dependent_rows_share_evenly() {
    let mut noise = Noise(3);
    let mut c = chain(&[2, 1, 3, 2], &[(0, 1), (2, 3), (0, 1)], &mut noise);
    let (first, last) = (c.jac.row_ptr[0]..c.jac.row_ptr[1], c.jac.row_ptr[2]..c.jac.row_ptr[3]);
    let row = c.values[first].to_vec();
    c.values[last].copy_from_slice(&row);
    let f: Vec<f64> = (0..c.shape.dim()).map(|_| noise.next()).collect();
    let b = [0.4, -0.2, 0.4];
    for redundant in [false, true] {
        let opts = KktOptions { redundant, ..KktOptions::default() };
        let (a, l) = solve(&c, opts, &f, &b).unwrap();
        assert!(residual(&c, &c.mass, &f, &b, &a, &l) < 1e-11);
        assert!((l[0] - l[2]).abs() < 1e-11 * (1.0 + l[0].abs()), "{l:?}");
    }
}

/// A node whose coordinate has next to no mass of its own is solved with that little.
#[test]
fn floors_do_not_show() {
    let mut noise = Noise(11);
    let c = chain(&[1, 1, 1, 1], &[(3, 3)], &mut noise);
    let f = [0.3, -0.5, 0.7, 0.2];
    let plain = solve(&c, KktOptions::default(), &f, &[0.1]).unwrap();
    let opts = KktOptions { mass_floor: vec![0.0, 1e-4, 0.0, 0.0], ..KktOptions::default() };
    let floored = solve(&c, opts, &f, &[0.1]).unwrap();
    for (x, y) in plain.0.iter().zip(&floored.0) {
        assert!((x - y).abs() < 1e-12, "{x} {y}");
    }
}

#[test]
fn faults_are_named() {
    let mut noise = Noise(5);
    let mut c = chain(&[1, 2, 1], &[(0, 1)], &mut noise);
    let zero = vec![0.0; 4];
    let f = |c: &Case| solve(c, KktOptions::default(), &zero, &[0.0]).unwrap_err();
    let right = c.mass.clone();
    let at = c.shape.couplings()[0].value;
    c.mass[at] += 1e-3;
    assert!(matches!(f(&c), KktError::MassNotSymmetric { row: 0, col: 1 }), "{}", f(&c));
    c.mass.copy_from_slice(&right);
    c.mass[c.shape.value(2)] = -1.0;
    assert!(matches!(f(&c), KktError::MassNotPositive { block: 2, dof: 3, .. }), "{}", f(&c));
    c.mass[c.shape.value(2)] = f64::NAN;
    assert!(matches!(f(&c), KktError::NonFiniteDof { dof: 3 }), "{}", f(&c));
    c.mass.copy_from_slice(&right);
    c.values[1] = f64::INFINITY;
    assert!(matches!(f(&c), KktError::NonFinite { row: 0 }), "{}", f(&c));
}

/// Massless blocks next to coupled ones are eliminated as before.
#[test]
fn massless_blocks_beside_coupled_ones() {
    // two coupled masses, then a massless point between the second and a third
    let shape = MassShape::coupled(vec![1, 1, 1, 1], [(0, 1)]).unwrap();
    let mass = vec![2.0, 0.5, 2.0, 0.5, 0.0, 3.0];
    let jac = Csr::from_pairs(2, 4, [(0, 1), (0, 2), (1, 2), (1, 3)]).unwrap();
    let c = Case { shape, mass, jac, values: vec![1.0, -1.0, 1.0, -1.0] };
    let opts = KktOptions { mass_floor: vec![0.0, 0.0, 1e-5, 0.0], ..KktOptions::default() };
    let (f, b) = ([1.0, 0.0, 0.25, -2.0], [0.1, -0.3]);
    let (a, l) = solve(&c, opts, &f, &b).unwrap();
    assert!(residual(&c, &c.mass, &f, &b, &a, &l) < 1e-13);
}

/// Bodies that all hang on one, some of them with bodies on them or joined to each other, heavy and
/// light: eliminated as a whole, and by the Schur complement, which is full here.
#[test]
fn a_crowded_body_is_solved_as_well_as_by_the_schur_complement() {
    let mut noise = Noise(17);
    let n = 600;
    let shape = MassShape::new(vec![3; n + 1]);
    let weight: Vec<f64> = (0..=n).map(|k| [1.0, 1e4, 1e-3, 20.0, 0.1][k % 5]).collect();
    let mass = shape.with_diagonal(&(0..shape.dim()).map(|i| weight[i / 3]).collect::<Vec<f64>>());
    // every seventh body hangs on the one before it, every eleventh is joined to it as well
    let on = |k: usize| if k.is_multiple_of(7) { k - 1 } else { 0 };
    let joints = (1..=n).map(|k| (k, on(k), 2));
    let loops = (2..=n).filter(|k| k.is_multiple_of(11)).map(|k| (k, k - 1, 1));
    let mut pairs = Vec::new();
    let mut rows = 0;
    for (a, b, count) in joints.chain(loops) {
        for _ in 0..count {
            pairs.extend([a, b].iter().flat_map(|k| 3 * k..3 * k + 3).map(|j| (rows, j)));
            rows += 1;
        }
    }
    let jac = Csr::from_pairs(rows, shape.dim(), pairs).unwrap();
    let values: Vec<f64> = (0..jac.nnz()).map(|_| noise.next()).collect();
    let c = Case { shape, mass, jac, values };
    let f: Vec<f64> = (0..c.shape.dim()).map(|_| noise.next()).collect();
    let b: Vec<f64> = (0..rows).map(|_| noise.next()).collect();
    let (a, l) = solve(&c, KktOptions::default(), &f, &b).unwrap();
    let mut schur = MassKkt::new(c.shape.clone(), c.jac.clone(), KktOptions::default()).unwrap();
    schur.set_mass(&c.mass).unwrap();
    schur.factor(&c.values).unwrap();
    let (mut a2, mut l2) = (vec![0.0; f.len()], vec![0.0; b.len()]);
    schur.solve(&f, &b, &mut a2, &mut l2).unwrap();
    let size = l.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let [whole, parts] = [(&a, &l), (&a2, &l2)].map(|(a, l)| residual(&c, &c.mass, &f, &b, a, l));
    assert!(whole < 1e-11 * size, "{whole:e} of {size:e}, Schur complement {parts:e}");
    for (x, y) in a.iter().zip(&a2) {
        assert!((x - y).abs() < 1e-8 * size, "{x} {y}");
    }
}
