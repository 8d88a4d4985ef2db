//! Which parts of a system an impulse can reach from one another.
//!
//! Blocks of the mass matrix are connected by couplings between them, by rows of G and by the points that act between
//! them. Connected blocks form a *group*: it has its own contact problem, its own law of impact and its own energy, and
//! nothing that happens in it affects another. The ground has no coordinates, so it connects nothing; nor do springs,
//! unless forces are implicit, so that they act within a step.

use delassus_dae::{Problem, Structure};

/// Finds groups; buffers are sized once.
#[derive(Debug, Clone)]
pub struct Groups {
    /// Block of each velocity coordinate.
    block_of: Vec<usize>,
    /// For each block, a block of its group that comes no later (itself for the first), without points.
    without_points: Vec<usize>,
    /// The same with the present points.
    parent: Vec<usize>,
    /// For each block, the number of its group, if it has one.
    number: Vec<usize>,
}

/// No group has this number.
const NONE: usize = usize::MAX;

impl Groups {
    /// Blocks joined by M and by rows of G.
    pub fn new<P: Problem>(p: &P) -> Groups {
        Groups::of_structure(p.structure(), false)
    }

    /// Blocks joined by M, by rows of G and, with `forces`, by the pattern of K and C.
    pub fn of_structure(s: &Structure, forces: bool) -> Groups {
        let mut block_of = vec![0; s.jac.ncols];
        for k in 0..s.mass.count() {
            block_of[s.mass.dof(k)..s.mass.dof(k) + s.mass.sizes()[k]].fill(k);
        }
        let parent = s.mass.first_of_body();
        let mut groups = Groups {
            block_of,
            without_points: parent.clone(),
            number: vec![NONE; parent.len()],
            parent,
        };
        for i in 0..s.jac.nrows {
            groups.join(s.jac.row(i));
        }
        for i in 0..s.tangent.nrows {
            if forces {
                groups.join(s.tangent.row(i));
                groups.join_two(s.tangent.row(i).first().copied(), i);
            }
        }
        groups.without_points.copy_from_slice(&groups.parent);
        groups
    }

    /// The part without points to which each velocity coordinate belongs, numbered from 0.
    pub(crate) fn parts(&self) -> Vec<usize> {
        let root = |mut block: usize| {
            while self.without_points[block] != block {
                block = self.without_points[block];
            }
            block
        };
        let roots: Vec<usize> = self.block_of.iter().map(|block| root(*block)).collect();
        let mut number = vec![NONE; self.without_points.len()];
        let mut count = 0;
        let mut parts = Vec::with_capacity(roots.len());
        for root in roots {
            if number[root] == NONE {
                number[root] = count;
                count += 1;
            }
            parts.push(number[root]);
        }
        parts
    }

    fn root(&mut self, mut block: usize) -> usize {
        while self.parent[block] != block {
            self.parent[block] = self.parent[self.parent[block]];
            block = self.parent[block];
        }
        block
    }

    fn join_two(&mut self, first: Option<usize>, col: usize) {
        let Some(first) = first else { return };
        let (a, b) = (self.root(self.block_of[first]), self.root(self.block_of[col]));
        self.parent[a.max(b)] = a.min(b);
    }

    fn join(&mut self, cols: &[usize]) {
        // coordinates of a block are adjacent
        let mut last = NONE;
        for c in cols {
            if self.block_of[*c] != last {
                last = self.block_of[*c];
                self.join_two(cols.first().copied(), *c);
            }
        }
    }

    /// Numbers the groups of points from 0 in the order in which they are met, and returns how many there are. A point
    /// is given by the coordinates that it moves, and whether it connects them; a point that moves nothing is a group
    /// of its own.
    pub fn number<'a>(
        &mut self,
        points: impl Iterator<Item = (&'a [usize], bool)> + Clone,
        out: &mut Vec<usize>,
    ) -> usize {
        self.number_with(std::iter::empty(), points, out)
    }

