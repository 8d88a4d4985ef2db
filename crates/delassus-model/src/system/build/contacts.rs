//! One-sided interactions: scalars of stops and ropes, shapes and which of them can meet.

use super::Builder;
use crate::joint::ScalarDraft;
use crate::system::contact::bristles::{self, Bristles};
use crate::system::contact::curvature;
use crate::system::contact::pairs::{Pairs, Rule, Sides};
use crate::system::contact::scalars::{ScalarContact, ScalarPoint};
use crate::system::contact::shapes::{self, ShapeLayout};
use crate::system::scalar::{PairScalar, ScalarKind};
use crate::{BodyId, ContactKind, Coordinate, Diagnostic, ShapeId, Surface};
use delassus_dae::{PointLaw, Restitution};
use delassus_math::Vec3;

fn smooth(restitution: Restitution) -> PointLaw {
    PointLaw::Contact { mu: 0.0, mu_static: 0.0, restitution, tangential: 0 }
}

/// Law of a contact with friction in so many directions.
pub(crate) fn rough(s: &Surface, directions: usize) -> PointLaw {
    let tangential = if s.static_friction > 0.0 { directions } else { 0 };
    PointLaw::Contact {
        mu: s.friction,
        mu_static: s.static_friction,
        restitution: s.restitution,
        tangential,
    }
}

impl Builder {
    pub(super) fn make_contacts(&mut self) {
        if self.sys.model.contacts.is_empty() {
            return;
        }
        for k in 0..self.sys.model.contacts.len() {
            let contact = self.sys.model.contacts[k].clone();
            let points = match contact.kind {
                ContactKind::Shapes { .. } => continue,
                ContactKind::Limit { coordinate, lower, upper, restitution } => {
                    let s = self.coordinate(&coordinate, true);
                    let law = smooth(restitution);
                    let stop = |sign: f64, at: f64, label| {
                        self.point(vec![(sign, s.clone())], -sign * at, Vec::new(), law, label)
                    };
                    let lower = lower.map(|x| stop(1.0, x, "lower"));
                    let upper = upper.map(|x| stop(-1.0, x, "upper"));
                    lower.into_iter().chain(upper).collect()
                }
                ContactKind::Rope { a, b, length, restitution } => {
                    let s = self.scalar(&ScalarDraft { kind: ScalarKind::Length, a, b }, false);
                    let length = length.unwrap_or_else(|| {
                        let ws = self.kinematics(&self.sys.given_configuration());
                        s.kind.value(&self.sys.pair(&ws, &s), &[])
                    });
                    if !(length > 0.0) {
                        self.faults.push(
                            Diagnostic::error(
                                "E_DEGENERATE_DIRECTION",
                                format!("contact.{}", contact.name),
                                "the ends of the rope coincide at the start, so it has no length",
                            )
                            .help("give `length`"),
                        );
                    }
                    vec![self.point(vec![(-1.0, s)], length, Vec::new(), smooth(restitution), "")]
                }
                ContactKind::OneWay { coordinate, sign } => {
                    let s = self.coordinate(&coordinate, false);
                    vec![self.point(vec![(sign, s)], 0.0, Vec::new(), PointLaw::OneWay, "")]
                }
                ContactKind::DryFriction { coordinate, bound, bound_static, .. } => {
                    let s = self.coordinate(&coordinate, false);
                    let law = PointLaw::DryFriction { bound, bound_static };
                    vec![self.point(vec![(1.0, s)], 0.0, Vec::new(), law, "")]
                }
                ContactKind::Coordinates { gap, offset, slip, surface } => {
                    let gap = self.weighted(&gap, true);
                    let slip = self.weighted(&slip, false);
                    let law = rough(&surface, usize::from(!slip.is_empty()));
                    vec![self.point(gap, offset, slip, law, "")]
                }
            };
            self.sys.contacts.scalars.push(ScalarContact { contact: k, points });
        }
        self.make_shapes();
    }

    fn weighted(&mut self, terms: &[(Coordinate, f64)], turns: bool) -> Vec<(f64, PairScalar)> {
        terms.iter().map(|(c, factor)| (*factor, self.coordinate(c, turns))).collect()
    }

