//! How much the expressions of a model have to compute, by element.

use super::System;
use super::force::ForceLaw;
use super::probe::Probe;
use delassus_expr::Expr;

impl System {
    /// Operations of the expressions of each force and sensor that has some, in one evaluation.
    pub fn expression_work(&self) -> Vec<(String, usize)> {
        let mut out = Vec::new();
        for a in &self.applied {
            let work = a.components.iter().map(Expr::operations).sum();
            out.push((format!("force \"{}\"", a.name), work));
        }
        for f in &self.scalar_forces {
            let e = match &f.law {
                ForceLaw::Linear { .. } => continue,
                ForceLaw::Expression(e) => e,
                ForceLaw::Actuator { target, .. } => target,
            };
            out.push((format!("force \"{}\"", f.name), e.operations()));
        }
        for (probe, sensor) in self.probes.iter().zip(&self.model.sensors) {
            if let Probe::Expression(e) = probe {
                out.push((format!("sensor \"{}\"", sensor.name), e.operations()));
            }
        }
        out
    }
}
