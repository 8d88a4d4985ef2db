//! The factored form against the dense one, and heaps.
use crate::common;
use crate::heap;

use common::{Owned, violation};
use delassus_cone::{
    InverseMass, Law, Rows, Settings, Solver, SparseProblem, SparseWorkspace, Status, Workspace,
    natural_residual, natural_residual_sparse, solve_sparse,
};
use heap::Heap;

fn dense(h: &Heap) -> Owned {
    let (n, dim) = (h.b.len(), 6 * h.sizes.len());
    let mut full = vec![0.0; n * dim];
    for i in 0..n {
        for e in h.start[i]..h.start[i + 1] {
            full[i * dim + h.columns[e]] = h.values[e];
        }
    }
    let inverse = |d: usize| h.minv[(d / 6) * 36 + (d % 6) * 7];
    let w = (0..n * n)
        .map(|e| {
            let (i, j) = (e / n, e % n);
            (0..dim).map(|d| full[i * dim + d] * inverse(d) * full[j * dim + d]).sum()
        })
        .collect();
    Owned { w, b: h.b.clone(), laws: h.laws.clone() }
}

fn settings(solver: Solver, max_iterations: usize) -> Settings {
    Settings { tolerance: 1e-8, max_iterations, solver }
}

#[test]
fn heaps_are_solved_and_judged_as_in_the_dense_form() {
    for mu in [0.0, 0.3, 0.5] {
        let h = Heap::new(2, mu, 1);
        let full = dense(&h);
        for solver in [Solver::Auto, Solver::InteriorPoint] {
            let mut r = vec![0.0; h.b.len()];
            let mut ws = SparseWorkspace::new();
            let report = solve_sparse(&h.view(), &mut r, &settings(solver, 2000), &mut ws);
            println!("mu {mu} {solver:?} {report:?}");
            assert_eq!(report.status, Status::Solved, "{mu} {report:?}");
            assert!(violation(&h.laws, &r, &full.rate(&r)) < 1e-6);
            let judged = natural_residual(&full.view(), &r, &mut Workspace::new());
            assert!(judged < 1.01e-8, "{judged}");
            assert_eq!(natural_residual_sparse(&h.view(), &r, &mut ws), report.residual);
            // Again from the answer, and the same bits from the same start.
            let again = solve_sparse(&h.view(), &mut r, &settings(solver, 2000), &mut ws);
            assert_eq!((again.status, again.iterations), (Status::Solved, 0));
            let mut twin = vec![0.0; h.b.len()];
            solve_sparse(&h.view(), &mut twin, &settings(solver, 2000), &mut ws);
            assert_eq!(r, twin);
        }
    }
}

#[test]
fn ways_to_give_the_mass_agree() {
    let h = Heap::new(1, 0.4, 3);
    let diagonal: Vec<f64> =
        (0..6 * h.sizes.len()).map(|d| h.minv[(d / 6) * 36 + (d % 6) * 7]).collect();
    let apply = |x: &[f64], y: &mut [f64]| {
        y.iter_mut().zip(x).zip(&diagonal).for_each(|((y, x), d)| *y = d * x);
    };
    let views = [
        h.view(),
        SparseProblem { minv: InverseMass::Diagonal(&diagonal), ..h.view() },
        SparseProblem {
            minv: InverseMass::Apply { dim: diagonal.len(), apply: &apply },
            ..h.view()
        },
    ];
    for view in views {
        let mut r = vec![0.0; h.b.len()];
        let s = settings(Solver::Auto, 20_000);
        let report = solve_sparse(&view, &mut r, &s, &mut SparseWorkspace::new());
        assert_eq!(report.status, Status::Solved, "{report:?}");
        let u = dense(&h).rate(&r);
        assert!(violation(&h.laws, &r, &u) < 1e-6);
    }
}

/// A wall of bricks in running bond: two contacts under each brick, all redundant with friction.
#[test]
fn a_wall_of_bricks_stands() {
    // Planar bricks of width 2 and height 1; columns x, y, angle.
    let (rows, width) = (8usize, 6usize);
    let (mut start, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut b, mut laws) = (Vec::new(), Vec::new());
    let index = |row: usize, k: usize| row * width + k;
    let centre = |row: usize, k: usize| (2.0 * k as f64 + (row % 2) as f64, row as f64 + 0.5);
    let mut point =
        |upper: usize, lower: Option<usize>, at: (f64, f64), up: (f64, f64), low: (f64, f64)| {
            for (nx, ny) in [(0.0, 1.0), (1.0, 0.0)] {
                for (body, c, sign) in [(Some(upper), up, 1.0), (lower, low, -1.0)] {
                    let Some(body) = body else { continue };
                    let arm = (at.0 - c.0, at.1 - c.1);
                    let row = [nx, ny, arm.0 * ny - arm.1 * nx];
                    for (d, v) in row.iter().enumerate() {
                        columns.push(3 * body + d);
                        values.push(sign * v);
                    }
                }
                start.push(columns.len());
            }
            // Free motion of one step: all bricks fall alike, only the floor feels it.
            b.extend([if lower.is_none() { -1.0 } else { 0.0 }, 0.0]);
            laws.push(Law::Coulomb { mu: 0.5, tangential: 1 });
        };
    for row in 0..rows {
        for k in 0..width {
            let up = centre(row, k);
            let y = row as f64;
            if row == 0 {
                for x in [up.0 - 1.0, up.0 + 1.0] {
                    point(index(0, k), None, (x, y), up, (0.0, 0.0));
                }
                continue;
            }
            for j in 0..width {
                let low = centre(row - 1, j);
                let (left, right) = (up.0.max(low.0) - 1.0, up.0.min(low.0) + 1.0);
                if right > left {
                    for x in [left, right] {
                        point(index(row, k), Some(index(row - 1, j)), (x, y), up, low);
                    }
                }
            }
        }
    }
    let inverse: Vec<f64> = (0..rows * width).flat_map(|_| [1.0, 1.0, 12.0 / 5.0]).collect();
    let p = SparseProblem {
        h: Rows { start: &start, columns: &columns, values: &values },
        minv: InverseMass::Diagonal(&inverse),
        b: &b,
        laws: &laws,
    };
    for solver in [Solver::Auto, Solver::InteriorPoint] {
        let mut r = vec![0.0; b.len()];
        let mut ws = SparseWorkspace::new();
        let report = solve_sparse(&p, &mut r, &settings(solver, 20_000), &mut ws);
        println!("wall of {} contacts, {solver:?}: {report:?}", laws.len());
        assert_eq!(report.status, Status::Solved, "{solver:?} {report:?}");
        // The floor carries the whole weight.
        let floor: f64 = r[..4 * width].chunks(2).map(|c| c[0]).sum();
        assert!((floor - (rows * width) as f64).abs() < 1e-4, "{floor}");
    }
}

