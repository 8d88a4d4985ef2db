//! The dense solvers against the definitions, the enumeration and each other.
use crate::common;

use common::{Owned, PLANAR, Rng, SPATIAL, close, gram, random, violation};
use delassus_cone::{
    DenseProblem, Law, Settings, Solver, Status, Workspace, enumerate_lcp, natural_residual, solve,
};
use proptest::prelude::*;

const SOLVERS: [Solver; 4] =
    [Solver::SemismoothNewton, Solver::GaussSeidel, Solver::Admm, Solver::InteriorPoint];

fn case(seed: u64, kinds: &[Law], most: usize) -> Owned {
    let mut rng = Rng::new(seed);
    let blocks = 1 + rng.below(most);
    let deficit = rng.below(4);
    random(&mut rng, kinds, blocks, deficit)
}

fn answered_honestly(seed: u64, n: usize, which: usize) -> Result<(), TestCaseError> {
    let mut rng = Rng::new(seed);
    let mut laws = Vec::new();
    let mut rows = 0;
    while rows < n {
        let law = if n - rows >= 3 { SPATIAL[rng.below(4)] } else { PLANAR[rng.below(3)] };
        rows += law.rows();
        laws.push(law);
    }
    let power = [0, -12, 12][rng.below(3)];
    let w = rng.vec(rows * rows).iter().map(|x| x * 10f64.powi(power)).collect();
    let p = Owned { w, b: rng.vec(rows), laws };
    let solver = [
        Solver::Auto,
        Solver::Lemke,
        Solver::Enumeration,
        Solver::GaussSeidel,
        Solver::SemismoothNewton,
        Solver::Admm,
        Solver::InteriorPoint,
    ][which];
    let (r, report) = p.solve(solver, 1e-9, 300);
    prop_assert!(r.iter().all(|x| x.is_finite()));
    let residual = natural_residual(&p.view(), &r, &mut Workspace::new());
    if report.status == Status::Solved {
        prop_assert!(report.residual <= 1e-9 && residual <= 1e-9);
    } else {
        prop_assert!(report.residual > 1e-9);
    }
    Ok(())
}

