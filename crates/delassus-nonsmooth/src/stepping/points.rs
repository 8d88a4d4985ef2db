//! The points of a step: kinematics, their conditions, and what is remembered about them.

use super::report::PointImpulse;
use crate::groups::{Groups, sort_by_group};
use crate::pressed::{Pressed, TAKES_OVER, follow};
use delassus_cone as cone;
use delassus_dae::{BEHIND, ContactPoint, Crowded, PointId, PointLaw, Unilateral};
use delassus_math::remember;
use delassus_math::{largest, max_abs};

/// How rates and gaps at the place where a step is posed relate to its start and its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepTimes {
    /// Length of the step, s.
    pub h: f64,
    /// Time from the start of the step to the place.
    pub back: f64,
    /// Weight of the end of the step where forces are evaluated, and how long they act, s.
    pub theta: f64,
    /// How long forces act, s.
    pub acts: f64,
    /// The effect of forces ends this long before the end of the step.
    pub lag: f64,
    /// Rates at the start are those at the place minus this times the bias.
    pub since_start: f64,
    /// Rates at the end are those at the place plus this times the bias.
    pub until_end: f64,
    /// The gap at the end is `gap − curve·bias + travel·(rate at the end)`.
    pub curve: f64,
    /// See `curve`.
    pub travel: f64,
}

/// How deep the shapes of a pair were pressed into each other in the last step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PairDepth {
    pub pair: u64,
    /// Deepest of its points, m.
    pub depth: f64,
    /// Its latched approach speed, m/s.
    pub speed: f64,
}
remember!(PairDepth { pair, depth, speed });

impl PairDepth {
    /// The entry of the pair of a point; the list ascends.
    pub fn of(all: &[PairDepth], id: PointId) -> Option<&PairDepth> {
        all.binary_search_by_key(&id.pair, |d| d.pair).ok().map(|k| &all[k])
    }

    /// Adds a point; they come in their order.
    pub fn add(all: &mut Vec<PairDepth>, id: PointId, depth: f64, speed: f64) {
        match all.last_mut() {
            Some(last) if last.pair == id.pair => {
                if depth > last.depth {
                    (last.depth, last.speed) = (depth, speed);
                }
            }
            _ => all.push(PairDepth { pair: id.pair, depth, speed }),
        }
    }
}

impl StepTimes {
    /// Time at which forces are evaluated, for a place at `t`.
    pub fn at(&self, t: f64) -> f64 {
        t + (2.0 * self.theta - 1.0) * self.acts
    }
}

/// The condition of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Velocities with restitution where a point closes, the gap where it does not yet.
    Moreau,
    /// The weighted mean of three positions.
    SchatzmanPaoli,
}

/// A point within the contact problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Its first row in the problem of its group.
    pub row: usize,
    pub group: usize,
    /// The equivalent of a metre in the unit of its gap.
    pub per_metre: f64,
    /// Rows in use: without friction the tangential ones are left out.
    pub rows: usize,
    /// Rates at the end if there were no impulses.
    pub end: [f64; 3],
    /// Gap at the end if its rate there were zero.
    pub reach: f64,
    /// Smallest rate at the end; the part that comes from restitution separately.
    pub bound: f64,
    pub bounce: f64,
    pub stuck: bool,
    /// The impulse to start from is that of the last step, and was not an impact.
    pub carries: bool,
}

impl Entry {
    const NEW: Entry = Entry {
        row: 0,
        group: 0,
        per_metre: 1.0,
        rows: 0,
        end: [0.0; 3],
        reach: 0.0,
        bound: 0.0,
        bounce: 0.0,
        stuck: false,
        carries: false,
    };
}

/// What is kept about a point from step to step.
#[derive(Debug, Clone, Copy, Default)]
struct Memory {
    id: PointId,
    features: [u32; 2],
    /// Impulse per second.
    force: [f64; 3],
    stuck: bool,
    hit: bool,
    /// It bears a load with others and was brought to touch: its apparent gap is the error of one step.
    held: bool,
}
remember!(Memory { id, features, force, stuck, hit, held });

