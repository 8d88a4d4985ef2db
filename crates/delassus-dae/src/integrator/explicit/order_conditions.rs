//! Order conditions of the tableaus over all rooted trees: a mistyped digit breaks one.

use super::{Tableau, dop853, dopri5, rk4, rkf45};

/// A rooted tree with its elementary weights at the stages and at the end.
struct Tree {
    order: usize,
    /// γ(t), the density.
    density: f64,
    phi: Vec<f64>,
    /// A Φ: the factor it contributes as a branch of a larger tree.
    branch: Vec<f64>,
}

/// Rows of A with the weights of the end as the last one.
fn rows(t: &Tableau) -> Vec<&'static [f64]> {
    t.a.iter().copied().chain([t.b]).collect()
}

fn times(a: &[&[f64]], x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// All trees up to an order: each is a root with a multiset of smaller trees as branches.
fn trees(a: &[&[f64]], up_to: usize) -> Vec<Tree> {
    fn grow(
        all: &[Tree],
        from: usize,
        left: usize,
        root: (Vec<f64>, f64),
        out: &mut Vec<(Vec<f64>, f64)>,
    ) {
        if left == 0 {
            out.push(root);
            return;
        }
        for (k, t) in all.iter().enumerate().skip(from) {
            if t.order <= left {
                let phi = root.0.iter().zip(&t.branch).map(|(x, y)| x * y).collect();
                grow(all, k, left - t.order, (phi, root.1 * t.density), out);
            }
        }
    }
    let mut all: Vec<Tree> = Vec::new();
    for order in 1..=up_to {
        let mut new = Vec::new();
        grow(&all, 0, order - 1, (vec![1.0; a.len()], order as f64), &mut new);
        all.extend(new.into_iter().map(|(phi, density)| Tree {
            order,
            density,
            branch: times(a, &phi),
            phi,
        }));
    }
    all
}

/// Largest |Σ wᵢ Φᵢ − exact| over the trees of an order.
fn defect(all: &[Tree], order: usize, weights: &[f64], exact: fn(&Tree) -> f64) -> f64 {
    let of = |t: &Tree| weights.iter().zip(&t.phi).map(|(w, p)| w * p).sum::<f64>() - exact(t);
    delassus_math::largest(all.iter().filter(|t| t.order == order).map(|t| of(t).abs()))
}

/// Conditions hold up to an order, and not beyond.
fn order_is(
    what: &str,
    name: usize,
    all: &[Tree],
    order: usize,
    w: &[f64],
    exact: fn(&Tree) -> f64,
) {
    for k in 1..=order {
        let d = defect(all, k, w, exact);
        assert!(d < 3e-14, "tableau {name}, {what}: order {k} is missed by {d:.1e}");
    }
    let d = defect(all, order + 1, w, exact);
    assert!(d > 1e-7, "tableau {name}, {what}: better than order {order}, {d:.1e}");
}

#[test]
fn there_are_as_many_trees_as_there_should_be() {
    let all = trees(&[&[], &[1.0]], 9);
    let count: Vec<usize> = (1..=9).map(|n| all.iter().filter(|t| t.order == n).count()).collect();
    assert_eq!(count, [1, 1, 2, 4, 9, 20, 48, 115, 286]);
}

#[test]
fn tableaus_have_the_orders_they_claim() {
    let tableaus = [dopri5::ORDERS, rkf45::ORDERS, rk4::ORDERS, dop853::ORDERS];
    for (name, (t, [order, first, second])) in tableaus.into_iter().enumerate() {
        let all = trees(&rows(t), order + 1);
        order_is("solution", name, &all, order, t.b, |t| 1.0 / t.density);
        for (what, weights, order) in [("error", t.error, first), ("second", t.second, second)] {
            assert_eq!(weights.is_empty(), order == 0);
            if order > 0 {
                order_is(what, name, &all, order, weights, |_| 0.0);
            }
        }
    }
}

#[test]
fn tableaus_are_consistent() {
    for (t, _) in [dopri5::ORDERS, rkf45::ORDERS, rk4::ORDERS, dop853::ORDERS] {
        assert_eq!(t.a.len(), t.b.len());
        assert_eq!(t.c.len(), t.b.len());
        assert!(t.error.len() <= t.b.len() + 1 && t.second.len() <= t.b.len() + 1);
        for (i, (row, c)) in t.a.iter().zip(t.c).enumerate() {
            assert!(row.len() <= i);
            assert!((row.iter().sum::<f64>() - c).abs() < 3e-14, "row {i}");
        }
        assert!(t.twin > 0 && t.c[t.twin] == 1.0);
    }
}

/// The error formula of DOP853 as printed, with sums of squares over N components.
#[test]
fn two_estimates_make_the_published_error() {
    use crate::control::{ErrorScale, ErrorView, SecondError, Tolerances};
    use crate::manifold::Manifold;
    use crate::problem::Scales;
    let (e5, e3) = ([3e-7, -4e-7, 1e-8], [2e-5, 1e-5, -3e-6]);
    let tol = Tolerances { rtol: 1e-6, atol: 0.0 };
    let scales = Scales { q: vec![1.0; 3], row: vec![], z: vec![] };
    let scale = ErrorScale::new(tol, &scales, &Manifold::vector(3));
    let sum = |e: &[f64]| e.iter().map(|x| (x / 1e-6) * (x / 1e-6)).sum::<f64>();
    let published = sum(&e5) / (3.0 * (sum(&e5) + 0.01 * sum(&e3))).sqrt();
    let second = SecondError { xi: &e3, v: &[], z: &[], weight: super::SECOND_WEIGHT };
    let got = scale.norm(&ErrorView { xi: &e5, v: &[], z: &[], second: Some(second) });
    assert!((got / published - 1.0).abs() < 1e-12, "{got} {published}");
}