/// Sweeps that run away beyond the largest number.
#[test]
fn an_answer_that_overflows_is_not_given() {
    answered_honestly(17302608937575497584, 4, 3).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn auto_solves_planar_problems(seed in any::<u64>()) {
        let p = case(seed, &PLANAR, 10);
        let (r, report) = p.auto();
        prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
        prop_assert!(violation(&p.laws, &r, &p.rate(&r)) < 1e-7, "{:?}", report);
    }

    #[test]
    fn auto_solves_spatial_problems(seed in any::<u64>()) {
        let p = case(seed, &SPATIAL, 10);
        let (r, report) = p.auto();
        prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
        prop_assert!(violation(&p.laws, &r, &p.rate(&r)) < 1e-7, "{:?}", report);
    }

    /// Without friction u is unique; all solvers must agree on it.
    #[test]
    fn rates_agree_between_solvers(seed in any::<u64>()) {
        let kinds = [Law::Equality, Law::Unilateral, Law::Interval { lo: -0.2, hi: 0.5 }];
        let p = case(seed, &kinds, 10);
        let (r, report) = p.solve(Solver::Lemke, 1e-10, 1000);
        prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
        let u = p.rate(&r);
        for solver in SOLVERS {
            let (r, report) = p.solve(solver, 1e-11, 100_000);
            if report.status == Status::Solved {
                prop_assert!(close(&p.rate(&r), &u, 1e-5), "{:?} {:?} {:?}", solver, u, p.rate(&r));
            }
        }
    }

    /// Lemke finds one of the solutions of the enumeration.
    #[test]
    fn lemke_agrees_with_the_enumeration(seed in any::<u64>(), n in 1usize..8) {
        let mut rng = Rng::new(seed);
        let inner = 1 + rng.below(n + 2);
        let w = gram(&mut rng, n, inner);
        let b = rng.vec(n);
        let all = enumerate_lcp(&w, &b).unwrap();
        let p = Owned { w, b, laws: vec![Law::Unilateral; n] };
        let (r, report) = p.solve(Solver::Lemke, 1e-9, 1000);
        if all.is_empty() {
            prop_assert_eq!(report.status, Status::NoSolution);
        } else {
            prop_assert_eq!(report.status, Status::Solved, "{:?} {:?}", report, all);
            let u = p.rate(&r);
            prop_assert!(all.iter().any(|z| close(&p.rate(z), &u, 1e-6)));
        }
    }

    /// Anything at all: no panic, no hang, and "solved" is true.
    #[test]
    fn any_matrix_is_answered_honestly(seed in any::<u64>(), n in 0usize..7, which in 0usize..7) {
        answered_honestly(seed, n, which)?;
    }

    /// Other units of rows, other sizes: the same residual and the same answer.
    #[test]
    fn the_residual_has_no_units(seed in any::<u64>(), power in -12i32..=12) {
        let p = case(seed, &SPATIAL, 6);
        let mut rng = Rng::new(seed ^ 77);
        let n = p.n();
        // Powers of two per block, so that scaling is exact.
        let mut unit = vec![1.0; n];
        let mut row = 0;
        for law in &p.laws {
            let f = 2f64.powi(rng.below(40) as i32 - 20);
            unit[row..row + law.rows()].fill(f);
            row += law.rows();
        }
        let size = 10f64.powi(power);
        let mut q = p.clone();
        for i in 0..n {
            q.b[i] *= unit[i] * size;
            for j in 0..n {
                q.w[i * n + j] *= unit[i] * unit[j] * size;
            }
        }
        let r: Vec<f64> = rng.vec(n);
        let s: Vec<f64> = r.iter().zip(&unit).map(|(r, f)| r / f).collect();
        let mut ws = Workspace::new();
        let a = natural_residual(&p.view(), &r, &mut ws);
        let b = natural_residual(&q.view(), &s, &mut ws);
        prop_assert!((a - b).abs() <= 1e-12 * a, "{} {}", a, b);
        let report = q.auto().1;
        prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
    }

    /// Without friction the tangential rows are idle.
    #[test]
    fn zero_friction_is_unilateral(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let p = random(&mut rng, &[Law::Coulomb { mu: 0.0, tangential: 2 }], 3, 1);
        let n = p.n();
        let normals = [0, 3, 6];
        let w = normals.iter().flat_map(|&i| normals.map(|j| p.w[i * n + j])).collect();
        let q = Owned { w, b: normals.map(|i| p.b[i]).to_vec(), laws: vec![Law::Unilateral; 3] };
        let (r, first) = q.solve(Solver::Lemke, 1e-10, 100);
        prop_assert_eq!(first.status, Status::Solved);
        let u = q.rate(&r);
        for solver in [Solver::Auto, Solver::Lemke, Solver::InteriorPoint] {
            let (r, report) = p.solve(solver, 1e-10, 1000);
            prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
            let v = p.rate(&r);
            prop_assert!(close(&normals.map(|i| v[i]), &u, 1e-6));
            prop_assert!(close(&r[1..3], &[0.0, 0.0], 1e-12));
        }
    }
}

/// How many of the same 200 problems each solver does; figures of the book.
#[test]
fn every_solver_does_nearly_all_random_problems() {
    for (name, kinds) in [("planar", &PLANAR), ("spatial", &SPATIAL)] {
        for (solver, least) in [
            (Solver::Auto, 200),
            (Solver::SemismoothNewton, 195),
            (Solver::GaussSeidel, 190),
            (Solver::Admm, 195),
            (Solver::InteriorPoint, 198),
            (Solver::Lemke, if name == "planar" { 200 } else { 0 }),
        ] {
            let (mut solved, mut worst, mut iterations) = (0, 0.0f64, 0);
            for seed in 0..200 {
                let (_, report) = case(seed, kinds, 10).solve(solver, 1e-9, 2000);
                solved += usize::from(report.status == Status::Solved);
                worst = worst.max(report.residual);
                iterations += report.iterations;
            }
            println!(
                "{name} {solver:?}: {solved} of 200, worst {worst:.1e}, mean iterations {:.1}",
                iterations as f64 / 200.0
            );
            assert!(solved >= least, "{name} {solver:?} {solved}");
        }
    }
}

/// A box on four corners: three equations for four normal forces.
fn box_on_corners(law: Law, push: f64) -> Owned {
    // Unit mass, half extents 1 and 1, inertia about the horizontal axes 1/3, about the vertical 2/3.
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let k = law.rows();
    let mut h = Vec::new();
    for (x, y) in corners {
        // Velocity of the corner: v + ω × (x, y, −1); rows z, x, y in (v, ω).
        h.push([0.0, 0.0, 1.0, y, -x, 0.0]);
        if k == 3 {
            h.push([1.0, 0.0, 0.0, 0.0, -1.0, -y]);
            h.push([0.0, 1.0, 0.0, 1.0, 0.0, x]);
        }
    }
    let inverse = [1.0, 1.0, 1.0, 3.0, 3.0, 1.5];
    let free = [push, 0.0, -1.0, 0.0, 0.0, 0.0];
    let n = h.len();
    let dot = |a: &[f64; 6], b: &[f64; 6]| (0..6).map(|d| a[d] * b[d]).sum::<f64>();
    let weighted: Vec<[f64; 6]> =
        h.iter().map(|row| std::array::from_fn(|d| row[d] * inverse[d])).collect();
    let w = (0..n * n).map(|e| dot(&h[e / n], &weighted[e % n])).collect();
    let b = h.iter().map(|row| dot(row, &free)).collect();
    Owned { w, b, laws: vec![law; 4] }
}

