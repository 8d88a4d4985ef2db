//! What was given up at contacts: counted, with the first time and the names.

use delassus_math::remember;
use serde::Serialize;

/// Number of names that are kept.
const NAMES: usize = 8;

/// An occurrence: how often, when for the first time, and at which contacts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Occurrences {
    /// How often.
    pub count: u64,
    /// First time, s.
    pub first: Option<f64>,
    /// Contacts it happened to, at most eight of them, in the order in which it did.
    pub contacts: Vec<String>,
}
remember!(Occurrences { count, first, contacts });

impl Occurrences {
    /// Counts one more at t. Names are evaluated only while there is room for them.
    pub(crate) fn add(&mut self, t: f64, names: impl IntoIterator<Item = String>) {
        self.count += 1;
        self.first.get_or_insert(t);
        if self.contacts.len() >= NAMES {
            return;
        }
        for name in names {
            if self.contacts.len() < NAMES && !self.contacts.contains(&name) {
                self.contacts.push(name);
            }
        }
    }

    /// Adds the occurrences counted elsewhere.
    pub(crate) fn join(&mut self, other: &Occurrences) {
        self.count += other.count;
        self.first = match (self.first, other.first) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for name in &other.contacts {
            if self.contacts.len() < NAMES && !self.contacts.contains(name) {
                self.contacts.push(name.clone());
            }
        }
    }
}

/// The largest value of a quantity, when it was reached, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Worst {
    /// Largest value.
    pub value: f64,
    /// When, s.
    pub t: Option<f64>,
    /// Contact; empty if it is not a single one.
    pub contact: String,
}
remember!(Worst { value, t, contact });

impl Worst {
    /// Records a value. NaN is the worst of all, and stays.
    pub(crate) fn observe(&mut self, value: f64, t: f64, contact: impl FnOnce() -> String) {
        if !(value <= self.value) && !self.value.is_nan() {
            *self = Worst { value, t: Some(t), contact: contact() };
        }
    }

    /// Adds what was found elsewhere.
    pub(crate) fn join(&mut self, other: &Worst) {
        if let Some(t) = other.t {
            self.observe(other.value, t, || other.contact.clone());
        }
    }
}

/// Compliant contacts of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CompliantTally {
    /// How many began.
    pub contacts: u64,
    /// Deepest penetration at the start of one, m.
    pub deepest_start: Worst,
    /// Deepest penetration, m.
    pub deepest: Worst,
    /// Contacts that began deeper than their `max_start_depth`: the step could not be made shorter.
    pub began_deep: Occurrences,
    /// Contacts that lasted fewer than 8 fixed steps, or steps of time-stepping.
    pub few_steps: Occurrences,
    /// Contacts that ended while the bodies were inside each other, because the surface ends there and nothing took
    /// over.
    pub abandoned: Occurrences,
    /// Deepest of them, m.
    pub abandoned_depth: Worst,
    /// What they stored in all, J: it is gone.
    pub abandoned_energy: f64,
}
remember!(CompliantTally {
    contacts,
    deepest_start,
    deepest,
    began_deep,
    few_steps,
    abandoned,
    abandoned_depth,
    abandoned_energy,
});

impl CompliantTally {
    fn join(&mut self, other: &CompliantTally) {
        self.contacts += other.contacts;
        self.deepest_start.join(&other.deepest_start);
        self.deepest.join(&other.deepest);
        self.began_deep.join(&other.began_deep);
        self.few_steps.join(&other.few_steps);
        self.abandoned.join(&other.abandoned);
        self.abandoned_depth.join(&other.abandoned_depth);
        self.abandoned_energy += other.abandoned_energy;
    }

    /// A contact ended inside at t, so deep and with so much energy stored.
    pub(crate) fn abandon(&mut self, t: f64, depth: f64, stored: f64, name: impl Fn() -> String) {
        self.abandoned.add(t, [name()]);
        self.abandoned_depth.observe(depth, t, name);
        self.abandoned_energy += stored;
    }
}

/// Number of fixed steps in a contact below which its course is not resolved: half a period of an oscillation in eight
/// steps has an error of about one percent with a method of second order.
pub(crate) const FEW_STEPS: u64 = 8;

