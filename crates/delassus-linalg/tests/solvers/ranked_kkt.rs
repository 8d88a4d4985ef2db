//! The solver on the rows themselves: regular, redundant and almost dependent rows.

use delassus_linalg::{Backend, Csr, KktOptions, MassKkt, MassShape, RankedKkt, RankedRows};

fn rows(m: usize, n: usize, rank: usize) -> RankedRows {
    RankedRows {
        rank,
        row_scale: vec![1.0; m],
        col_scale: vec![1.0; n],
        yielding: Vec::new(),
        grip: 1.0,
    }
}

struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 24) - 0.5
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

fn solve_ranked(mass: &[f64], g: &[f64], k: RankedRows, f: &[f64], b: &[f64]) -> [Vec<f64>; 2] {
    let (m, n) = (b.len(), f.len());
    let mut kkt = RankedKkt::new(MassShape::new(vec![1; n]), Csr::dense(m, n), k).unwrap();
    kkt.set_mass(mass).unwrap();
    kkt.factor(g).unwrap();
    let (mut a, mut l) = (vec![0.0; n], vec![0.0; m]);
    kkt.solve(f, b, &mut a, &mut l).unwrap();
    [a, l]
}

#[test]
fn agrees_with_the_schur_complement_on_regular_and_redundant_rows() {
    let mut random = Random(3);
    for (m, n, repeated) in [(3, 5, 0), (5, 5, 0), (1, 1, 0), (4, 9, 2), (0, 3, 0)] {
        let mut g = random.vector(m * n);
        let mut b = random.vector(m);
        for k in 0..repeated {
            g.extend_from_within(k * n..(k + 1) * n);
            b.push(b[k]);
        }
        let all = m + repeated;
        let mass: Vec<f64> = random.vector(n).iter().map(|x| 0.1 + x * x).collect();
        let f = random.vector(n);
        let [a, l] = solve_ranked(&mass, &g, rows(all, n, m), &f, &b);
        let opts =
            KktOptions { backend: Backend::Dense, mass_floor: Vec::new(), redundant: repeated > 0 };
        let mut kkt = MassKkt::new(MassShape::new(vec![1; n]), Csr::dense(all, n), opts).unwrap();
        kkt.set_mass(&mass).unwrap();
        kkt.factor(&g).unwrap();
        let (mut a2, mut l2) = (vec![0.0; n], vec![0.0; all]);
        kkt.solve(&f, &b, &mut a2, &mut l2).unwrap();
        for (x, y) in a.iter().zip(&a2).chain(l.iter().zip(&l2)) {
            assert!((x - y).abs() < 1e-10, "{m} {n}: {x} {y}");
        }
    }
}

/// A direction held by 1e-8: the Schur complement shows it as 1e-16 and lets go.
#[test]
fn a_direction_that_is_hardly_held_is_held() {
    let g = [1.0, 0.0, 0.0, 1.0, 1e-8, 0.0];
    let mut k = rows(2, 3, 2);
    k.grip = 1e-8;
    let [a, l] = solve_ranked(&[1.0, 2.0, 3.0], &g, k, &[5.0, 7.0, 6.0], &[0.0, 0.0]);
    assert!(a[0].abs() < 1e-15 && a[1].abs() < 1e-7 && (a[2] - 2.0).abs() < 1e-15, "{a:?}");
    assert!((l[1] * 1e-8 + 7.0).abs() < 1e-6, "{l:?}");
}

/// Rows that contradict each other below the tolerance: the one that gives way takes it all.
#[test]
fn a_contradiction_is_left_where_it_is_told_to_be() {
    let g = [1.0, 0.0, 1.0, 1e-10, 0.0, 1.0];
    let mut k = rows(3, 2, 2);
    k.yielding = vec![1];
    let [a, _] = solve_ranked(&[1.0, 1.0], &g, k, &[0.0, 0.0], &[2.0, 2.0 + 1e-9, 3.0]);
    assert!((a[0] - 2.0).abs() < 2e-15 && (a[1] - 3.0).abs() < 1e-14, "{a:?}");
    let [a, _] = solve_ranked(&[1.0, 1.0], &g, rows(3, 2, 2), &[0.0, 0.0], &[2.0, 2.0 + 1e-9, 3.0]);
    assert!((a[0] - 2.0 - 5e-10).abs() < 2e-10, "{a:?}");
    // a rank that was decided is not exceeded, however independent a row may look here
    let [a, _] = solve_ranked(&[1.0, 1.0], &g[..4], rows(2, 2, 1), &[0.0, 4.0], &[0.0, 0.0]);
    assert!((a[1] - 4.0).abs() < 1e-8, "{a:?}");
}

/// Lengths in millimetres or kilometres make no difference.
#[test]
fn units_do_not_matter() {
    let mut random = Random(11);
    let (g, f, b) = (random.vector(12), random.vector(4), random.vector(3));
    let mass = [1.0, 2.0, 0.5, 3.0];
    let [want, _] = solve_ranked(&mass, &g, rows(3, 4, 3), &f, &b);
    for unit in [1e-6, 1e6] {
        // the first two coordinates and the first row are lengths
        let col = [unit, unit, 1.0, 1.0];
        let row = [unit, 1.0, 1.0];
        let scaled = |i: usize| g[i] * row[i / 4] / col[i % 4];
        let g: Vec<f64> = (0..12).map(scaled).collect();
        let m: Vec<f64> = mass.iter().zip(&col).map(|(m, c)| m / (c * c)).collect();
        let f: Vec<f64> = f.iter().zip(&col).map(|(f, c)| f / c).collect();
        let b: Vec<f64> = b.iter().zip(&row).map(|(b, r)| b * r).collect();
        let mut k = rows(3, 4, 3);
        (k.row_scale, k.col_scale) = (row.to_vec(), col.to_vec());
        let [a, _] = solve_ranked(&m, &g, k, &f, &b);
        for i in 0..4 {
            assert!((a[i] / col[i] - want[i]).abs() < 1e-12, "{unit}: {a:?} {want:?}");
        }
    }
}
