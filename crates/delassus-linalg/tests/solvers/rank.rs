//! Rank diagnosis.
use crate::common;

use common::{Rng, chain, max_abs, max_diff, random_system};
use delassus_linalg::rank::{min_norm_solve, non_unique_rows, row_rank, row_rank_of_blocks};
use delassus_linalg::rank_tol;
use delassus_linalg::{Csr, KktError};
use faer::Mat;

#[test]
fn dependencies_are_named_with_coefficients() {
    let base = chain(4, true);
    let combo: Vec<f64> =
        base.dense_row(1).iter().zip(base.dense_row(5)).map(|(x, y)| 2.0 * x - 0.5 * y).collect();
    let s = base.with_rows(&[base.dense_row(2), combo, vec![0.0; base.nv()], base.dense_row(2)]);
    let report = row_rank(&s.jac, &s.g, None, rank_tol::ROWS).unwrap();
    let m = base.m();
    assert_eq!((report.rank, report.rows), (m, m + 4));
    let rows: Vec<usize> = report.dependent.iter().map(|d| d.row).collect();
    assert_eq!(rows, [m, m + 1, m + 2, m + 3]);
    let close = |found: &[(usize, f64)], wanted: &[(usize, f64)]| {
        found.len() == wanted.len()
            && found.iter().zip(wanted).all(|(f, w)| f.0 == w.0 && (f.1 - w.1).abs() < 1e-12)
    };
    assert!(close(&report.dependent[0].others, &[(2, 1.0)]), "{report:?}");
    assert!(close(&report.dependent[1].others, &[(1, 2.0), (5, -0.5)]), "{report:?}");
    assert!(report.dependent[2].others.is_empty());
    assert!(close(&report.dependent[3].others, &[(2, 1.0)]), "{report:?}");
    assert!(report.smallest_kept > 1e-2 && report.largest_dropped < 1e-14);
    let non_unique = non_unique_rows(&report);
    let named: Vec<usize> = (0..m + 4).filter(|&i| non_unique[i]).collect();
    assert_eq!(named, [1, 2, 5, m, m + 1, m + 2, m + 3]);
}

#[test]
fn a_dropped_row_does_not_hide_the_independence_of_later_ones() {
    // Row 1 repeats row 0; row 2 overlaps with both but is independent.
    let jac = Csr::dense(3, 3);
    let g = [1.0, 1.0, 0.0, 2.0, 2.0, 0.0, 1.0, 1.0, 1e-3];
    let report = row_rank(&jac, &g, None, 1e-9).unwrap();
    assert_eq!(report.rank, 2);
    assert_eq!(report.dependent[0].row, 1);
    let scaled = row_rank(&jac, &g, Some(&[1.0, 1.0, 1000.0]), 1e-9).unwrap();
    assert!(scaled.smallest_kept > 0.5);
}

#[test]
fn pseudo_inverse_multipliers() {
    for seed in 0..20 {
        let base = random_system(4, 5, seed);
        let s = base.with_rows(&[base.dense_row(0), base.dense_row(1), base.dense_row(0)]);
        let rhs = Rng::new(seed + 3).vec(s.nv());
        let lambda = min_norm_solve(&s.jac, &s.g, &rhs).unwrap();
        let svd = s.dense_jac().transpose().to_owned().svd().unwrap();
        let sigma = svd.S().column_vector();
        let ut = svd.U().transpose() * Mat::from_fn(s.nv(), 1, |i, _| rhs[i]);
        let k = sigma.nrows();
        let y = Mat::from_fn(k, 1, |i, _| {
            if sigma[i] > 1e-9 * sigma[0] { ut[(i, 0)] / sigma[i] } else { 0.0 }
        });
        let l = svd.V().subcols(0, k) * y;
        let wanted: Vec<f64> = (0..s.m()).map(|i| l[(i, 0)]).collect();
        assert!(max_diff(&lambda, &wanted) < 1e-9 * max_abs(&wanted), "seed {seed}");
    }
}

