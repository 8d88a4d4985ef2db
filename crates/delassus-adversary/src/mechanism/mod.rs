//! A mechanism as plain data: what generators make, relations transform and files are written from.
//!
//! Everything is described in space. A planar mechanism is one whose bodies are written as planar ones; its vectors
//! have z = 0 and its turns are angles about z.

mod edit;
mod law;
mod turn;
mod view;
mod write;

pub use law::Law;
pub use turn::{Turn, V3, add, cross, norm, perpendicular, sub, times};
pub use view::{Dim, Method, View};
pub use write::{Column, Kind, columns, toml};

/// A whole model.
#[derive(Debug, Clone, PartialEq)]
pub struct Mechanism {
    /// Bodies are `rigid` instead of `planar`.
    pub space: bool,
    pub gravity: V3,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub forces: Vec<Force>,
    pub shapes: Vec<Shape>,
    pub contacts: Vec<Contact>,
    /// Impacts are treated one after another.
    pub sequential: bool,
    /// Duration, s.
    pub end: f64,
    /// Number of intervals of the results.
    pub samples: u32,
    /// Seed for random transformations of this mechanism.
    pub salt: u64,
}

/// A body with a frame in which its markers, shapes and mass centre are given.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    pub name: String,
    pub mass: f64,
    /// Principal moments about the mass centre; in the plane the third is used.
    pub inertia: V3,
    pub com: V3,
    pub at: V3,
    pub turn: Turn,
    /// Velocity of the origin, ground components.
    pub velocity: Option<V3>,
    /// Angular velocity, in body axes.
    pub rate: Option<V3>,
    /// Distance from the origin at which the motion of the body is also measured.
    pub reach: f64,
}

/// A frame on a body, or on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// `None`: the ground.
    pub body: Option<String>,
    pub at: V3,
    pub turn: Turn,
}

/// A joint, or a coupling of joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    pub name: String,
    pub kind: JointKind,
}

#[derive(Debug, Clone, PartialEq)]
// there are few joints at a time: their size does not matter
#[allow(clippy::large_enum_variant)]
pub enum JointKind {
    /// A pair of frames with a type of joint.
    Pair {
        word: &'static str,
        between: [Place; 2],
        axis: Option<V3>,
        axis2: Option<V3>,
        initial_rate: Option<f64>,
        /// `length` of a distance, `pitch` of a screw, `radius` of a rolling disc.
        number: Option<f64>,
    },
    /// A fixed ratio of two angles.
    Gear { joints: [String; 2], ratio: f64 },
    /// An angle coupled to a position.
    Rack { joints: [String; 2], pitch: f64 },
    /// A prescribed function of time.
    Motion { joint: String, law: Law, offset: f64 },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    pub name: String,
    pub kind: ForceKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ForceKind {
    /// A force with a direction fixed on the stage.
    Push {
        at: Place,
        along: V3,
        law: Law,
    },
    /// A torque about a direction fixed on the stage.
    Twist {
        body: String,
        along: V3,
        law: Law,
    },
    Spring {
        between: [Place; 2],
        stiffness: f64,
        damping: f64,
        length: f64,
    },
    Torsion {
        joint: String,
        stiffness: f64,
        damping: f64,
        rest: f64,
    },
    Bushing {
        between: [Place; 2],
        stiffness: [f64; 6],
        damping: [f64; 6],
    },
    /// A massless element of a round beam, straight along x of its first frame.
    Beam {
        between: [Place; 2],
        length: f64,
        /// EA, N.
        stretch: f64,
        /// EI, N m².
        bend: f64,
        damping: f64,
    },
    Actuator {
        joint: String,
        target: Law,
        offset: f64,
        kp: f64,
        ki: f64,
        kd: f64,
        rate: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    pub name: String,
    pub on: Place,
    pub form: Form,
}

/// The same shapes in the plane and in space.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    Point,
    /// Circle or sphere.
    Ball(f64),
    /// Half-plane or half-space with its normal along y of its place.
    Floor,
    /// Rectangle or box, given by its edges.
    Block(V3),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    pub name: String,
    pub kind: ContactKind,
    /// Of shapes that yield instead of bouncing at once.
    pub cushion: Option<Cushion>,
}

/// A law of compliant contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Cushion {
    pub law: &'static str,
    pub stiffness: f64,
    /// Whole, so that the stiffness has a unit.
    pub exponent: u8,
    /// Speed below which losses count as at this one, m/s; it has a unit too.
    pub least_speed: f64,
    /// Speed up to which friction rises, m/s.
    pub creep_speed: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ContactKind {
    Shapes {
        one: Vec<String>,
        other: Vec<String>,
        restitution: f64,
        law: &'static str,
        friction: f64,
        static_friction: Option<f64>,
    },
    Limit {
        joint: String,
        lower: Option<f64>,
        upper: Option<f64>,
        restitution: f64,
    },
    Rope {
        between: [Place; 2],
        length: f64,
        restitution: f64,
    },
    OneWay {
        joint: String,
        direction: i32,
    },
    Dry {
        joint: String,
        bound: f64,
        static_bound: Option<f64>,
    },
}

impl Place {
    /// A point on the ground.
    pub fn ground(at: V3) -> Place {
        Place { body: None, at, turn: Turn::NONE }
    }

