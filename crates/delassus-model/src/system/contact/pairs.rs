//! Which shapes can meet, and under which law.
//!
//! Small models have a list of all pairs. Thousands of shapes `among` each other would make millions of pairs: they are
//! kept as groups, one entry per shape, and the broad phase finds those that are near. Where several interactions name
//! a pair, the first of the file applies.

use super::shape_pair;
use crate::{ContactLaw, Surface};

/// Up to this many pairs a list of all is kept.
pub(crate) const MAX_LISTED: usize = 4096;

/// A contact of shapes.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// Its index in [`crate::Model::contacts`].
    pub contact: usize,
    pub surface: Surface,
    /// Law of a compliant contact.
    pub law: Option<ContactLaw>,
    /// It has only one pair, so its name is unambiguous.
    pub single: bool,
}

/// One side of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    First,
    Second,
    Both,
}

/// A pair of shapes, a < b, with its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed {
    pub a: usize,
    pub b: usize,
    pub rule: usize,
}

/// Pairs of shapes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs {
    pub rules: Vec<Rule>,
    /// All pairs, ascending, if they are few.
    pub listed: Vec<Listed>,
    /// Otherwise: the rules each shape takes part in.
    roles: Vec<Vec<(u32, Role)>>,
}

/// Shapes of a rule: each of `a` with each of `b`, or all pairs among `a`.
pub(crate) struct Sides<'s> {
    pub a: &'s [usize],
    pub b: Option<&'s [usize]>,
}

impl Sides<'_> {
    fn count(&self) -> usize {
        match self.b {
            Some(b) => self.a.len().saturating_mul(b.len()),
            None => self.a.len().saturating_mul(self.a.len().saturating_sub(1)) / 2,
        }
    }
}

impl Pairs {
    /// `body` of each shape; shapes of one body do not meet.
    pub fn new(rules: Vec<Rule>, sides: &[Sides<'_>], body: &[usize]) -> Pairs {
        let total = sides.iter().fold(0usize, |n, s| n.saturating_add(s.count()));
        let mut out = Pairs { rules, ..Pairs::default() };
        if total > MAX_LISTED {
            out.roles = vec![Vec::new(); body.len()];
            for (rule, s) in sides.iter().enumerate() {
                let b = s.b.unwrap_or(s.a);
                for &k in s.a {
                    let both = b.binary_search(&k).is_ok();
                    out.roles[k].push((rule as u32, if both { Role::Both } else { Role::First }));
                }
                for &k in b.iter().filter(|k| s.a.binary_search(k).is_err()) {
                    out.roles[k].push((rule as u32, Role::Second));
                }
            }
            return out;
        }
        for (rule, s) in sides.iter().enumerate() {
            for (i, &x) in s.a.iter().enumerate() {
                for &y in s.b.unwrap_or(&s.a[i + 1..]) {
                    if body[x] != body[y] {
                        out.listed.push(Listed { a: x.min(y), b: x.max(y), rule });
                    }
                }
            }
        }
        out.listed.sort_by_key(|p| (shape_pair(p.a, p.b), p.rule));
        out.listed.dedup_by_key(|p| (p.a, p.b));
        out
    }

    /// Shapes that may meet: each of the first ones with each of the second ones.
    pub fn sides(&self) -> Vec<[Vec<usize>; 2]> {
        if !self.are_many() {
            return self.listed.iter().map(|p| [vec![p.a], vec![p.b]]).collect();
        }
        let mut all = vec![[Vec::new(), Vec::new()]; self.rules.len()];
        for (shape, roles) in self.roles.iter().enumerate() {
            for (rule, role) in roles {
                let [a, b] = &mut all[*rule as usize];
                if *role != Role::Second {
                    a.push(shape);
                }
                if *role != Role::First {
                    b.push(shape);
                }
            }
        }
        all
    }

    pub fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.roles.is_empty()
    }

    /// Whether pairs have to be found by a broad phase.
    pub fn are_many(&self) -> bool {
        !self.roles.is_empty()
    }

    /// Whether a shape meets any other.
    pub fn meets(&self, shape: usize) -> bool {
        self.meets_by(shape, |_| true)
    }

    /// The same by one of the `asked` rules.
    pub fn meets_by(&self, shape: usize, asked: impl Fn(usize) -> bool) -> bool {
        self.roles.get(shape).is_some_and(|r| r.iter().any(|(rule, _)| asked(*rule as usize)))
    }

    /// The rule of two shapes on different bodies.
    pub fn rule(&self, a: usize, b: usize) -> Option<usize> {
        if !self.are_many() {
            return self.listed(a, b).map(|k| self.listed[k].rule);
        }
        let (x, y) = (self.roles.get(a)?, self.roles.get(b)?);
        // both ascending: the first common rule in which the two are on different sides
        let (mut i, mut j) = (0, 0);
        while i < x.len() && j < y.len() {
            match x[i].0.cmp(&y[j].0) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    if x[i].1 != y[j].1 || x[i].1 == Role::Both {
                        return Some(x[i].0 as usize);
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        None
    }

    /// Index of a pair in the list.
    pub fn listed(&self, a: usize, b: usize) -> Option<usize> {
        self.listed.binary_search_by_key(&(a, b), |p| (p.a, p.b)).ok()
    }
}
