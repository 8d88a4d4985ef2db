//! Changes of a mechanism that keep its references valid.

use super::{
    Body, Contact, ContactKind, Force, ForceKind, Joint, JointKind, Mechanism, Place, V3, add,
};

impl JointKind {
    /// Frames on which it is defined.
    pub fn places(&mut self) -> Vec<&mut Place> {
        match self {
            JointKind::Pair { between, .. } => between.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// Joints to which it refers.
    pub fn joints(&mut self) -> Vec<&mut String> {
        match self {
            JointKind::Pair { .. } => Vec::new(),
            JointKind::Gear { joints, .. } | JointKind::Rack { joints, .. } => {
                joints.iter_mut().collect()
            }
            JointKind::Motion { joint, .. } => vec![joint],
        }
    }
}

impl ForceKind {
    /// Frames it acts on.
    pub fn places(&mut self) -> Vec<&mut Place> {
        match self {
            ForceKind::Push { at, .. } => vec![at],
            ForceKind::Spring { between, .. }
            | ForceKind::Bushing { between, .. }
            | ForceKind::Beam { between, .. } => between.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The joint to which it refers.
    pub fn joint(&mut self) -> Option<&mut String> {
        match self {
            ForceKind::Torsion { joint, .. } | ForceKind::Actuator { joint, .. } => Some(joint),
            _ => None,
        }
    }
}

impl ContactKind {
    /// Frames it acts on.
    pub fn places(&mut self) -> Vec<&mut Place> {
        match self {
            ContactKind::Rope { between, .. } => between.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The joint to which it refers.
    pub fn joint(&mut self) -> Option<&mut String> {
        match self {
            ContactKind::Limit { joint, .. }
            | ContactKind::OneWay { joint, .. }
            | ContactKind::Dry { joint, .. } => Some(joint),
            _ => None,
        }
    }

    /// The shapes to which it refers.
    pub fn shapes(&mut self) -> Vec<&mut String> {
        match self {
            ContactKind::Shapes { one, other, .. } => one.iter_mut().chain(other).collect(),
            _ => Vec::new(),
        }
    }
}

impl Mechanism {
    /// Every frame of the mechanism.
    pub fn places(&mut self) -> Vec<&mut Place> {
        let mut all: Vec<&mut Place> = Vec::new();
        all.extend(self.joints.iter_mut().flat_map(|j| j.kind.places()));
        all.extend(self.forces.iter_mut().flat_map(|f| f.kind.places()));
        all.extend(self.shapes.iter_mut().map(|s| &mut s.on));
        all.extend(self.contacts.iter_mut().flat_map(|c| c.kind.places()));
        all
    }

    /// The mechanism without a body and everything attached to it.
    pub fn without_body(&self, name: &str) -> Mechanism {
        let mut m = self.clone();
        let touched = |places: Vec<&mut Place>| places.iter().any(|p| p.is_on(name));
        m.bodies.retain(|b| b.name != name);
        m.joints.retain_mut(|j| !touched(j.kind.places()));
        m.forces.retain_mut(|f| {
            let twisted = matches!(&f.kind, ForceKind::Twist { body, .. } if body == name);
            !twisted && !touched(f.kind.places())
        });
        m.shapes.retain(|s| !s.on.is_on(name));
        m.contacts.retain_mut(|c| !touched(c.kind.places()));
        m.clean();
        m
    }

    /// The mechanism without a joint and everything that refers to it.
    pub fn without_joint(&self, name: &str) -> Mechanism {
        let mut m = self.clone();
        m.joints.retain(|j| j.name != name);
        m.clean();
        m
    }

    /// Removes everything that refers to a joint or shape that no longer exists, then shapes that no contact uses.
    fn clean(&mut self) {
        loop {
            let names: Vec<String> = self.joints.iter().map(|j| j.name.clone()).collect();
            let before = names.len();
            self.joints.retain_mut(|j| j.kind.joints().iter().all(|n| names.contains(n)));
            let known = |joint: Option<&mut String>| joint.is_none_or(|n| names.contains(n));
            self.forces.retain_mut(|f| known(f.kind.joint()));
            self.contacts.retain_mut(|c| known(c.kind.joint()));
            if self.joints.len() == before {
                break;
            }
        }
        let shapes: Vec<String> = self.shapes.iter().map(|s| s.name.clone()).collect();
        for c in &mut self.contacts {
            if let ContactKind::Shapes { one, other, .. } = &mut c.kind {
                one.retain(|s| shapes.contains(s));
                other.retain(|s| shapes.contains(s));
            }
        }
        self.contacts.retain(|c| {
            !matches!(&c.kind, ContactKind::Shapes { one, other, .. } if one.is_empty() || other.is_empty())
        });
        let contacts = &self.contacts;
        self.shapes.retain(|s| {
            contacts.iter().any(|c| match &c.kind {
                ContactKind::Shapes { one, other, .. } => {
                    one.contains(&s.name) || other.contains(&s.name)
                }
                _ => false,
            })
        });
    }

    /// The mechanism without a contact and the shapes that no other contact uses.
    pub fn without_contact(&self, name: &str) -> Mechanism {
        let mut m = self.clone();
        m.contacts.retain(|c| c.name != name);
        m.clean();
        m
    }

    /// Puts a prefix before all names.
    pub fn prefixed(&self, mark: &str) -> Mechanism {
        let mut m = self.clone();
        let prefix = |n: &mut String| n.insert_str(0, mark);
        for place in m.places() {
            if let Some(b) = &mut place.body {
                prefix(b);
            }
        }
        m.bodies.iter_mut().for_each(|b: &mut Body| prefix(&mut b.name));
        for Joint { name, kind } in &mut m.joints {
            prefix(name);
            kind.joints().into_iter().for_each(prefix);
        }
        for Force { name, kind } in &mut m.forces {
            prefix(name);
            if let ForceKind::Twist { body, .. } = kind {
                prefix(body);
            }
            kind.joint().into_iter().for_each(prefix);
        }
        m.shapes.iter_mut().for_each(|s| prefix(&mut s.name));
        for Contact { name, kind, .. } in &mut m.contacts {
            prefix(name);
            kind.joint().into_iter().for_each(prefix);
            kind.shapes().into_iter().for_each(prefix);
        }
        m
    }

    /// The mechanism at another place.
    pub fn moved(&self, by: V3) -> Mechanism {
        let mut m = self.clone();
        m.bodies.iter_mut().for_each(|b| b.at = add(b.at, by));
        for place in m.places() {
            if place.body.is_none() {
                place.at = add(place.at, by);
            }
        }
        m
    }

    /// The mechanism together with another one under the same gravity.
    pub fn beside(&self, other: &Mechanism) -> Mechanism {
        let mut m = self.clone();
        m.bodies.extend(other.bodies.iter().cloned());
        m.joints.extend(other.joints.iter().cloned());
        m.forces.extend(other.forces.iter().cloned());
        m.shapes.extend(other.shapes.iter().cloned());
        m.contacts.extend(other.contacts.iter().cloned());
        m
    }
}
