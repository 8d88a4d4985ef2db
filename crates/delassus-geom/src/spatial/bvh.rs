//! Boxes in a tree: finds what is near without examining everything.
//!
//! Built once by halving at the median along the longest side; the same input gives the same tree.

use delassus_math::Vec3;

/// Axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner.
    pub lo: Vec3,
    /// Upper corner.
    pub hi: Vec3,
}

impl Aabb {
    /// The box around nothing.
    pub fn empty() -> Aabb {
        Aabb { lo: Vec3::repeat(f64::INFINITY), hi: Vec3::repeat(f64::NEG_INFINITY) }
    }

    /// Smallest box around points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Aabb {
        points.into_iter().fold(Aabb::empty(), |b, x| Aabb { lo: b.lo.inf(&x), hi: b.hi.sup(&x) })
    }

    /// Smallest box around two boxes.
    pub fn union(&self, o: &Aabb) -> Aabb {
        Aabb { lo: self.lo.inf(&o.lo), hi: self.hi.sup(&o.hi) }
    }

    /// Larger by `m` on all sides.
    pub fn grown(&self, m: f64) -> Aabb {
        Aabb { lo: self.lo.add_scalar(-m), hi: self.hi.add_scalar(m) }
    }

    /// Whether the boxes have a point in common.
    pub fn meets(&self, o: &Aabb) -> bool {
        // All six at once: cheaper than branching on each.
        (self.lo.x <= o.hi.x)
            & (o.lo.x <= self.hi.x)
            & (self.lo.y <= o.hi.y)
            & (o.lo.y <= self.hi.y)
            & (self.lo.z <= o.hi.z)
            & (o.lo.z <= self.hi.z)
    }

    /// Distance of a point to the box, squared; zero inside.
    pub(crate) fn distance_squared(&self, x: &Vec3) -> f64 {
        (0..3).map(|k| (self.lo[k] - x[k]).max(x[k] - self.hi[k]).max(0.0).powi(2)).sum()
    }
}

/// Items per leaf: below that a loop is faster than the tree.
const LEAF: usize = 4;

#[derive(Clone, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    /// Leaf: range of `order`. Inner: the right child is at `to`, the left one follows the node.
    from: u32,
    to: u32,
    leaf: bool,
}

/// Branches that wait. Halving leaves one of them at each level, and 32 levels are all that indices can number.
struct Stack<T> {
    items: [T; 2 * u32::BITS as usize],
    len: usize,
}

impl<T: Copy + Default> Stack<T> {
    fn new() -> Stack<T> {
        Stack { items: [T::default(); 2 * u32::BITS as usize], len: 0 }
    }

    fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }
}

/// Tree of boxes, by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl Bvh {
    pub fn new(boxes: &[Aabb]) -> Bvh {
        let mut tree = Bvh { nodes: Vec::new(), order: (0..boxes.len() as u32).collect() };
        if !boxes.is_empty() {
            tree.split(boxes, 0, boxes.len());
        }
        tree
    }

    fn split(&mut self, boxes: &[Aabb], from: usize, to: usize) {
        let of = |k: &u32| &boxes[*k as usize];
        let bounds = self.order[from..to].iter().fold(Aabb::empty(), |b, k| b.union(of(k)));
        let at = self.nodes.len();
        let leaf = to - from <= LEAF;
        self.nodes.push(Node { bounds, from: from as u32, to: to as u32, leaf });
        if leaf {
            return;
        }
        let axis = (bounds.hi - bounds.lo).imax();
        // Ties are broken by the index: one tree for one input.
        self.order[from..to].sort_by(|a, b| {
            let (ca, cb) = (of(a).lo[axis] + of(a).hi[axis], of(b).lo[axis] + of(b).hi[axis]);
            ca.total_cmp(&cb).then(a.cmp(b))
        });
        let mid = usize::midpoint(from, to);
        self.split(boxes, from, mid);
        self.nodes[at].to = self.nodes.len() as u32;
        self.split(boxes, mid, to);
    }

    /// Calls `visit` with each item whose leaf may meet the box; may include a few more.
    pub fn meeting(&self, query: &Aabb, mut visit: impl FnMut(u32)) {
        let mut stack = Stack::new();
        if !self.nodes.is_empty() {
            stack.push(0u32);
        }
        while let Some(k) = stack.pop() {
            let node = &self.nodes[k as usize];
            if !node.bounds.meets(query) {
                continue;
            }
            if node.leaf {
                self.order[node.from as usize..node.to as usize].iter().for_each(|&i| visit(i));
            } else {
                stack.push(node.to);
                stack.push(k + 1);
            }
        }
    }

    /// Visits items in boxes nearer than the distance that `visit` last returned (the best so far).
    pub fn nearest(&self, x: &Vec3, mut visit: impl FnMut(u32) -> f64) {
        let mut stack = Stack::new();
        if let Some(root) = self.nodes.first() {
            stack.push((root.bounds.distance_squared(x), 0u32));
        }
        let mut best = f64::INFINITY;
        while let Some((d2, k)) = stack.pop() {
            if d2 > best * best {
                continue;
            }
            let node = &self.nodes[k as usize];
            if node.leaf {
                for &i in &self.order[node.from as usize..node.to as usize] {
                    best = visit(i);
                }
                continue;
            }
            let child = |k: u32| (self.nodes[k as usize].bounds.distance_squared(x), k);
            let (l, r) = (child(k + 1), child(node.to));
            // The nearer one first.
            let (later, first) = if l.0 <= r.0 { (r, l) } else { (l, r) };
            stack.push(later);
            stack.push(first);
        }
    }
}