#[test]
fn a_box_rests_on_four_corners() {
    for solver in [Solver::Auto, Solver::Lemke].into_iter().chain(SOLVERS) {
        let p = box_on_corners(Law::Unilateral, 0.0);
        let (r, report) = p.solve(solver, 1e-10, 5000);
        assert_eq!(report.status, Status::Solved, "{solver:?} {report:?}");
        assert!(close(&p.rate(&r), &[0.0; 4], 1e-8), "{solver:?}");
        assert!((r.iter().sum::<f64>() - 1.0).abs() < 1e-8);
    }
    let law = Law::Coulomb { mu: 0.3, tangential: 2 };
    for solver in [Solver::Auto].into_iter().chain(SOLVERS) {
        // Sticks below μ = 0.3, slides with 1 − 0.3 above.
        for (push, slip) in [(0.2, 0.0), (1.0, 0.7)] {
            let p = box_on_corners(law, push);
            let (r, report) = p.solve(solver, 1e-10, 20_000);
            assert_eq!(report.status, Status::Solved, "{solver:?} {report:?}");
            let u = p.rate(&r);
            assert!(violation(&p.laws, &r, &u) < 1e-8, "{solver:?}");
            for c in 0..4 {
                assert!((u[3 * c + 1] - slip).abs() < 1e-7, "{solver:?} {u:?}");
            }
        }
    }
}

#[test]
fn degenerate_data() {
    let stick = Law::Coulomb { mu: 0.5, tangential: 2 };
    let solvers = [Solver::Auto, Solver::GaussSeidel, Solver::InteriorPoint, Solver::Admm];
    for solver in solvers {
        // Nothing drives: no reaction, whatever the start.
        let p = Owned { w: gram(&mut Rng::new(1), 6, 4), b: vec![0.0; 6], laws: vec![stick; 2] };
        let mut r = vec![0.3; 6];
        let s = Settings { solver, ..Settings::default() };
        let report = solve(&p.view(), &mut r, &s, &mut Workspace::new());
        assert_eq!(report.status, Status::Solved, "{solver:?} {report:?}");
        assert!(violation(&p.laws, &r, &p.rate(&r)) < 1e-8);
        // A row that nothing moves: fine while it opens, impossible while it closes.
        let laws = vec![Law::Unilateral, Law::Unilateral];
        let mut p = Owned { w: vec![1.0, 0.0, 0.0, 0.0], b: vec![-1.0, 1.0], laws };
        let (r, report) = p.solve(solver, 1e-10, 1000);
        assert_eq!((report.status, r[1]), (Status::Solved, 0.0), "{solver:?}");
        assert!((r[0] - 1.0).abs() < 1e-9);
        p.b[1] = -1.0;
        let (r, report) = p.solve(solver, 1e-10, 1000);
        assert_eq!(report.status, Status::NoSolution, "{solver:?}");
        assert!((r[0] - 1.0).abs() < 1e-9 && report.residual == 1.0);
    }
    // No rows at all.
    let p = Owned { w: vec![], b: vec![], laws: vec![] };
    assert_eq!(p.auto().1.status, Status::Solved);
}

#[test]
fn redundant_equalities() {
    // The same row three times, and a contact.
    let w: Vec<f64> = (0..16).map(|e| if e == 15 { 2.0 } else { 1.0 }).collect();
    let laws = vec![Law::Equality, Law::Equality, Law::Equality, Law::Unilateral];
    let mut p = Owned { w, b: vec![-1.0, -1.0, -1.0, -3.0], laws };
    for solver in [Solver::Auto, Solver::Lemke].into_iter().chain(SOLVERS) {
        let (r, report) = p.solve(solver, 1e-10, 20_000);
        assert_eq!(report.status, Status::Solved, "{solver:?} {report:?}");
        assert!(close(&p.rate(&r), &[0.0; 4], 1e-8), "{solver:?}");
        assert!((r[3] - 2.0).abs() < 1e-7);
    }
    p.b[1] = 1.0;
    for solver in [Solver::Auto, Solver::Lemke] {
        assert_eq!(p.solve(solver, 1e-10, 1000).1.status, Status::NoSolution, "{solver:?}");
    }
}

