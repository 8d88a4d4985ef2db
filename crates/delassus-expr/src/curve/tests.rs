use super::*;

const X: [f64; 5] = [0.0, 1.0, 3.0, 4.0, 6.0];
const Y: [f64; 5] = [0.0, 2.0, 2.5, -1.0, 0.0];
const JOINS: [Join; 3] = [Join::Straight, Join::Monotone, Join::Spline];
const OUTSIDE: [Outside; 3] = [Outside::Clamp, Outside::Extend, Outside::Periodic];

fn curve(join: Join, outside: Outside) -> Curve {
    Curve::new(X.to_vec(), &Y, join, outside).unwrap()
}

/// SciPy's `CubicSpline` (natural, periodic) and `PchipInterpolator`.
#[test]
fn other_programs_give_the_same() {
    let at = [0.3, 2.0, 3.5, 5.9];
    for (join, outside, expected) in [
        (
            Join::Spline,
            Outside::Clamp,
            [
                [0.6121088709677419, 2.0323790322580644, -0.07983870967741957],
                [3.4294354838709675, 0.5987903225806452, -2.358870967741936],
                [0.7318548387096774, -3.883064516129032, 0.14516129032258096],
                [-0.20766935483870919, 2.0687903225806457, 0.2370967741935477],
            ],
        ),
        (
            Join::Spline,
            Outside::Periodic,
            [
                [0.61425, 2.0346428571428574, -0.10714285714285765],
                [3.4285714285714284, 0.6000000000000001, -2.3571428571428568],
                [0.7312500000000001, -3.883928571428571, 0.14999999999999947],
                [-0.2055285714285704, 2.0494285714285727, 0.19714285714285662],
            ],
        ),
        (
            Join::Monotone,
            Outside::Clamp,
            [
                [0.7811013513513513, 2.5402927927927927, -0.9806306306306309],
                [2.3716216216216215, 0.2533783783783784, -0.24324324324324326],
                [0.75, -5.25, 0.0],
                [-0.14262499999999956, 1.3537500000000005, 1.4250000000000003],
            ],
        ),
    ] {
        let c = curve(join, outside);
        for (x, expected) in at.into_iter().zip(expected) {
            for (a, b) in c.at(x).into_iter().zip(expected) {
                assert!((a - b).abs() < 1e-13, "{join:?} {outside:?} {x}: {a} {b}");
            }
        }
    }
}

#[test]
fn passes_through_its_points_and_goes_on_as_asked() {
    for join in JOINS {
        for outside in OUTSIDE {
            let c = curve(join, outside);
            for (x, y) in X.into_iter().zip(Y) {
                assert!((c.at(x)[0] - y).abs() < 1e-14, "{join:?} {outside:?} {x}");
            }
            let (inside, end) = (c.at(6.0 - 1e-9)[1], c.at(7.5));
            match outside {
                Outside::Clamp => assert_eq!((end, c.at(-3.0)), ([0.0; 3], [0.0; 3])),
                Outside::Extend => {
                    assert!((end[1] - inside).abs() < 1e-7 && end[2] == 0.0, "{join:?}");
                    assert!((end[0] - 1.5 * end[1]).abs() < 1e-13);
                }
                Outside::Periodic => {
                    for (a, b) in end.into_iter().chain(c.at(-4.5)).zip([c.at(1.5); 2].concat()) {
                        assert!((a - b).abs() < 1e-13, "{join:?}");
                    }
                }
            }
        }
    }
    let straight = curve(Join::Straight, Outside::Clamp);
    assert_eq!([straight.at(0.5), straight.at(1.0)], [[1.0, 2.0, 0.0], [2.0, 0.25, 0.0]]);
}

#[test]
fn splines_are_smooth_and_monotone_ones_do_not_overshoot() {
    for outside in [Outside::Extend, Outside::Periodic] {
        let c = curve(Join::Spline, outside);
        for x in X {
            let (a, b) = (c.at(x - 1e-9), c.at(x + 1e-9));
            assert!((a[1] - b[1]).abs() < 1e-7 && (a[2] - b[2]).abs() < 1e-7, "{outside:?} {x}");
        }
    }
    let c = curve(Join::Monotone, Outside::Periodic);
    for (k, w) in X.windows(2).enumerate() {
        let (lo, hi) = (Y[k].min(Y[k + 1]), Y[k].max(Y[k + 1]));
        for i in 0..=100 {
            let y = c.at(w[0] + (w[1] - w[0]) * f64::from(i) / 100.0)[0];
            assert!(y >= lo - 1e-14 && y <= hi + 1e-14, "{k} {y}");
        }
    }
}

