//! Elimination order by whole bodies and joints.
//!
//! Coordinates of a body, and rows between the same bodies, are eliminated together. On so small a graph the cheapest of
//! all that may be next can be looked for at every step, which follows chains and trees from their ends to their root,
//! as a recursive formulation would. Orders of single unknowns ([`crate::ordering`]) lose this structure.

use crate::branch::rows_to_wait_for;
use crate::mass_shape::MassShape;
use crate::pattern::Csr;
use crate::saddle::Saddle;
use std::collections::{BTreeMap, BTreeSet};

/// Bodies and joints up to which it is worth it: every step looks at all of them.
const MOST: usize = 4000;

/// `order[new] = old`; `None` for more bodies and joints than are looked at. Rows come after the coordinates for which
/// they have to wait.
pub(crate) fn by_blocks(saddle: &Saddle, shape: &MassShape, jac: &Csr) -> Option<Vec<u32>> {
    let nv = saddle.nv;
    let waits = rows_to_wait_for(shape, jac);
    // nodes: blocks of coordinates, then rows with the same coordinates and the same waits
    let mut node = vec![0usize; saddle.n];
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut dof = 0;
    for size in shape.sizes() {
        members.push((dof..dof + size).map(|i| i as u32).collect());
        node[dof..dof + size].fill(members.len() - 1);
        dof += size;
    }
    if dof != nv {
        return None;
    }
    let mut joints: BTreeMap<(Vec<usize>, &[usize]), usize> = BTreeMap::new();
    let mut wait_for: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); members.len()];
    for (i, waits) in waits.iter().enumerate() {
        let mut bodies: Vec<usize> = jac.row(i).iter().map(|j| node[*j]).collect();
        bodies.dedup();
        let at = *joints.entry((bodies, waits)).or_insert_with(|| {
            members.push(Vec::new());
            wait_for.push(waits.iter().map(|j| node[*j]).collect());
            members.len() - 1
        });
        members[at].push((nv + i) as u32);
        node[nv + i] = at;
    }
    let n = members.len();
    if n > MOST {
        return None;
    }
    let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for &(i, j) in &saddle.entries {
        let (a, b) = (node[i as usize], node[j as usize]);
        if a != b {
            near[a].insert(b);
            near[b].insert(a);
        }
    }
    let mut left: BTreeSet<usize> = (0..n).collect();
    let mut order = Vec::with_capacity(saddle.n);
    while !left.is_empty() {
        let cost = |k: &usize| {
            let own = members[*k].len();
            let beside: usize = near[*k].iter().map(|m| members[*m].len()).sum();
            own * (own + beside) * (own + beside)
        };
        let ready = left.iter().filter(|k| wait_for[**k].is_disjoint(&left));
        let next = *ready.min_by_key(|k| cost(k))?;
        left.remove(&next);
        let around = std::mem::take(&mut near[next]);
        for a in &around {
            near[*a].remove(&next);
            near[*a].extend(around.iter().filter(|b| *b != a));
        }
        order.extend(&members[next]);
    }
    Some(order)
}