/// One contact whose normal reaction drives it further in (as slip friction on a steep rod does).
#[test]
fn painleve() {
    let one = |w: f64, b: f64| Owned { w: vec![w], b: vec![b], laws: vec![Law::Unilateral] };
    assert_eq!(enumerate_lcp(&[-1.0], &[-1.0]).unwrap().len(), 0);
    let (_, report) = one(-1.0, -1.0).auto();
    assert_eq!((report.status, report.solver), (Status::NoSolution, Solver::Enumeration));
    // Two solutions: r = 0 and r = 1.
    assert_eq!(enumerate_lcp(&[-1.0], &[1.0]).unwrap(), [vec![0.0], vec![1.0]]);
    let (r, report) = one(-1.0, 1.0).auto();
    assert_eq!(report.status, Status::Solved);
    assert!(r[0] == 0.0 || r[0] == 1.0);
    // From a start at the other solution it stays there.
    let p = one(-1.0, 1.0);
    let mut r = [1.0];
    let report = solve(&p.view(), &mut r, &Settings::default(), &mut Workspace::new());
    assert_eq!((report.status, report.iterations, r[0]), (Status::Solved, 0, 1.0));
    // Coulomb's law itself: W_NN − μ W_NT < 0 for slip to one side.
    let w = vec![1.0, 2.0, 2.0, 5.0];
    let p = Owned { w, b: vec![-1.0, 3.0], laws: vec![Law::Coulomb { mu: 2.0, tangential: 1 }] };
    let (r, report) = p.auto();
    assert_eq!(report.status, Status::Solved);
    assert!(violation(&p.laws, &r, &p.rate(&r)) < 1e-9);
}

#[test]
fn a_warm_start_is_kept() {
    for seed in 0..50 {
        let p = case(seed, &SPATIAL, 8);
        let (mut r, report) = p.auto();
        assert_eq!(report.status, Status::Solved);
        let kept = r.clone();
        let again = solve(&p.view(), &mut r, &Settings::default(), &mut Workspace::new());
        assert_eq!((again.status, again.iterations), (Status::Solved, 0));
        assert_eq!(r, kept);
        // A slightly different problem is one Newton step or two away.
        let mut q = p.clone();
        q.b.iter_mut().for_each(|b| *b *= 1.0 + 1e-7);
        let again = solve(&q.view(), &mut r, &Settings::default(), &mut Workspace::new());
        assert!(again.status == Status::Solved && again.iterations <= 3, "{seed} {again:?}");
    }
}

#[test]
fn bad_input_is_told() {
    let mut ws = Workspace::new();
    let s = Settings::default();
    let mut ask = |w: &[f64], b: &[f64], laws: &[Law], r: &mut [f64]| {
        let p = DenseProblem { w, b, laws };
        assert!(r.len() == b.len() || natural_residual(&p, r, &mut ws).is_nan());
        solve(&p, r, &s, &mut ws).status
    };
    let one = [Law::Unilateral];
    assert_eq!(ask(&[1.0, 2.0], &[1.0], &one, &mut [0.0]), Status::BadInput);
    assert_eq!(ask(&[1.0], &[1.0], &one, &mut [0.0, 0.0]), Status::BadInput);
    assert_eq!(ask(&[1.0], &[1.0], &[], &mut [0.0]), Status::BadInput);
    assert_eq!(ask(&[f64::NAN], &[1.0], &one, &mut [0.0]), Status::NotFinite);
    assert_eq!(ask(&[1.0], &[f64::INFINITY], &one, &mut [0.0]), Status::NotFinite);
    let interval = |lo, hi| [Law::Interval { lo, hi }];
    assert_eq!(ask(&[1.0], &[1.0], &interval(1.0, -1.0), &mut [0.0]), Status::BadInput);
    assert_eq!(ask(&[1.0], &[1.0], &interval(f64::NAN, 1.0), &mut [0.0]), Status::NotFinite);
    let friction = |mu, tangential| [Law::Coulomb { mu, tangential }];
    assert_eq!(ask(&[1.0], &[1.0], &friction(0.1, 0), &mut [0.0]), Status::BadInput);
    assert_eq!(ask(&[1.0; 4], &[1.0; 2], &friction(-0.1, 1), &mut [0.0; 2]), Status::BadInput);
    assert_eq!(ask(&[1.0; 4], &[1.0; 2], &friction(f64::NAN, 1), &mut [0.0; 2]), Status::NotFinite);
    assert_eq!(
        ask(&[1.0; 4], &[1.0; 2], &friction(0.1, usize::MAX), &mut [0.0; 2]),
        Status::BadInput
    );
    // A start that is not finite is no start.
    let mut r = [f64::NAN];
    assert_eq!(ask(&[2.0], &[-1.0], &one, &mut r), Status::Solved);
    assert!(close(&r, &[0.5], 1e-12));
    // Lemke says what it cannot do.
    let p = Owned { w: vec![1.0; 9], b: vec![-1.0; 3], laws: friction(0.1, 2).to_vec() };
    assert_eq!(p.solve(Solver::Lemke, 1e-9, 100).1.status, Status::Unsupported);
}

