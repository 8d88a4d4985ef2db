//! What frames are fixed to, numbered for drawings and mode shapes.

use super::{Body, Frame, Model};
use delassus_math::Vec3;

/// A body, or a node of a body that deforms.
#[derive(Debug, Clone, Copy)]
pub struct Carrier<'m> {
    /// The body.
    pub body: &'m Body,
    /// Number of the body in [`Model::bodies`].
    pub number: usize,
    /// Number of its node; `None`: its floating frame, or all of a body that does not deform.
    pub node: Option<usize>,
}

impl Carrier<'_> {
    /// Its name: "rod", "rod.tip".
    pub fn name(&self) -> String {
        let node = self.body.flexible.as_ref().zip(self.node);
        match node.and_then(|(f, k)| f.modal.nodes.get(k)) {
            Some(node) => format!("{}.{}", self.body.name, node.name),
            None => self.body.name.clone(),
        }
    }

    /// Its origin in the body frame while the body is not deformed, m.
    pub fn rest(&self) -> Vec3 {
        let node = self.body.flexible.as_ref().zip(self.node);
        let at = node.and_then(|(f, k)| f.modal.nodes.get(k)).map(|n| n.at + self.body.com);
        at.unwrap_or_default()
    }
}

impl Model {
    /// All bodies, then the nodes of all that deform.
    pub fn carriers(&self) -> impl Iterator<Item = Carrier<'_>> + Clone {
        let bodies = self.bodies.iter().enumerate();
        let nodes = bodies.clone().flat_map(|(number, body)| {
            (0..body.nodes()).map(move |k| Carrier { body, number, node: Some(k) })
        });
        bodies.map(|(number, body)| Carrier { body, number, node: None }).chain(nodes)
    }

    /// Number of what carries a frame among them; `None` for the ground.
    pub fn carrier_of(&self, f: &Frame) -> Option<usize> {
        let body = f.body?.0;
        let Some(node) = f.node else { return Some(body) };
        let before: usize = self.bodies.iter().take(body).map(Body::nodes).sum();
        Some(self.bodies.len() + before + node)
    }
}

impl Body {
    /// Number of its nodes.
    pub fn nodes(&self) -> usize {
        self.flexible.as_ref().map_or(0, |f| f.modal.nodes.len())
    }
}
