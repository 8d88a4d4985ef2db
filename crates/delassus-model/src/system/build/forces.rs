//! Force elements, and the states of controllers and tyres.

use super::Builder;
use crate::joint::{Context, ScalarDraft};
use crate::system::beam::Element;
use crate::system::force::{Applied, Bushing, ForceLaw, ScalarForce};
use crate::system::scalar::{PairScalar, ScalarKind};
use crate::system::tyre::Tyre;
use crate::{ForceKind, Frame, Wheel};

impl Builder {
    pub(super) fn make_forces(&mut self) {
        let q0 = self.sys.given_configuration();
        for i in 0..self.sys.model.forces.len() {
            let force = self.sys.model.forces[i].clone();
            let name = force.name;
            match force.kind {
                ForceKind::Force { at, frame, components } => {
                    self.applied(name, &at, &frame, components, false);
                }
                ForceKind::Torque { at, frame, components } => {
                    self.applied(name, &at, &frame, components, true);
                }
                ForceKind::Spring { a, b, law } => {
                    let draft = ScalarDraft { kind: ScalarKind::Length, a, b };
                    let scalar = self.scalar(&draft, false);
                    let ws = self.kinematics(&q0);
                    let start = scalar.kind.value(&self.sys.pair(&ws, &scalar), &[]);
                    self.scalar_force(name, scalar, ForceLaw::linear(&law, start));
                }
                ForceKind::Torsion { coordinate, law } => {
                    let scalar = self.coordinate(&coordinate, true);
                    self.scalar_force(name, scalar, ForceLaw::linear(&law, 0.0));
                }
                ForceKind::Bushing { a, b, k, c } => {
                    let (fa, fb) = (self.frame(&a), self.frame(&b));
                    self.sys.bushings.push(Bushing {
                        name,
                        a: fa,
                        b: fb,
                        r_a: a.r,
                        r_b: b.r,
                        k: *k,
                        c: *c,
                    });
                }
                ForceKind::Beam(element) => {
                    let (a, b) = (self.frame(&element.a), self.frame(&element.b));
                    let planar = [(&element.a, a), (&element.b, b)]
                        .into_iter()
                        .all(|(f, k)| self.is_planar(f) && self.sys.frames[k].r_b.z == 0.0);
                    self.sys.beam_elements.push(Element::new(name, &element, a, b, planar));
                }
                ForceKind::Tyre(tyre) => {
                    let at = self.frame(&tyre.at);
                    self.sys.tyres.push(Tyre { name, force: i, at, tyre: *tyre, z: [None; 2] });
                }
                ForceKind::Actuator { coordinate, target, control, kp, ki, kd } => {
                    let scalar = self.coordinate(&coordinate, true);
                    let law = ForceLaw::Actuator { target, control, kp, ki, kd, z: None };
                    self.scalar_force(name, scalar, law);
                }
            }
        }
    }

    /// Integrals of controllers, after all turn counters.
    pub(super) fn make_integrals(&mut self) {
        for f in &mut self.sys.scalar_forces {
            if let ForceLaw::Actuator { ki, z, .. } = &mut f.law
                && *ki != 0.0
            {
                *z = Some(self.sys.dims.nz);
                self.sys.integrates = true;
                self.sys.dims.nz += 1;
            }
        }
    }

    /// Deflections of tyres along the road.
    pub(super) fn make_deflections(&mut self) {
        for tyre in &mut self.sys.tyres {
            let data = &tyre.tyre.data;
            let along = tyre.tyre.wheel == Wheel::Spins && data.relaxation[0] > 0.0;
            for (z, has) in tyre.z.iter_mut().zip([along, data.relaxation[1] > 0.0]) {
                if has {
                    *z = Some(self.sys.dims.nz);
                    self.sys.integrates = true;
                    self.sys.dims.nz += 1;
                }
            }
        }
    }

    /// Inputs are the last auxiliary states: their values are part of the state, and stay constant.
    pub(super) fn make_inputs(&mut self) {
        self.sys.dims.nz += self.sys.model.inputs.len();
    }

    fn scalar_force(&mut self, name: String, scalar: PairScalar, law: ForceLaw) {
        let (reads, readings) = (Vec::new(), 0..0);
        self.sys.scalar_forces.push(ScalarForce { name, scalar, law, reads, readings });
    }

    fn applied(
        &mut self,
        name: String,
        at: &Frame,
        frame: &Frame,
        components: [delassus_expr::Expr; 3],
        torque: bool,
    ) {
        let (at, axes) = (self.frame(at), self.axes(frame));
        self.sys.applied.push(Applied { name, at, axes, components, torque, reads: Vec::new() });
    }
}