#[test]
fn six_thousand_rows_are_quick() {
    let base = chain(2000, true);
    let copies: Vec<(usize, usize)> = (0..base.m()).step_by(2).map(|i| (i, i)).collect();
    let mut pairs = Vec::new();
    let mut g = Vec::new();
    for i in (0..base.m()).chain(copies.iter().map(|c| c.0)) {
        let row =
            if pairs.is_empty() { 0 } else { pairs.last().map_or(0, |p: &(usize, usize)| p.0 + 1) };
        for (k, &j) in base.jac.row(i).iter().enumerate() {
            pairs.push((row, j));
            g.push(base.g[base.jac.row_ptr[i] + k]);
        }
    }
    let rows = base.m() + copies.len();
    let jac = Csr::from_pairs(rows, base.nv(), pairs).unwrap();
    let start = std::time::Instant::now();
    let report = row_rank(&jac, &g, None, rank_tol::ROWS).unwrap();
    let elapsed = start.elapsed();
    println!("{rows} rows: {elapsed:?}");
    assert_eq!(report.rank, base.m());
    for (d, copy) in report.dependent.iter().zip(&copies) {
        assert!(d.row >= base.m(), "{d:?}");
        assert_eq!(d.others.len(), 1);
        assert_eq!(d.others[0].0, copy.0);
        assert!((d.others[0].1 - 1.0).abs() < 1e-9, "{d:?}");
    }
    assert!(elapsed.as_secs_f64() < 5.0, "{elapsed:?}");
}

#[test]
fn empty_and_non_finite() {
    let report = row_rank(&Csr::dense(0, 3), &[], None, 1e-9).unwrap();
    assert_eq!((report.rank, report.rows), (0, 0));
    assert!(min_norm_solve(&Csr::dense(0, 0), &[], &[]).unwrap().is_empty());
    let bad = row_rank(&Csr::dense(2, 1), &[1.0, f64::NAN], None, 1e-9);
    assert_eq!(bad, Err(KktError::NonFinite { row: 1 }));
}

/// A row with a small part in a dependency is far from the others when it comes last, and the
/// dependency is one all the same.
#[test]
fn the_rank_does_not_depend_on_the_order_of_the_rows() {
    // rows e1, (1, δ), and e2 scaled so that (1, δ) = e1 + 1e-4 (1e-4, 1) up to 1e-12
    let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1e-4, 1e-10], [1.0, -1e-4, 0.0]];
    for order in [[0, 1, 2, 3], [2, 3, 0, 1], [3, 2, 1, 0], [0, 2, 1, 3], [2, 0, 3, 1]] {
        let g: Vec<f64> = order.iter().flat_map(|i| rows[*i]).collect();
        let report = row_rank(&Csr::dense(4, 3), &g, None, rank_tol::ROWS).unwrap();
        assert_eq!(report.rank, 2, "{order:?}: {report:?}");
        assert!(report.largest_dropped < 2e-10, "{order:?}: {report:?}");
    }
}

#[test]
fn another_row_of_a_dependency_can_be_left_out() {
    // row 3 = row 0 + 2 row 1, row 4 = row 3 − row 2 = row 0 + 2 row 1 − row 2
    let g = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.0, 1.0, 2.0, -1.0];
    let mut report = row_rank(&Csr::dense(5, 3), &g, None, rank_tol::ROWS).unwrap();
    assert_eq!(report.dependent.iter().map(|d| d.row).collect::<Vec<_>>(), [3, 4]);
    report.leave_out(0, 1);
    assert_eq!(report.dependent[0].row, 1);
    for d in &report.dependent {
        assert!(d.others.iter().all(|(i, _)| *i != 1));
        for c in 0..3 {
            let sum: f64 = d.others.iter().map(|(i, x)| x * g[3 * i + c]).sum();
            assert!((sum - g[3 * d.row + c]).abs() < 1e-14, "{d:?}");
        }
    }
}

/// Rows that are set aside by what they do to one body change nothing in what is found.
#[test]
fn trees_are_set_aside_without_changing_what_is_found() {
    for closed in [false, true] {
        let base = chain(400, closed);
        let copies = [3, 200, 601].map(|i| base.dense_row(i));
        let s = base.with_rows(&copies);
        let whole = row_rank(&s.jac, &s.g, None, rank_tol::ROWS).unwrap();
        let sizes = s.blocks.sizes();
        let parts = row_rank_of_blocks(&s.jac, &s.g, None, sizes, rank_tol::ROWS).unwrap();
        assert_eq!((parts.rank, parts.rows), (whole.rank, whole.rows));
        assert_eq!(parts.dependent.len(), 3);
        for (p, w) in parts.dependent.iter().zip(&whole.dependent) {
            assert_eq!(p.row, w.row);
            assert!((p.others[0].1 - w.others[0].1).abs() < 1e-9, "{p:?} {w:?}");
            assert_eq!(p.others[0].0, w.others[0].0);
        }
        assert!(parts.smallest_kept > 1e-4 && parts.largest_dropped < 1e-13);
    }
}
