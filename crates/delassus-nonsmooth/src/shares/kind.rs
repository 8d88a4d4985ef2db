//! What limits a force, and which rows belong to one friction.

/// A force that takes its share of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sharer {
    pub kind: Kind,
    /// The equivalent of a metre in the unit of its row.
    pub per_metre: f64,
    /// The pair of shapes between which it acts. Forces of a pair are adjacent.
    pub pair: u64,
    /// Its row depends on none of those before it.
    pub independent: bool,
}

/// What limits a force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// It cannot pull.
    Normal,
    /// Static friction: by a coefficient and the normal force at this index.
    Friction(f64, usize),
    /// Static dry friction: by a constant, in the unit of the force.
    Bound(f64),
}

/// The rows of friction of the point to which row k belongs.
pub(super) fn beside(kinds: &[Kind], k: usize) -> std::ops::Range<usize> {
    let Kind::Friction(_, normal) = kinds[k] else { return k..k + 1 };
    let same = |k: &usize| matches!(kinds.get(*k), Some(Kind::Friction(_, n)) if *n == normal);
    // tangents follow their normal
    let first = normal + 1;
    first..first + (first..).take_while(same).count()
}

/// The friction of a point begins at row k.
pub(super) fn begins(kinds: &[Kind], k: usize) -> bool {
    kinds[k] != Kind::Normal && beside(kinds, k).start == k
}

/// The friction that row k belongs to is at its limit.
pub(super) fn at_limit(kinds: &[Kind], limited: &[f64], k: usize) -> bool {
    beside(kinds, k).any(|row| limited[row] != 0.0)
}