/// The present points; buffers are reused.
#[derive(Default)]
pub(super) struct Points {
    /// All that were near, ascending.
    pub ids: Vec<PointId>,
    /// For each of those, the features that faced each other last.
    pub before: Vec<Option<[u32; 2]>>,
    /// For those that bear a load which they share with others, the features that do.
    pub held: Vec<Option<[u32; 2]>>,
    /// Those that take part are the first `n`.
    pub pool: Vec<PointImpulse>,
    pub entries: Vec<Entry>,
    pub n: usize,
    /// Those of the first group, then those of the next.
    pub by_group: Vec<usize>,
    /// Where each group begins in `by_group`, and the end.
    pub first: Vec<usize>,
    /// Fastest rate of each group, m/s.
    fastest: Vec<f64>,
    of_group: Vec<usize>,
    memory: Vec<Memory>,
    /// Points that were met from behind, ascending: not armed until their gap is non-negative.
    behind: Vec<PointId>,
    still_behind: Vec<PointId>,
    /// Points of compliant contact that are near, with their kinematics at the place of the step, the first `n_soft` of
    /// these.
    pub soft: Vec<(PointId, ContactPoint)>,
    pub n_soft: usize,
    /// Points that count as hit in this step, once that was decided.
    hits: Vec<PointId>,
    pub keeps_hits: bool,
    /// Coordinates that forces of compliant contact connect within the step, one list after the other, and where each
    /// ends.
    pub bonds: (Vec<usize>, Vec<usize>),
    /// A step has been made: a point that is inside now and was not present before came from behind. A point that is
    /// inside at the start is pushed out.
    stepped: bool,
}
remember!(Points { memory, behind, stepped } apart from {
    ids, before, held, pool, entries, n, by_group, first, fastest, of_group, still_behind, soft,
    n_soft, bonds, hits, keeps_hits,
});

/// Fraction of the model's length below which a gap counts as closed.
pub(super) const CLOSED: f64 = 1e-10;

/// Sliding speed that counts as zero, as a fraction of the largest present rate.
const STANDS: f64 = 1e-8;

/// Energy that is rounding, as a fraction of the work that went in and out.
const ROUND_OFF: f64 = 1e-10;

fn has_gap(law: &PointLaw) -> bool {
    matches!(law, PointLaw::Contact { .. })
}

impl Points {
    /// Forgets everything.
    pub fn forget(&mut self) {
        self.memory.clear();
        self.behind.clear();
        self.stepped = false;
        self.n = 0;
    }

    fn recall(&self, id: PointId) -> Option<&Memory> {
        self.memory.binary_search_by(|m| m.id.cmp(&id)).ok().map(|k| &self.memory[k])
    }

