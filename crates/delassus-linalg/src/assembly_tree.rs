//! Fronts of an elimination in a fixed order: columns that are eliminated together, as one small full matrix.
//!
//! Columns of a factor that have almost the same pattern are one front, and fronts form a tree in which each passes what is
//! left of it on to its parent. A full matrix holds some zeros, but runs over contiguous entries without looking anything up,
//! which costs a fraction of what single entries do. Fronts are merged with their parents as long as an estimate of the
//! instructions says that it pays. All of this depends on the pattern alone.

use crate::vecops::CHUNK;

/// One front.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Front {
    /// First of its pivots, in the order of the tree.
    pub first: usize,
    /// Number of its pivots.
    pub pivots: usize,
    /// Later unknowns that its pivots are coupled with, in ascending order.
    pub below: Vec<u32>,
    /// The front of the first of these.
    pub parent: Option<usize>,
}

/// Fronts, children before parents, and the order in which they eliminate the unknowns.
#[derive(Debug, Clone)]
pub(crate) struct AssemblyTree {
    /// `order[new] = old`.
    pub order: Vec<u32>,
    pub fronts: Vec<Front>,
}

/// Passes in which fronts are merged; each merges whole generations, so that few are left after the first.
const PASSES: usize = 4;

impl AssemblyTree {
    /// From a factor's pattern below the diagonal, by columns in the order `order`.
    pub fn new(order: &[u32], l_ptr: &[u32], l_row: &[u32]) -> AssemblyTree {
        let n = order.len();
        let column = |j: usize| &l_row[l_ptr[j] as usize..l_ptr[j + 1] as usize];
        // each group is named by its last column, whose pattern is what is below the group
        let mut group: Vec<usize> = (0..n).collect();
        let mut members: Vec<Vec<u32>> = (0..n as u32).map(|j| vec![j]).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        for j in 0..n {
            if let Some(&parent) = column(j).first() {
                children[parent as usize].push(j);
            }
        }
        for _ in 0..PASSES {
            let mut merged = false;
            for p in 0..n {
                if group[p] != p {
                    continue;
                }
                let mut kept = Vec::with_capacity(children[p].len());
                for c in std::mem::take(&mut children[p]) {
                    let (own, of_child) = (members[p].len(), members[c].len());
                    let apart = cost(own, column(p).len()) + cost(of_child, column(c).len());
                    if cost(own + of_child, column(p).len()) > apart {
                        kept.push(c);
                        continue;
                    }
                    merged = true;
                    let moved = std::mem::take(&mut members[c]);
                    moved.iter().for_each(|j| group[*j as usize] = p);
                    members[p].extend(moved);
                    kept.append(&mut children[c]);
                }
                children[p] = kept;
            }
            if !merged {
                break;
            }
        }
        // each child is finished right before its parent begins, so that little is waiting at a time
        let mut turn = Vec::with_capacity(n);
        let mut stack: Vec<usize> =
            (0..n).rev().filter(|&p| group[p] == p && column(p).is_empty()).collect();
        while let Some(p) = stack.pop() {
            turn.push(p);
            stack.extend(&children[p]);
        }
        turn.reverse();
        let mut place = vec![0u32; n];
        let mut new_order = Vec::with_capacity(n);
        let mut number = vec![0usize; n];
        for (k, &p) in turn.iter().enumerate() {
            number[p] = k;
            members[p].sort_unstable();
            for &j in &members[p] {
                place[j as usize] = new_order.len() as u32;
                new_order.push(order[j as usize]);
            }
        }
        let mut first = 0;
        let front = |&p: &usize| {
            let mut below: Vec<u32> = column(p).iter().map(|i| place[*i as usize]).collect();
            below.sort_unstable();
            let parent = column(p).first().map(|i| number[group[*i as usize]]);
            first += members[p].len();
            Front { first: first - members[p].len(), pivots: members[p].len(), below, parent }
        };
        let fronts = turn.iter().map(front).collect();
        AssemblyTree { order: new_order, fronts }
    }

    /// Estimated instructions of a factorisation and a few solutions.
    pub fn cost(&self) -> f64 {
        self.fronts.iter().map(|f| cost(f.pivots, f.below.len())).sum()
    }
}

/// Estimated instructions of a front with so many pivots and unknowns below: updates of whole chunks by up to four pivots,
/// what each row and each front needs beside that, and passing on what is left.
fn cost(pivots: usize, below: usize) -> f64 {
    let chunks = |x: usize| x.div_ceil(CHUNK) as f64;
    let (n, m) = ((pivots + below) as f64, below as f64);
    let mut sum = 150.0 + 10.0 * m + 4.0 * m * m;
    for block in (0..pivots).step_by(CHUNK) {
        let own = CHUNK.min(pivots - block) as f64;
        let rows = n - block as f64 - own;
        let right = chunks(pivots) - chunks(block + 1) + chunks(below);
        sum += (rows + 0.5 * own) * (10.0 + 6.0 * own + (6.0 + 7.0 * own) * right);
    }
    // solutions
    sum + 3.0 * (60.0 + 8.0 * m + (n + pivots as f64) * 20.0 + 2.0 * n * pivots as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse_ldl::fill_in;

    /// Tree of the pattern with these couplings.
    fn tree(n: usize, pairs: &[(u32, u32)]) -> AssemblyTree {
        let mut columns: Vec<(u32, u32)> = (0..n as u32).map(|i| (i, i)).collect();
        columns.extend(pairs);
        columns.sort_unstable();
        let mut ptr = vec![0u32; n + 1];
        columns.iter().for_each(|c| ptr[c.0 as usize + 1] += 1);
        (0..n).for_each(|j| ptr[j + 1] += ptr[j]);
        let row: Vec<u32> = columns.iter().map(|c| c.1).collect();
        let (l_ptr, l_row) = fill_in(n, &ptr, &row).unwrap();
        AssemblyTree::new(&(0..n as u32).collect::<Vec<_>>(), &l_ptr, &l_row)
    }

    #[test]
    fn fronts_cover_all_unknowns_once_and_lead_to_their_parents() {
        // two long branches into one root, and an unknown of its own
        let arm = |from: u32, to: u32| (from..to).flat_map(|i| [(i, i + 1), (i, i + 2)]);
        let mut pairs: Vec<(u32, u32)> = arm(0, 38).chain(arm(40, 78)).collect();
        pairs.extend([(38, 39), (38, 80), (39, 80), (78, 79), (78, 80), (79, 80)]);
        let t = tree(82, &pairs);
        let mut all = t.order.clone();
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(k, j)| k as u32 == *j));
        assert!(t.fronts.len() < 40, "{}", t.fronts.len());
        let mut next = 0;
        for (k, f) in t.fronts.iter().enumerate() {
            assert_eq!(f.first, next);
            next += f.pivots;
            assert!(f.below.is_sorted() && f.below.iter().all(|b| *b as usize >= next));
            let Some(parent) = f.parent else {
                assert!(f.below.is_empty());
                continue;
            };
            let p = &t.fronts[parent];
            let own = p.first as u32..(p.first + p.pivots) as u32;
            assert!(parent > k && own.contains(&f.below[0]));
            assert!(f.below.iter().all(|b| own.contains(b) || p.below.contains(b)));
        }
        assert_eq!(next, 82);
    }
}
