//! What causes an event.

use delassus_dae::PointId;
use delassus_math::memory::{Memory, Remember};
use delassus_nonsmooth::Active;

/// What causes an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Trigger {
    /// The start of a run.
    #[default]
    Start,
    /// An open point closes, with these features.
    Closes(PointId, [u32; 2]),
    /// A point of compliant contact comes to face the other shape inside it, with these features.
    Appears(PointId, [u32; 2]),
    /// The force of a closed point vanishes.
    Releases(PointId),
    /// Friction reaches its limit; the direction of sliding that begins.
    Slides(PointId, [f64; 2]),
    /// Sliding stops, or comes close to it in space ([`Slide`]).
    Stops(PointId),
    /// Features hand over to their neighbours.
    Changes(PointId),
    /// The laws choose another mode: this one.
    Reselect(Vec<Active>),
    /// Forces have a kink, and nothing else happens: a sliding point that shares its load with others loses the last of
    /// it, or gains some again, or a point that slides in space turned close to rest.
    Kink(PointId),
    /// The bodies of a pressed point come apart.
    Parts(PointId),
    /// The force of a pressed point vanishes inside, and would pull.
    Slackens(PointId),
    /// The force of a slack point pushes again.
    Tightens(PointId),
}

impl Remember for Trigger {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let (mut id, mut features, mut d, mut next) = Default::default();
        let case = match self {
            Trigger::Start => 0,
            Trigger::Closes(at, f) => {
                (id, features) = (*at, *f);
                1
            }
            Trigger::Releases(at) => {
                id = *at;
                2
            }
            Trigger::Slides(at, way) => {
                (id, d) = (*at, *way);
                3
            }
            Trigger::Stops(at) => {
                id = *at;
                4
            }
            Trigger::Changes(at) => {
                id = *at;
                5
            }
            Trigger::Reselect(active) => {
                next = std::mem::take(active);
                6
            }
            Trigger::Kink(at) => {
                id = *at;
                7
            }
            Trigger::Parts(at) => {
                id = *at;
                8
            }
            Trigger::Slackens(at) => {
                id = *at;
                9
            }
            Trigger::Tightens(at) => {
                id = *at;
                10
            }
            Trigger::Appears(at, f) => {
                (id, features) = (*at, *f);
                11
            }
        };
        let case = m.case(case, 12);
        PointId::remember(&mut id, m);
        features.remember(m);
        d.remember(m);
        next.remember(m);
        *self = match case {
            0 => Trigger::Start,
            1 => Trigger::Closes(id, features),
            2 => Trigger::Releases(id),
            3 => Trigger::Slides(id, d),
            4 => Trigger::Stops(id),
            5 => Trigger::Changes(id),
            6 => Trigger::Reselect(next),
            7 => Trigger::Kink(id),
            8 => Trigger::Parts(id),
            9 => Trigger::Slackens(id),
            10 => Trigger::Tightens(id),
            _ => Trigger::Appears(id, features),
        };
    }
}

impl Trigger {
    /// It is where an event function of one closed point falls through zero.
    pub fn is_of_closed(&self) -> bool {
        matches!(
            self,
            Trigger::Releases(_) | Trigger::Slides(..) | Trigger::Stops(_) | Trigger::Changes(_)
        )
    }

    /// Whether it is one of the functions of a pressed point's force.
    pub fn is_of_pressed(&self) -> bool {
        matches!(self, Trigger::Parts(_) | Trigger::Slackens(_) | Trigger::Tightens(_))
    }

    /// The point whose function it was.
    pub fn point(&self) -> Option<PointId> {
        match self {
            Trigger::Start | Trigger::Reselect(_) => None,
            Trigger::Closes(id, _)
            | Trigger::Appears(id, _)
            | Trigger::Releases(id)
            | Trigger::Slides(id, _)
            | Trigger::Stops(id)
            | Trigger::Changes(id)
            | Trigger::Kink(id)
            | Trigger::Parts(id)
            | Trigger::Slackens(id)
            | Trigger::Tightens(id) => Some(*id),
        }
    }
}