    /// Evaluates all points near the place realised in `ws`, `back` after the start of a step of length h. The margin
    /// is more than most gaps change within a step; that of a point far from the axis about which its body turns
    /// changes by more, as its own rate shows. A new point that was already deeper a step ago was not hit: the bodies
    /// come from behind.
    pub fn collect<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        margin: f64,
        (back, h): (f64, f64),
        (pressed, inside_by): (&[Pressed], &[PairDepth]),
    ) -> Result<(), Crowded> {
        let mut ids = std::mem::take(&mut self.ids);
        p.near_at_most(ws, margin, p.most_points(), &mut ids)?;
        (self.n, self.n_soft) = (0, 0);
        self.before.clear();
        // both lists ascend
        let mut known = self.memory.iter().peekable();
        let mut listed = 0;
        for i in 0..ids.len() {
            let id = ids[i];
            while known.next_if(|m| m.id < id).is_some() {}
            let before = known.peek().filter(|m| m.id == id).map(|m| m.features);
            let law = p.law(id);
            let pressed_with = match pressed.binary_search_by_key(&id, |a| a.id) {
                Ok(k) if law == PointLaw::Compliant => Some(pressed[k].features),
                _ => None,
            };
            let before = pressed_with.or(before);
            let n = self.n;
            if n == self.pool.len() {
                self.pool.push(PointImpulse {
                    id,
                    law: PointLaw::OneWay,
                    at: ContactPoint::default(),
                    impulse: [0.0; 3],
                    before: [0.0; 3],
                    after: [0.0; 3],
                    hit: false,
                    work: 0.0,
                    effort: 0.0,
                    softened: 1.0,
                    held: false,
                });
                self.entries.push(Entry::NEW);
            }
            let c = &mut self.pool[n];
            c.law = law;
            let faces = match pressed_with {
                Some(features) => follow(p, ws, id, features, &mut c.at),
                None => p.evaluate(ws, id, before, &mut c.at),
            };
            if faces {
                c.law = p.law_at(id, &c.at.rate);
            }
            let per_metre = p.gap_per_metre(id);
            let reach = margin * per_metre;
            let inside = faces && law.has_gap() && c.at.gap < 0.0;
            let before_by = |time: f64| c.at.gap - time * c.at.rate[0].min(0.0);
            // a wall acts on what was in front of it at the start of the step, or was present before; where shapes are
            // pressed into each other a point that takes over begins as deep as the others
            let pressed_by = PairDepth::of(inside_by, id).map_or(0.0, |d| TAKES_OVER * d.depth);
            let limit = (BEHIND * p.length()).max(pressed_by);
            let wall = inside && before_by(back) < -limit && p.one_sided(id);
            let was_behind = self.behind.binary_search(&id).is_ok();
            let deep =
                inside && self.stepped && (before_by(h) < -reach.max(pressed_by) || was_behind);
            if before.is_none() && (wall || deep) {
                self.still_behind.push(id);
                continue;
            }
            if law == PointLaw::Compliant {
                // no impulse keeps it out, and nothing pushes it back
                if faces && (before.is_some() || c.at.gap <= reach) {
                    if self.n_soft == self.soft.len() {
                        self.soft.push((id, ContactPoint::default()));
                    }
                    let soft = &mut self.soft[self.n_soft];
                    soft.0 = id;
                    std::mem::swap(&mut soft.1, &mut c.at);
                    self.n_soft += 1;
                }
                continue;
            }
            ids[listed] = id;
            listed += 1;
            self.before.push(before);
            if !faces || (has_gap(&c.law) && c.at.gap > reach) {
                continue;
            }
            c.id = id;
            self.entries[n].per_metre = per_metre;
            self.n += 1;
        }
        ids.truncate(listed);
        self.ids = ids;
        std::mem::swap(&mut self.behind, &mut self.still_behind);
        self.still_behind.clear();
        Ok(())
    }

    /// Rates before and after without impulses, and the conditions; keeps those that take part. `dv` is the effect of
    /// the smooth forces on the velocity over the step. Gaps up to `closed` count as zero, m.
    pub fn pose(
        &mut self,
        dv: &[f64],
        frame: StepTimes,
        rule: Rule,
        closed: f64,
        groups: &mut Groups,
    ) {
        for (c, e) in self.pool.iter_mut().zip(&mut self.entries).take(self.n) {
            let rows = if c.law.is_rough() { c.law.rows() } else { 1 };
            *e = Entry { rows, per_metre: e.per_metre, ..Entry::NEW };
            (c.softened, c.held) = (1.0, false);
            c.before = [0.0; 3];
            for k in 0..e.rows {
                let (rate, bias) = (c.at.rate[k], c.at.bias[k]);
                c.before[k] = rate - frame.since_start * bias;
                e.end[k] = rate + c.at.row_dot(k, dv) + frame.until_end * bias;
            }
            if has_gap(&c.law) {
                e.reach = c.at.gap - frame.curve * c.at.bias[0];
            }
        }
        self.group(groups);
        let fastest = std::mem::take(&mut self.fastest);
        self.retain(|_, c, e| {
            let limit = frame.h * fastest[e.group] + closed;
            !has_gap(&c.law) || e.reach <= limit * e.per_metre
        });
        self.fastest = fastest;
        for i in 0..self.n {
            let old = self.recall(self.pool[i].id).copied();
            let (c, e) = (&mut self.pool[i], &mut self.entries[i]);
            c.hit = match self.keeps_hits {
                true => self.hits.binary_search(&c.id).is_ok(),
                false => hits(c, e, frame, closed),
            };
            (e.bound, e.bounce) = match rule {
                Rule::Moreau if !c.hit && old.is_some_and(|m| m.held) => (0.0, 0.0),
                Rule::Moreau => moreau(c, e, frame, closed),
                Rule::SchatzmanPaoli => schatzman_paoli(c, e, frame),
            };
            e.carries = old.is_some_and(|m| !m.hit);
            e.stuck = match old {
                Some(m) => m.stuck,
                None => {
                    let slow = STANDS * self.fastest[e.group] * e.per_metre;
                    sliding(&c.law, e.rows, &c.before) <= slow
                }
            };
            c.impulse = old.map_or([0.0; 3], |m| m.force.map(|f| f * frame.h));
            c.impulse[e.rows..].fill(0.0);
        }
    }

    /// From now on within this step, the points hit when they were last posed are hit, and no others.
    pub fn keep_hits(&mut self) {
        if !self.keeps_hits {
            self.keeps_hits = true;
            self.hits.clear();
            self.hits.extend(self.pool[..self.n].iter().filter(|c| c.hit).map(|c| c.id));
            self.hits.sort_unstable();
        }
    }

    /// Keeps only the points for which `keep` is true, in the same order.
    pub fn retain(&mut self, mut keep: impl FnMut(usize, &PointImpulse, &Entry) -> bool) {
        let mut kept = 0;
        for i in 0..self.n {
            if keep(i, &self.pool[i], &self.entries[i]) {
                self.pool.swap(kept, i);
                self.entries.swap(kept, i);
                kept += 1;
            }
        }
        self.n = kept;
    }

    /// Divides those that take part into groups, each with rows of its own.
    pub fn group(&mut self, groups: &mut Groups) {
        let Points { pool, entries, by_group, first, fastest, of_group, n, bonds, .. } = self;
        let starts = std::iter::once(&0).chain(&bonds.1);
        let joined = starts.zip(&bonds.1).map(|(from, to)| &bonds.0[*from..*to]);
        let own = pool[..*n].iter().map(|c| (&c.at.cols[..], true));
        let n_groups = groups.number_with(joined, own, of_group);
        sort_by_group(n_groups, of_group, first, by_group);
        fastest.clear();
        fastest.resize(n_groups, 0.0);
        let (pool, entries) = (&pool[..*n], &mut entries[..*n]);
        for ((c, e), group) in pool.iter().zip(&mut *entries).zip(&*of_group) {
            e.group = *group;
            for k in 0..e.rows {
                let speed = c.before[k].abs().max(e.end[k].abs()) / e.per_metre;
                fastest[*group] = fastest[*group].max(speed);
            }
        }
        for list in first.windows(2).map(|w| &by_group[w[0]..w[1]]) {
            let mut row = 0;
            for i in list {
                entries[*i].row = row;
                row += entries[*i].rows;
            }
        }
    }

    /// Indices of a group in `by_group`.
    pub fn places(&self, group: usize) -> std::ops::Range<usize> {
        self.first[group]..self.first[group + 1]
    }

    /// Law of a point for impulses over a step.
    pub fn law(&self, i: usize, h: f64) -> cone::Law {
        let e = &self.entries[i];
        match self.pool[i].law {
            PointLaw::Contact { mu, mu_static, .. } if e.rows > 1 => {
                let mu = if e.stuck { mu.max(mu_static) } else { mu };
                cone::Law::Coulomb { mu, tangential: e.rows - 1 }
            }
            PointLaw::Contact { .. } | PointLaw::Compliant | PointLaw::OneWay => {
                cone::Law::Unilateral
            }
            PointLaw::DryFriction { bound, bound_static } => {
                let limit = h * if e.stuck { bound.max(bound_static) } else { bound };
                cone::Law::Interval { lo: -limit, hi: limit }
            }
        }
    }

    /// Rates of a group after its impulses, which change them by `du`; returns the energy they add, and the part of it
    /// that is an error of the step: rounding, and the effect of forces on the rates meanwhile.
    pub fn finish(&mut self, group: usize, du: &[f64]) -> (f64, f64) {
        let (mut energy, mut error) = (0.0, 0.0);
        let mut most: f64 = 0.0;
        for at in self.places(group) {
            let i = self.by_group[at];
            let (c, e) = (&mut self.pool[i], &self.entries[i]);
            c.after = [0.0; 3];
            c.work = 0.0;
            let mut effort = 0.0;
            for k in 0..e.rows {
                c.after[k] = e.end[k] + du[e.row + k];
                c.work += 0.5 * c.impulse[k] * (c.before[k] + c.after[k]);
                effort += (c.impulse[k] * du[e.row + k]).abs();
                let change = (e.end[k] - c.before[k]).abs();
                error += c.impulse[k].abs() * (0.5 * change + ROUND_OFF * c.before[k].abs());
            }
            energy += c.work;
            most = most.max(effort);
        }
        for at in self.places(group) {
            self.pool[self.by_group[at]].effort = most;
        }
        (energy, error)
    }

    /// Fastest rate of a group at the end of the step without impulses, m/s.
    fn fastest_end(&self, group: usize) -> f64 {
        let ends = |i: &usize| {
            let e = &self.entries[*i];
            max_abs(&e.end[..e.rows]) / e.per_metre
        };
        largest(self.by_group[self.places(group)].iter().map(ends))
    }

    /// Points of a group that slid and would slide back at the end of the step came to rest within it: static friction
    /// may hold them there. True if a point with two frictions changed.
    pub fn catch(&mut self, group: usize) -> bool {
        let mut again = false;
        for at in self.places(group) {
            let i = self.by_group[at];
            let (c, e) = (&self.pool[i], &mut self.entries[i]);
            let turned = along(&c.law, e.rows, &c.before, &c.after) < 0.0;
            if !e.stuck && turned && has_two_frictions(&c.law) {
                e.stuck = true;
                again = true;
            }
        }
        again
    }

    /// Points of a group that were held by static friction and now slide do so with sliding friction. True if a point
    /// with two frictions changed.
    pub fn let_slip(&mut self, group: usize) -> bool {
        let fastest = self.fastest_end(group);
        let mut again = false;
        for at in self.places(group) {
            let i = self.by_group[at];
            let (c, e) = (&self.pool[i], &mut self.entries[i]);
            if e.stuck && sliding(&c.law, e.rows, &c.after) > STANDS * fastest * e.per_metre {
                e.stuck = false;
                again |= has_two_frictions(&c.law);
            }
        }
        again
    }

    /// Keeps what the next step needs.
    pub fn remember(&mut self, h: f64) {
        self.stepped = true;
        self.memory.clear();
        let groups = if self.n > 0 { self.first.len() - 1 } else { 0 };
        self.fastest.clear();
        for group in 0..groups {
            self.fastest.push(self.fastest_end(group));
        }
        for (c, e) in self.pool.iter().zip(&self.entries).take(self.n) {
            let slow = STANDS * self.fastest[e.group] * e.per_metre;
            let closed = !has_gap(&c.law) || c.impulse[0] > 0.0;
            self.memory.push(Memory {
                id: c.id,
                features: c.at.features,
                force: c.impulse.map(|p| p / h),
                hit: c.hit,
                held: self.ids.binary_search(&c.id).is_ok_and(|k| self.held[k].is_some()),
                stuck: closed && sliding(&c.law, e.rows, &c.after) <= slow,
            });
        }
        // swaps keep the order of those that take part, but this is not guaranteed
        self.memory.sort_unstable_by_key(|m| m.id);
    }

    /// Generalised force of the points over the last step, without impacts.
    pub fn smooth_force(&self, h: f64, f: &mut [f64]) {
        f.fill(0.0);
        for (c, e) in self.pool.iter().zip(&self.entries).take(self.n).filter(|(c, _)| !c.hit) {
            for k in 0..e.rows {
                c.at.add_row(k, c.impulse[k] / h, f);
            }
        }
    }

    /// A point was hit.
    pub fn any_hit(&self) -> bool {
        self.pool[..self.n].iter().any(|c| c.hit && c.impulse[0] > 0.0)
    }

    /// Removes the solver's residue from impulses at points that open, or stay open: it counts as zero, and the next
    /// step would mistake them for closed ones. `mobility` is the effect of an impulse on the rate of a row of a group,
    /// if known.
    pub fn drop_noise(&mut self, mobility: impl Fn(usize, usize) -> Option<f64>) {
        for (c, e) in self.pool.iter_mut().zip(&self.entries).take(self.n) {
            let rises = c.after[0] - e.bound;
            let opens = |w: f64| w * c.impulse[0].abs() < rises;
            if has_gap(&c.law) && !c.hit && mobility(e.group, e.row).is_some_and(opens) {
                c.impulse = [0.0; 3];
            }
        }
    }

    /// Marks the points that bear a load without having been hit, in groups whose points share loads.
    pub fn mark_held(&mut self, shares: impl Fn(usize) -> bool) {
        self.held.clear();
        self.held.resize(self.ids.len(), None);
        for (c, e) in self.pool.iter().zip(&self.entries).take(self.n) {
            let loaded = has_gap(&c.law) && !c.hit && c.impulse[0] > 0.0;
            if loaded
                && shares(e.group)
                && let Ok(k) = self.ids.binary_search(&c.id)
            {
                self.held[k] = Some(c.at.features);
            }
        }
    }

    /// Points with an impulse.
    pub fn active(&self) -> usize {
        self.pool[..self.n].iter().filter(|c| c.impulse[0] != 0.0).count()
    }
}