    fn point(
        &self,
        terms: Vec<(f64, PairScalar)>,
        offset: f64,
        slip: Vec<(f64, PairScalar)>,
        law: PointLaw,
        label: &'static str,
    ) -> ScalarPoint {
        let frames = terms.iter().chain(&slip).flat_map(|(_, s)| [s.a, s.b]);
        let mut cols: Vec<usize> = frames.flat_map(|f| self.sys.frames[f].span()).collect();
        cols.sort_unstable();
        cols.dedup();
        ScalarPoint { terms, offset, slip, law, cols, label }
    }

    /// States of bristles come before those of inputs.
    pub(super) fn make_bristles(&mut self) {
        let sys = &mut self.sys;
        let contacts = &mut sys.contacts;
        match Bristles::new(&contacts.pairs, &contacts.shapes, &contacts.prepared, sys.dims.nz) {
            Ok((bristles, n)) => {
                contacts.bristles = bristles;
                sys.dims.nz += n;
            }
            Err(rule) => {
                let name = &sys.model.contacts[contacts.pairs.rules[rule].contact].name;
                let text = format!(
                    "the friction law lugre has states at every point where two shapes may touch, and here these are \
                     more than {}",
                    bristles::MOST
                );
                let path = format!("contact.{name}.friction_law");
                let fault = Diagnostic::error("E_LIMIT", path, text);
                self.faults
                    .push(fault.help("name fewer pairs of shapes, or take a law without memory"));
            }
        }
    }

    fn make_shapes(&mut self) {
        let n = self.sys.bodies.len();
        let mut sides: Vec<(Vec<usize>, Option<Vec<usize>>)> = Vec::new();
        let mut rules = Vec::new();
        let numbers = |list: &[ShapeId]| list.iter().map(|id| id.0).collect::<Vec<_>>();
        for (k, contact) in self.sys.model.contacts.iter().enumerate() {
            if let ContactKind::Shapes { a, b, surface, law } = &contact.kind {
                sides.push((numbers(a), b.as_deref().map(numbers)));
                let single = a.len() == 1 && b.as_ref().is_some_and(|b| b.len() == 1);
                rules.push(Rule { contact: k, surface: *surface, law: law.clone(), single });
            }
        }
        if rules.is_empty() {
            return;
        }
        let mut layouts = Vec::with_capacity(self.sys.model.shapes.len());
        for k in 0..self.sys.model.shapes.len() {
            let shape = self.sys.model.shapes[k].clone();
            let of = |b: BodyId| &self.sys.bodies[b.0];
            // on a node places are measured from the node
            let rigid = shape.frame.body.filter(|_| shape.frame.node.is_none());
            let com = rigid.map_or(Vec3::zeros(), |b| of(b).com);
            let planar = shape.frame.body.is_some_and(|b| of(b).kind.is_planar());
            let frame = self.carrier(&shape.frame);
            let from = com + self.sys.frames[frame].r_b;
            match ShapeLayout::new(&shape, (frame, n), &from, planar) {
                Ok(layout) => layouts.push(layout),
                Err(what) => {
                    let path = format!("shape.{}", shape.name);
                    let (code, help) = match what.is_limit() {
                        true => {
                            ("E_LIMIT", "describe the shape by fewer points, or by several shapes")
                        }
                        false => ("E_SHAPE_FORM", "correct the sizes and points of the shape"),
                    };
                    let fault = Diagnostic::error(code, path, what.to_string());
                    self.faults.push(fault.help(help));
                }
            }
        }
        if !self.faults.is_empty() {
            return;
        }
        let sys = &mut self.sys;
        let body: Vec<usize> = layouts.iter().map(|s| s.body).collect();
        let sides: Vec<Sides<'_>> =
            sides.iter().map(|(a, b)| Sides { a, b: b.as_deref() }).collect();
        for (rule, sides) in rules.iter().zip(&sides) {
            let name = &sys.model.contacts[rule.contact].name;
            shapes::check_pairs(name, &sys.model.shapes, &layouts, sides, &mut self.faults);
            if let Some(law) = &rule.law {
                curvature::check(name, law, &sys.model.shapes, sides, &mut self.faults);
            }
        }
        shapes::classify(&mut layouts);
        let pairs = Pairs::new(rules, &sides, &body);
        let prepared = &mut sys.contacts.prepared;
        for p in &pairs.listed {
            prepared.add(&layouts[p.a], &layouts[p.b]);
        }
        if pairs.are_many() {
            shapes::prepare_classes(&layouts, &pairs, prepared);
        }
        sys.contacts.pairs = pairs;
        sys.contacts.shapes = layouts;
    }
}
