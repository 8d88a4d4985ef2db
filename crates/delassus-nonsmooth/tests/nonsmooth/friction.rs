//! Friction of closed points as a force: shares of points that bear a load together, and the tangent
//! of sliding in space.

use crate::linear;

use delassus_dae::*;
use delassus_nonsmooth::release::{Assume, Closed, Selector};
use delassus_nonsmooth::{Burden, Mode, SlipState};
use linear::{Linear, contact, id};
use std::sync::Arc;

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// A mass of 1 kg that is pressed onto the floor with 10 N, on a number of points with μ = 0.5.
fn sledge(points: usize) -> Linear {
    let mut p = Linear::masses(&[1.0; 3]);
    for _ in 0..points {
        p = p.point(contact(0.0, 0.5, 2), &[&Z, &X, &Y], 0.0);
    }
    p.f = vec![1.0, 0.0, -10.0];
    p
}

fn mode_at(p: Linear, v: [f64; 3]) -> Mode<Linear> {
    let base = Arc::new(p);
    let mut selector = Selector::new(&*base).unwrap();
    let s = State { t: 0.0, q: vec![0.0; 3], v: v.to_vec(), z: vec![] };
    let closed: Vec<Closed> = (0..base.points.len())
        .map(|k| Closed { id: id(k), features: [0, 0], assume: Assume::Judge, slow: 1e-9 })
        .collect();
    let next = selector.select(&*base, &mut base.workspace(), &s, &closed, 1e-9).unwrap();
    assert_eq!(next.active.len(), base.points.len());
    selector.mode(&base, &next.active, 1.0).unwrap()
}

fn lawful(mode: &Mode<Linear>, q: [f64; 3], v: [f64; 3]) -> bool {
    let mut ws = mode.workspace();
    mode.realize_position(0.0, &q, &[], &mut ws);
    mode.realize_velocity(&v, &[], &mut ws);
    mode.standing(&mut ws, &mut Burden::new(&**mode.base())).lawful
}

/// Points that share a load know for themselves, without a solver, that they stick while the load
/// changes: they all reach their limits together, |10 x − 1| = 5.
#[test]
fn shared_loads_have_room_and_limits() {
    for points in [2, 3, 7] {
        let mut p = sledge(points);
        // pulls with 10 N/m against the push of 1 N
        p.k[0][0] = 10.0;
        let mode = mode_at(p, [0.0; 3]);
        assert!(mode.is_redundant());
        assert!(mode.active().iter().all(|a| a.motion == SlipState::Stick));
        for (x, sticks) in
            [(0.0, true), (0.599, true), (0.601, false), (-0.399, true), (-0.401, false)]
        {
            assert_eq!(lawful(&mode, [x, 0.0, 0.0], [0.0; 3]), sticks, "{points} points at {x}");
        }
    }
    assert!(!mode_at(sledge(1), [0.0; 3]).is_redundant());
}

/// However many points slide, they rub as one.
#[test]
fn shared_friction_adds_up() {
    for points in [1, 2, 5] {
        let mode = mode_at(sledge(points), [0.3, 0.4, 0.0]);
        assert!(mode.turns());
        let mut ws = mode.workspace();
        mode.realize_position(0.0, &[0.0; 3], &[], &mut ws);
        mode.realize_velocity(&[-0.8, 0.6, 0.0], &[], &mut ws);
        assert!(points == 1 || mode.standing(&mut ws, &mut Burden::new(&**mode.base())).lawful);
        let mut f = [0.0; 3];
        mode.force(&ws, &mut f);
        // the direction of the start counts for 1e-9
        for (f, want) in f.iter().zip([1.0 + 4.0, -3.0, -10.0]) {
            assert!((f - want).abs() < 1e-7, "{points}: {f} {want}");
        }
        assert!((ws.lost - 5.0).abs() < 1e-7);
    }
}

#[test]
fn the_tangent_of_sliding_is_that_of_differences() {
    for points in [1, 3] {
        let mode = mode_at(sledge(points), [0.3, 0.4, 0.0]);
        let mut ws = mode.workspace();
        let v = [0.03, 0.04, 0.0];
        let at = |v: [f64; 3], ws: &mut _| {
            let mut f = [0.0; 3];
            mode.realize_position(0.0, &[0.0; 3], &[], ws);
            mode.realize_velocity(&v, &[], ws);
            mode.force(ws, &mut f);
            f
        };
        at(v, &mut ws);
        let mut c = vec![0.0; mode.structure().tangent.nnz()];
        mode.tangent(&ws, &[0.0; 3], &vec![0.0; mode.dims().n_vel], 0.0, 1.0, &mut c);
        let e = 1e-6;
        for j in 0..2 {
            let (mut a, mut b) = (v, v);
            (a[j], b[j]) = (v[j] - e, v[j] + e);
            let (fa, fb) = (at(a, &mut ws), at(b, &mut ws));
            for i in 0..2 {
                let want = -(fb[i] - fa[i]) / (2.0 * e);
                assert!((c[i * 3 + j] - want).abs() < 1e-6 * 100.0, "{i} {j}: {c:?} {want}");
            }
        }
    }
}