#[test]
fn bad_input_is_told() {
    let mut ws = SparseWorkspace::new();
    let mut ask = |start: &[usize], columns: &[usize], values: &[f64], minv: &[f64], b: &[f64]| {
        let laws = [Law::Unilateral];
        let h = Rows { start, columns, values };
        let p = SparseProblem { h, minv: InverseMass::Diagonal(minv), b, laws: &laws };
        let mut r = [0.0];
        solve_sparse(&p, &mut r, &Settings::default(), &mut ws).status
    };
    assert_eq!(ask(&[0, 1], &[0], &[1.0], &[1.0], &[-1.0]), Status::Solved);
    assert_eq!(ask(&[0, 1], &[1], &[1.0], &[1.0], &[-1.0]), Status::BadInput);
    assert_eq!(ask(&[0, 2], &[0], &[1.0], &[1.0], &[-1.0]), Status::BadInput);
    assert_eq!(ask(&[], &[], &[], &[1.0], &[-1.0]), Status::BadInput);
    assert_eq!(ask(&[0, 1], &[0], &[f64::NAN], &[1.0], &[-1.0]), Status::NotFinite);
    assert_eq!(ask(&[0, 1], &[0], &[1.0], &[1.0], &[-1.0, 1.0]), Status::BadInput);
    // A row that touches nothing and closes.
    assert_eq!(ask(&[0, 0], &[], &[], &[1.0], &[-1.0]), Status::NoSolution);
    assert_eq!(ask(&[0, 0], &[], &[], &[1.0], &[1.0]), Status::Solved);
}

/// Thousands of contacts: finishes with a bound on the sweeps, whatever the residual.
#[test]
fn five_thousand_contacts_finish() {
    let h = Heap::new(7, 0.3, 2);
    assert!(h.laws.len() > 5000);
    let mut r = vec![0.0; h.b.len()];
    let s = settings(Solver::Accelerated, 100);
    let report = solve_sparse(&h.view(), &mut r, &s, &mut SparseWorkspace::new());
    println!("{} contacts: {report:?}", h.laws.len());
    assert_eq!(report.status, Status::IterationLimit);
    assert!(report.residual < 0.5 && r.iter().all(|x| x.is_finite()));
}

#[test]
fn sweeps_in_single_precision_are_judged_in_double_precision() {
    for (layers, mu) in [(3, 0.0), (3, 0.3), (4, 0.5)] {
        let h = Heap::new(layers, mu, 1);
        let mut ws = SparseWorkspace::new();
        let mut sweeps = 0;
        // above 1e-5 sweeps begin in single precision, and the last tolerance is close to its rounding
        for tolerance in [1e-2, 1e-3, 2e-5, 0.9e-5] {
            let s = Settings { tolerance, max_iterations: 20_000, solver: Solver::Accelerated };
            let mut r = vec![0.0; h.b.len()];
            let report = solve_sparse(&h.view(), &mut r, &s, &mut ws);
            println!("mu {mu} {tolerance:e} {report:?}");
            assert_eq!(natural_residual_sparse(&h.view(), &r, &mut ws), report.residual);
            if report.status == Status::Solved {
                assert!(report.residual <= tolerance, "{report:?}");
                // nothing is solved to the digits of single precision by chance
                assert!(report.iterations >= sweeps, "{report:?} after {sweeps}");
                sweeps = report.iterations;
            }
            assert!(report.status == Status::Solved || tolerance < 1e-3, "{mu} {report:?}");
        }
    }
}

#[test]
fn units_far_from_one_do_not_disturb_single_precision() {
    // rows and masses in other units: beyond the range of single precision if they were not scaled
    for unit in [1e-30, 1e30] {
        let mut h = Heap::new(3, 0.3, 1);
        h.b.iter_mut().for_each(|b| *b *= unit);
        h.values.iter_mut().for_each(|v| *v *= unit);
        let s = Settings { tolerance: 1e-3, max_iterations: 2000, solver: Solver::Accelerated };
        let mut r = vec![0.0; h.b.len()];
        let report = solve_sparse(&h.view(), &mut r, &s, &mut SparseWorkspace::new());
        assert_eq!(report.status, Status::Solved, "{unit:e} {report:?}");
        let mut plain = vec![0.0; h.b.len()];
        let own = Heap::new(3, 0.3, 1);
        let known = solve_sparse(&own.view(), &mut plain, &s, &mut SparseWorkspace::new());
        assert!(report.iterations.abs_diff(known.iterations) <= 5, "{report:?} {known:?}");
    }
}