/// A wheel that dry friction has stopped: what is left of its rate falls by 16 digits per step, until no reaction can
/// be distinguished from zero.
#[test]
fn rates_down_to_the_smallest_number() {
    for k in 0..=324 {
        let b: f64 = format!("5e-{k}").parse().unwrap();
        for (law, rows) in [
            (Law::Interval { lo: -5e-4, hi: 5e-4 }, 1),
            (Law::Unilateral, 1),
            (Law::Coulomb { mu: 0.3, tangential: 1 }, 2),
        ] {
            let mut w = vec![0.0; rows * rows];
            (0..rows).for_each(|i| w[i * (rows + 1)] = 100.0);
            let p = Owned { w, b: vec![-b; rows], laws: vec![law] };
            let (r, report) = p.solve(Solver::Auto, 1e-10, 1000);
            assert_eq!(report.status, Status::Solved, "{law:?} {b:e} {r:?} {report:?}");
        }
    }
}

/// Interval laws: dry friction with a known bound on a unit mass.
#[test]
fn bounds() {
    let p = |lo: f64, hi: f64, b: f64| Owned {
        w: vec![2.0],
        b: vec![b],
        laws: vec![Law::Interval { lo, hi }],
    };
    let inf = f64::INFINITY;
    for solver in [Solver::Auto, Solver::Lemke].into_iter().chain(SOLVERS) {
        for (lo, hi, b, wanted) in [
            (-1.0, 1.0, 1.0, -0.5),
            (-1.0, 1.0, 5.0, -1.0),
            (-1.0, 1.0, -5.0, 1.0),
            (-inf, 1.0, 5.0, -2.5),
            (-inf, 1.0, -5.0, 1.0),
            (2.0, inf, 1.0, 2.0),
            (-inf, inf, 3.0, -1.5),
            (0.7, 0.7, 3.0, 0.7),
            (0.7, 0.9, 0.0, 0.7),
        ] {
            let (r, report) = p(lo, hi, b).solve(solver, 1e-10, 1000);
            assert_eq!(report.status, Status::Solved, "{solver:?} {lo} {hi} {b} {report:?}");
            assert!((r[0] - wanted).abs() < 1e-8, "{solver:?} {lo} {hi} {b} {r:?}");
        }
    }
}

/// Slip against the sum of motion: with isotropic W the reaction points exactly backwards.
#[test]
fn slip_direction_in_the_plane() {
    for k in 0..32 {
        let angle = 0.2 + k as f64;
        let (c, s) = (angle.cos(), angle.sin());
        let w = vec![1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
        let law = Law::Coulomb { mu: 0.5, tangential: 2 };
        let p = Owned { w, b: vec![-1.0, 3.0 * c, 3.0 * s], laws: vec![law] };
        for solver in [Solver::Auto].into_iter().chain(SOLVERS) {
            let (r, report) = p.solve(solver, 1e-11, 5000);
            assert_eq!(report.status, Status::Solved, "{solver:?}");
            assert!(close(&r, &[1.0, -0.5 * c, -0.5 * s], 1e-8), "{solver:?} {r:?}");
        }
    }
}

/// Coefficient matrices on which the plain ratio test cycles; many ties.
#[test]
fn lemke_does_not_cycle() {
    // Kostreva's example for Lemke's method, and an all-ties problem.
    let m = vec![1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0];
    let q = vec![-1.0, -1.0, -1.0];
    let p = Owned { w: m, b: q, laws: vec![Law::Unilateral; 3] };
    let (r, report) = p.solve(Solver::Lemke, 1e-10, 50);
    assert_eq!(report.status, Status::Solved, "{report:?}");
    assert!(close(&r, &[1.0 / 3.0; 3], 1e-9));
    let n = 20;
    let p = Owned { w: vec![1.0; n * n], b: vec![-1.0; n], laws: vec![Law::Unilateral; n] };
    let (r, report) = p.solve(Solver::Lemke, 1e-10, 100);
    assert_eq!(report.status, Status::Solved, "{report:?}");
    assert!((r.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}