/// Sliding speed of a point.
fn sliding(law: &PointLaw, rows: usize, u: &[f64; 3]) -> f64 {
    along(law, rows, u, u).sqrt()
}

/// Product of two sliding velocities of a point: negative if they are opposite.
fn along(law: &PointLaw, rows: usize, u: &[f64; 3], w: &[f64; 3]) -> f64 {
    let slides = if matches!(law, PointLaw::DryFriction { .. }) { 0..1 } else { 1..rows };
    slides.map(|k| u[k] * w[k]).sum()
}

/// Whether static friction exceeds sliding friction.
fn has_two_frictions(law: &PointLaw) -> bool {
    match law {
        PointLaw::Contact { mu, mu_static, .. } => mu_static > mu,
        PointLaw::DryFriction { bound, bound_static } => bound_static > bound,
        PointLaw::Compliant | PointLaw::OneWay => false,
    }
}

/// The gap of a point, zero if it is indistinguishable from that.
fn gap(e: &Entry, closed: f64) -> f64 {
    if e.reach > closed * e.per_metre { e.reach } else { e.reach.min(0.0) }
}

/// Whether a gap closes faster than forces make it within the step, so that a bounce is not over within it.
fn hits(c: &PointImpulse, e: &Entry, frame: StepTimes, closed: f64) -> bool {
    let approach = -c.before[0];
    let (closes, speed) = match c.law {
        PointLaw::Contact { restitution, .. } => {
            let closes = gap(e, closed) + frame.travel * e.end[0] <= 0.0;
            (closes, approach * (2.0 * restitution.e).max(1.0))
        }
        PointLaw::OneWay => (true, approach),
        PointLaw::Compliant | PointLaw::DryFriction { .. } => (false, 0.0),
    };
    closes && approach > 0.0 && speed > (e.end[0] - c.before[0]).abs()
}

/// Smallest rate at the end by Moreau's rule, and the rate of the bounce.
fn moreau(c: &PointImpulse, e: &Entry, frame: StepTimes, closed: f64) -> (f64, f64) {
    let PointLaw::Contact { restitution, .. } = c.law else { return (0.0, 0.0) };
    if c.hit {
        return (0.0, -restitution.e * c.before[0]);
    }
    (-gap(e, closed).max(0.0) / frame.travel, 0.0)
}

/// Smallest rate at the end so that the mean of the positions before and after, weighted e to 1, is free: g + h (u⁺ − e
/// u⁻)/(1 + e) ≥ 0. A negative gap is the remainder of the last step, and is divided by the length of that one: a
/// shorter one would make its bounce too fast.
fn schatzman_paoli(c: &PointImpulse, e: &Entry, frame: StepTimes) -> (f64, f64) {
    let PointLaw::Contact { restitution, .. } = c.law else { return (0.0, 0.0) };
    let k = restitution.e;
    let h = if e.reach < 0.0 { frame.travel.max(2.0 * frame.since_start) } else { frame.travel };
    (k * c.before[0] - (1.0 + k) * e.reach / h, 0.0)
}