    /// The same where bonds also connect coordinates: what acts between them within a step, and is not a point.
    pub fn number_with<'a>(
        &mut self,
        bonds: impl Iterator<Item = &'a [usize]>,
        points: impl Iterator<Item = (&'a [usize], bool)> + Clone,
        out: &mut Vec<usize>,
    ) -> usize {
        self.parent.copy_from_slice(&self.without_points);
        for cols in bonds {
            self.join(cols);
        }
        for (cols, _) in points.clone().filter(|p| p.1) {
            self.join(cols);
        }
        self.number.fill(NONE);
        out.clear();
        let mut n = 0;
        for (cols, _) in points {
            let own = match cols.first() {
                Some(c) => {
                    let root = self.root(self.block_of[*c]);
                    if self.number[root] == NONE {
                        self.number[root] = n;
                        n += 1;
                    }
                    self.number[root]
                }
                None => {
                    n += 1;
                    n - 1
                }
            };
            out.push(own);
        }
        n
    }
}

/// Sorts 0.. by the number of their group, of which there are n: where each group begins, with the end, and the members
/// of the first group, then those of the next.
pub(crate) fn sort_by_group(
    n: usize,
    number: &[usize],
    first: &mut Vec<usize>,
    members: &mut Vec<usize>,
) {
    first.clear();
    first.resize(n + 1, 0);
    number.iter().for_each(|group| first[group + 1] += 1);
    for k in 0..n {
        first[k + 1] += first[k];
    }
    members.clear();
    members.resize(number.len(), 0);
    // each group is filled from its first index, which ends up as that of the next one
    for (i, group) in number.iter().enumerate() {
        members[first[*group]] = i;
        first[*group] += 1;
    }
    first.copy_within(..n, 1);
    first[0] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_linalg::{Csr, MassShape};

    /// Blocks of two coordinates; rows and entries of K between blocks as given.
    fn structure(blocks: usize, rows: &[[usize; 2]], springs: &[[usize; 2]]) -> Structure {
        let jac = rows.iter().enumerate().flat_map(|(i, [a, b])| [(i, 2 * a), (i, 2 * b + 1)]);
        let own = (0..2 * blocks).map(|i| (i, i));
        let k = springs.iter().flat_map(|[a, b]| [(2 * a, 2 * b), (2 * b, 2 * a)]);
        Structure {
            mass: MassShape::new(vec![2; blocks]),
            jac: Csr::from_pairs(rows.len(), 2 * blocks, jac).unwrap(),
            tangent: Csr::from_pairs(2 * blocks, 2 * blocks, own.chain(k)).unwrap(),
            ..Structure::dense(2 * blocks, 0)
        }
    }

    /// Blocks that are coupled by mass are one body.
    #[test]
    fn mass_joins() {
        let mut s = structure(4, &[], &[]);
        s.mass = MassShape::coupled(vec![2; 4], [(2, 0)]).unwrap();
        let mut g = Groups::of_structure(&s, false);
        let points: [(&[usize], bool); 3] = [(&[0], true), (&[5], true), (&[6], true)];
        assert_eq!(numbers(&mut g, &points), (2, vec![0, 0, 1]));
    }

    fn numbers(g: &mut Groups, points: &[(&[usize], bool)]) -> (usize, Vec<usize>) {
        let mut out = Vec::new();
        let n = g.number(points.iter().copied(), &mut out);
        (n, out)
    }

    #[test]
    fn joints_and_points_join_but_the_ground_does_not() {
        let mut g = Groups::of_structure(&structure(5, &[[3, 1]], &[[0, 1]]), false);
        // each block against the ground: blocks 1 and 3 hang together by a joint
        let ground: [(&[usize], bool); 5] =
            [(&[0], true), (&[2], true), (&[4], true), (&[6], true), (&[8], true)];
        assert_eq!(numbers(&mut g, &ground), (4, vec![0, 1, 2, 1, 3]));
        let between: [(&[usize], bool); 3] = [(&[8, 9], true), (&[0, 1], true), (&[1, 8], true)];
        assert_eq!(numbers(&mut g, &between), (1, vec![0, 0, 0]));
        // what does not join, and what was joined before
        let loose: [(&[usize], bool); 4] =
            [(&[8], true), (&[0], true), (&[1, 8], false), (&[], true)];
        assert_eq!(numbers(&mut g, &loose), (3, vec![0, 1, 1, 2]));
    }

    #[test]
    fn springs_join_where_they_act_within_a_step() {
        let s = structure(3, &[], &[[2, 0]]);
        let points: [(&[usize], bool); 3] = [(&[0], true), (&[2], true), (&[4], true)];
        assert_eq!(numbers(&mut Groups::of_structure(&s, false), &points).0, 3);
        assert_eq!(numbers(&mut Groups::of_structure(&s, true), &points), (2, vec![0, 1, 0]));
    }
}
