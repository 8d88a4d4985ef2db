//! Many events at one moment: their kind, for a message that names the cause.

use super::trigger::Trigger;
use delassus_dae::PointId;
use delassus_math::{remember, remember_cases};
use delassus_nonsmooth::{Active, SlipState};

/// What keeps happening.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Unrest {
    /// Friction reaches its limit, and sliding stops.
    #[default]
    Friction,
    /// Points open and close.
    Opening,
    /// Parts of shapes alternate.
    Features,
    /// Many points meet, here and there.
    Crowd,
    /// Steps become ever shorter while points are closed.
    Steps,
    /// Steps become ever shorter while points slide and their direction turns.
    Turning,
}
remember_cases!(Unrest { Friction, Opening, Features, Crowd, Steps, Turning });

/// Points that take part in a storm, those with the most events first.
#[derive(Debug, Clone, PartialEq)]
pub struct Storm {
    /// What keeps happening.
    pub unrest: Unrest,
    /// The points.
    pub points: Vec<PointId>,
}

/// Largest number of names in a message.
const NAMED: usize = 3;

impl Storm {
    /// The text of a message: what happens, what causes it, what helps.
    pub fn words(&self, name: impl Fn(PointId) -> String) -> (String, Vec<String>, &'static str) {
        let mut blame: Vec<String> = Vec::new();
        for p in &self.points {
            let name = format!("contact \"{}\"", name(*p));
            if !blame.contains(&name) && blame.len() < NAMED {
                blame.push(name);
            }
        }
        let at = if blame.is_empty() { "contacts".to_owned() } else { blame.join(", ") };
        let (what, help) = match self.unrest {
            Unrest::Friction => (
                format!("sliding begins and stops again and again at one moment at {at}"),
                "friction cannot decide between stick and slip by accelerations here: use --scheme time-stepping, which decides by velocities, with a small --step, or a static friction a little above the sliding one",
            ),
            Unrest::Opening => (
                format!("{at} opens and closes again and again at one moment"),
                "use --scheme hybrid or time-stepping, which pass such a moment; if it comes back at all times, look at what presses these contacts together and pulls them apart at once",
            ),
            Unrest::Features => (
                format!("parts of shapes take turns at one moment at {at}"),
                "round the corners of these shapes (fillet), or use --scheme hybrid or time-stepping",
            ),
            Unrest::Crowd => (
                format!("events of many points crowd together, the most at {at}"),
                "use --scheme hybrid or time-stepping, which do not look for each impact of a heap",
            ),
            Unrest::Steps => (
                format!("steps become ever shorter while contacts are closed, among them {at}"),
                "use --scheme hybrid or time-stepping, or an implicit method (radau5) if a stiff force acts on these bodies",
            ),
            Unrest::Turning => (
                format!("the direction of friction turns ever faster at {at}"),
                "use an implicit method (radau5), or --scheme time-stepping, which decides friction by velocities",
            ),
        };
        (format!("events follow each other with hardly any progress in time: {what}"), blame, help)
    }
}

/// Counts what happens at one moment.
#[derive(Debug, Default)]
pub(super) struct Turns {
    counts: Vec<(Unrest, PointId, u32)>,
}
remember!(Turns { counts });

impl Turns {
    /// Clears the counts when time has advanced.
    pub fn clear(&mut self) {
        self.counts.clear();
    }

    /// Records an event; `active` are the points that were closed before it.
    pub fn add(&mut self, trigger: &Trigger, active: &[Active]) {
        match trigger {
            Trigger::Start | Trigger::Kink(_) => {}
            Trigger::Closes(id, _)
            | Trigger::Appears(id, _)
            | Trigger::Releases(id)
            | Trigger::Parts(id)
            | Trigger::Slackens(id)
            | Trigger::Tightens(id) => self.count(Unrest::Opening, *id),
            Trigger::Slides(id, _) | Trigger::Stops(id) => self.count(Unrest::Friction, *id),
            Trigger::Changes(id) => self.count(Unrest::Features, *id),
            Trigger::Reselect(next) => {
                for a in active {
                    match next.iter().find(|n| n.id == a.id).map(|n| n.motion) {
                        None => self.count(Unrest::Opening, a.id),
                        Some(SlipState::Slip(_)) if a.motion == SlipState::Stick => {
                            self.count(Unrest::Friction, a.id);
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn count(&mut self, unrest: Unrest, id: PointId) {
        match self.counts.iter_mut().find(|c| (c.0, c.1) == (unrest, id)) {
            Some(c) => c.2 += 1,
            None => self.counts.push((unrest, id, 1)),
        }
    }

    /// What happened most, and where.
    pub fn storm(&self) -> Storm {
        let mut all = self.counts.clone();
        all.sort_by_key(|c| std::cmp::Reverse(c.2));
        let unrest = all.first().map_or(Unrest::Friction, |c| c.0);
        let points = all.iter().filter(|c| c.0 == unrest).map(|c| c.1).collect();
        Storm { unrest, points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(k: u64) -> PointId {
        PointId { pair: k, slot: 0 }
    }

    #[test]
    fn the_loudest_is_blamed() {
        let mut turns = Turns::default();
        let slides = Trigger::Slides(id(1), [1.0, 0.0]);
        turns.add(&Trigger::Closes(id(2), [0, 0]), &[]);
        for _ in 0..5 {
            turns.add(&slides, &[]);
            turns.add(&Trigger::Stops(id(1)), &[]);
            turns.add(&Trigger::Stops(id(3)), &[]);
        }
        let storm = turns.storm();
        assert_eq!(storm, Storm { unrest: Unrest::Friction, points: vec![id(1), id(3)] });
        let (detail, blame, help) = storm.words(|p| format!("p{}", p.pair));
        assert_eq!(blame, ["contact \"p1\"", "contact \"p3\""]);
        assert!(detail.contains("p1") && help.contains("velocities"), "{detail} {help}");
        turns.clear();
        let stick = Active { id: id(4), features: [0, 0], motion: SlipState::Stick };
        let slip = Active { motion: SlipState::Slip([1.0, 0.0]), ..stick };
        turns.add(&Trigger::Reselect(vec![]), &[slip]);
        assert_eq!(turns.storm().unrest, Unrest::Opening);
        turns.clear();
        turns.add(&Trigger::Reselect(vec![slip]), &[stick]);
        assert_eq!(turns.storm(), Storm { unrest: Unrest::Friction, points: vec![id(4)] });
    }
}