/// What was given up at the contacts of a run. Every count is present even when it is zero.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactTally {
    /// Impacts whose restitution was reduced because they would have gained energy.
    pub restitution_reduced: Occurrences,
    /// Smallest factor on a coefficient of restitution; 1 if none was reduced.
    pub least_restitution_factor: f64,
    /// Contacts with friction that joints already hold: nothing decides which load they bear, and they bear none.
    pub held_by_joints: Occurrences,
    /// Steps of time-stepping whose contact forces were found to `large_residual` instead of
    /// `residual`.
    pub tolerance_loosened: Occurrences,
    /// Steps of time-stepping that were divided into shorter parts.
    pub steps_halved: Occurrences,
    /// Steps of time-stepping that treated forces implicitly.
    pub implicit_steps: Occurrences,
    /// Stretches that time-stepping took over from the event-driven method.
    pub hand_overs: Occurrences,
    /// Time that time-stepping passed, s.
    pub stepped_time: f64,
    /// Deepest penetration of closed points at steps and samples, m.
    pub penetration: Worst,
    /// Worst residual of a contact problem of time-stepping, a pure number.
    pub residual: Worst,
    /// Fastest tangential motion of a point that should stick, m/s.
    pub stick_speed: Worst,
    /// Strongest pull of a closed point at a sample, N (N m for angles): rigid contacts only push.
    pub pull: Worst,
    /// Largest sum of normal forces of closed points at a sample, without signs, N.
    pub load: f64,
    /// Compliant contacts.
    pub compliant: CompliantTally,
}
remember!(ContactTally {
    restitution_reduced,
    least_restitution_factor,
    held_by_joints,
    tolerance_loosened,
    steps_halved,
    implicit_steps,
    hand_overs,
    stepped_time,
    penetration,
    residual,
    stick_speed,
    pull,
    load,
    compliant,
});

impl Default for ContactTally {
    fn default() -> ContactTally {
        ContactTally {
            restitution_reduced: Occurrences::default(),
            least_restitution_factor: 1.0,
            held_by_joints: Occurrences::default(),
            tolerance_loosened: Occurrences::default(),
            steps_halved: Occurrences::default(),
            implicit_steps: Occurrences::default(),
            hand_overs: Occurrences::default(),
            stepped_time: 0.0,
            penetration: Worst::default(),
            residual: Worst::default(),
            stick_speed: Worst::default(),
            pull: Worst::default(),
            load: 0.0,
            compliant: CompliantTally::default(),
        }
    }
}

impl ContactTally {
    /// Records that restitution was reduced to a fraction of the given value.
    pub(crate) fn reduce(&mut self, factor: f64, t: f64, names: impl IntoIterator<Item = String>) {
        self.restitution_reduced.add(t, names);
        self.least_restitution_factor = self.least_restitution_factor.min(factor);
    }

    /// Combines both: that of the event-driven method and that of time-stepping.
    pub(crate) fn join(mut self, other: &ContactTally) -> ContactTally {
        self.restitution_reduced.join(&other.restitution_reduced);
        self.least_restitution_factor =
            self.least_restitution_factor.min(other.least_restitution_factor);
        self.held_by_joints.join(&other.held_by_joints);
        self.tolerance_loosened.join(&other.tolerance_loosened);
        self.steps_halved.join(&other.steps_halved);
        self.implicit_steps.join(&other.implicit_steps);
        self.hand_overs.join(&other.hand_overs);
        self.stepped_time += other.stepped_time;
        self.penetration.join(&other.penetration);
        self.residual.join(&other.residual);
        self.stick_speed.join(&other.stick_speed);
        self.compliant.join(&other.compliant);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_times_are_kept() {
        let mut o = Occurrences::default();
        for k in 0..20 {
            o.add(f64::from(k), [format!("c{}", k / 2)]);
        }
        assert_eq!((o.count, o.first, o.contacts.len()), (20, Some(0.0), NAMES));
        let mut other = Occurrences::default();
        other.add(-1.0, ["c0".to_owned()]);
        o.join(&other);
        assert_eq!((o.count, o.first), (21, Some(-1.0)));
    }

    #[test]
    fn the_worst_is_kept_and_nothing_hides_a_nan() {
        let mut w = Worst::default();
        for (t, x) in [(1.0, 0.5), (2.0, 3.0), (3.0, 1.0)] {
            w.observe(x, t, String::new);
        }
        assert_eq!((w.value, w.t), (3.0, Some(2.0)));
        w.observe(f64::NAN, 4.0, || "floor".to_owned());
        w.observe(9.0, 5.0, String::new);
        assert!(w.value.is_nan() && w.t == Some(4.0) && w.contact == "floor");
    }
}