    /// A point on a body.
    pub fn on(body: &str, at: V3) -> Place {
        Place { body: Some(body.to_owned()), at, turn: Turn::NONE }
    }

    /// The same place, turned.
    pub fn turned(self, turn: Turn) -> Place {
        Place { turn, ..self }
    }

    /// Is it on this body?
    pub fn is_on(&self, body: &str) -> bool {
        self.body.as_deref() == Some(body)
    }
}

impl Mechanism {
    /// An empty mechanism that lasts `end` seconds.
    pub fn new(space: bool, end: f64) -> Mechanism {
        Mechanism {
            space,
            gravity: [0.0; 3],
            bodies: Vec::new(),
            joints: Vec::new(),
            forces: Vec::new(),
            shapes: Vec::new(),
            contacts: Vec::new(),
            sequential: false,
            end,
            samples: 40,
            salt: 0,
        }
    }

    /// Adds a body at rest and returns its name.
    pub fn body(
        &mut self,
        name: &str,
        mass: f64,
        inertia: V3,
        com: V3,
        at: V3,
        turn: Turn,
    ) -> String {
        let reach = norm(com).max((inertia[2] / mass).sqrt());
        self.bodies.push(Body {
            name: name.to_owned(),
            mass,
            inertia,
            com,
            at,
            turn,
            velocity: None,
            rate: None,
            reach,
        });
        name.to_owned()
    }

    /// Adds a joint between two frames and returns its name.
    pub fn pair(
        &mut self,
        name: &str,
        word: &'static str,
        between: [Place; 2],
        axis: Option<V3>,
    ) -> String {
        let kind =
            JointKind::Pair { word, between, axis, axis2: None, initial_rate: None, number: None };
        self.joints.push(Joint { name: name.to_owned(), kind });
        name.to_owned()
    }

    /// Adds a joint of another kind.
    pub fn joint(&mut self, name: &str, kind: JointKind) {
        self.joints.push(Joint { name: name.to_owned(), kind });
    }

    /// Adds a force.
    pub fn force(&mut self, name: &str, kind: ForceKind) {
        self.forces.push(Force { name: name.to_owned(), kind });
    }

    /// Adds a shape and returns its name.
    pub fn shape(&mut self, name: &str, on: Place, form: Form) -> String {
        self.shapes.push(Shape { name: name.to_owned(), on, form });
        name.to_owned()
    }

    /// Adds a contact.
    pub fn contact(&mut self, name: &str, kind: ContactKind) {
        self.contacts.push(Contact { name: name.to_owned(), kind, cushion: None });
    }

    /// Adds a compliant contact of shapes.
    pub fn yielding(&mut self, name: &str, kind: ContactKind, cushion: Cushion) {
        self.contacts.push(Contact { name: name.to_owned(), kind, cushion: Some(cushion) });
    }

    /// Whether some contact yields.
    pub fn has_cushions(&self) -> bool {
        self.contacts.iter().any(|c| c.cushion.is_some())
    }

    /// Whether this joint's own coordinate is in metres. `None` if it has none.
    pub fn is_position(&self, joint: &str) -> Option<bool> {
        let found = self.joints.iter().find(|j| j.name == joint)?;
        match &found.kind {
            JointKind::Pair { word: "revolute" | "cylindrical" | "screw" | "planar", .. } => {
                Some(false)
            }
            JointKind::Pair { word: "prismatic", .. } => Some(true),
            _ => None,
        }
    }

    /// Dimension of a joint's coordinate.
    pub fn coordinate(&self, joint: &str) -> Dim {
        if self.is_position(joint) == Some(true) { Dim::LENGTH } else { Dim::NONE }
    }

    /// Whether anything is one-sided or has friction.
    pub fn has_contacts(&self) -> bool {
        !self.contacts.is_empty()
    }

    /// The body with this name.
    pub fn find(&self, body: &str) -> Option<&Body> {
        self.bodies.iter().find(|b| b.name == body)
    }

    /// Where a frame is at the start.
    pub fn pose(&self, place: &Place) -> (V3, Turn) {
        match place.body.as_deref().and_then(|b| self.find(b)) {
            None => (place.at, place.turn),
            Some(b) => (add(b.at, b.turn.of(place.at)), b.turn.after(place.turn)),
        }
    }
}