/// Splines converge with the fourth power away from their ends, and everywhere where the curvature at the ends is zero.
#[test]
fn orders_of_convergence() {
    let error = |join: Join, n: usize| {
        let x: Vec<f64> = (0..=n).map(|k| std::f64::consts::PI * k as f64 / n as f64).collect();
        let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
        let c = Curve::new(x, &y, join, Outside::Clamp).unwrap();
        (0..1000)
            .map(|k| 1e-3 + 3.13 * f64::from(k) / 1000.0)
            .fold(0.0, |m: f64, x| m.max((c.at(x)[0] - x.sin()).abs()))
    };
    for (join, order) in [(Join::Straight, 2.0), (Join::Spline, 4.0)] {
        let seen = (error(join, 20) / error(join, 40)).log2();
        assert!((seen - order).abs() < 0.1, "{join:?}: {seen}");
    }
}

#[test]
fn ranges_hold_all_values_and_end_at_kinks() {
    for join in JOINS {
        for outside in OUTSIDE {
            let c = curve(join, outside);
            for (lo, hi) in [
                (0.2, 0.9),
                (1.0, 3.0),
                (-2.0, -1.0),
                (-1.0, 0.5),
                (3.5, 3.5),
                (0.5, 5.5),
                (5.0, 8.0),
                (6.5, 6.9),
                (-30.0, 40.0),
            ] {
                let jet = c.over(Jet::<4>::time(lo, hi));
                for i in 0..=200 {
                    let x = lo + (hi - lo) * f64::from(i) / 200.0;
                    let [y, slope, curvature] = c.at(x);
                    let near = |r: Range, y: f64| r.lo <= y + 1e-12 && y <= r.hi + 1e-12;
                    assert!(near(jet.c[0], y), "{join:?} {outside:?} {lo}..{hi}: {y} {jet:?}");
                    // slopes at the last point are those of the next piece
                    if jet.decided && i < 200 {
                        assert!(near(jet.c[1], slope) && near(jet.c[2], 0.5 * curvature));
                    }
                }
                let inside = X.iter().any(|x| lo < *x && *x < hi);
                if lo >= 0.0 && hi <= 6.0 {
                    assert_eq!(jet.decided, !inside, "{join:?} {lo}..{hi}");
                }
            }
        }
    }
    // the value alone is exact
    let jet = curve(Join::Straight, Outside::Clamp).over(Jet::<2>::time(0.5, 5.0));
    assert_eq!(jet.c[0], Range { lo: -1.0, hi: 2.5 });
}

/// A point has the value that follows; an interval that ends there meets the jump, one that begins there does not.
#[test]
fn held_values_jump_at_their_points() {
    let c = curve(Join::Hold, Outside::Clamp);
    for (x, y) in
        [(-1.0, 0.0), (0.99, 0.0), (1.0, 2.0), (2.9, 2.0), (4.0, -1.0), (6.0, 0.0), (9.0, 0.0)]
    {
        assert_eq!(c.at(x), [y, 0.0, 0.0], "{x}");
    }
    let over = |lo, hi| c.over(Jet::<3>::time(lo, hi));
    assert!(!over(0.5, 1.0).decided && over(1.0, 2.9).decided && over(0.5, 0.999).decided);
    assert_eq!(over(0.5, 1.0).c[0], Range { lo: 0.0, hi: 2.0 });
    assert_eq!(over(1.0, 2.9).c[0], Range { lo: 2.0, hi: 2.0 });
    assert_eq!(over(0.5, 5.0).c[0], Range { lo: -1.0, hi: 2.5 });
    let again = curve(Join::Hold, Outside::Periodic);
    assert_eq!([again.at(7.5)[0], again.at(-3.0)[0]], [2.0, 2.5]);
    assert!(!again.over(Jet::<3>::time(5.5, 7.5)).decided);
}

#[test]
fn refuses() {
    let new = |x: &[f64], y: &[f64], outside| {
        Curve::new(x.to_vec(), y, Join::Spline, outside).unwrap_err().to_string()
    };
    assert_eq!(new(&[0.0], &[0.0], Outside::Clamp), "a table needs two points at least; it has 1");
    assert_eq!(new(&[0.0, 1.0], &[0.0], Outside::Clamp), "2 arguments, but 1 values");
    assert_eq!(
        new(&[0.0, 1.0, 1.0], &[0.0; 3], Outside::Clamp),
        "point 3: the argument 1 does not follow 1"
    );
    assert!(new(&[0.0, f64::NAN], &[0.0; 2], Outside::Clamp).starts_with("point 2:"));
    assert!(new(&[0.0, 1e-320], &[0.0, 1.0], Outside::Clamp).starts_with("point 2:"));
    assert_eq!(
        new(&[0.0, 1.0], &[0.0, 2.0], Outside::Periodic),
        "it is periodic, but begins with 0 and ends with 2"
    );
    assert_eq!(
        Curve::new(vec![0.0, 1.0], &[3.0, 3.0], Join::Spline, Outside::Periodic).unwrap().at(9.3),
        [3.0, 0.0, 0.0]
    );
}
