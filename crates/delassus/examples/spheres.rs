//! Our side of `benches/peers/spheres.sh`: `spheres SCENE FRAMES [RESIDUAL]`.
//!
//! Builds the scene as a model, with the same kinds of body, shape and contact as
//! `models/spheres_in_box.toml`, and steps it by Moreau–Jean. Positions after every step go to FRAMES
//! (little-endian doubles; none are written where it is `-`), one line of JSON with times to standard
//! output. Only the steps are timed; the run's recorder is not part of them.

#![allow(clippy::print_stdout)]

mod support;

use delassus::model::spec::{ContactSpec, ShapeSpec, ShapeType};
use delassus::prelude::*;
use delassus_nonsmooth::stepping::{Scheme, Stepper, StepperSettings};
use std::io::Write;
use support::{Outcome, cpu_time};

/// One number or one sphere per line; see `benches/peers/spheres/scene.py`.
struct Scene(String);

impl Scene {
    fn get(&self, key: &str) -> Outcome<f64> {
        let line = self.0.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(' '));
        Ok(line.ok_or_else(|| format!("the scene has no {key}"))?.parse()?)
    }

    fn spheres(&self) -> Outcome<Vec<[f64; 3]>> {
        let rows = self.0.lines().filter_map(|l| l.strip_prefix("sphere "));
        rows.map(|r| {
            let x = r.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
            Ok(x.try_into().map_err(|_| "a sphere has three numbers")?)
        })
        .collect()
    }

    /// The model: spheres and five half-spaces, one contact among all.
    fn model(&self) -> Outcome<Assembled> {
        let (radius, half) = (self.get("radius")?, self.get("half_width")?);
        let mass = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * self.get("density")?;
        let inertia = 0.4 * mass * radius * radius;
        let mut m = ModelBuilder::new("spheres").gravity([0.0, 0.0, -self.get("gravity")?]);
        for (k, x) in self.spheres()?.iter().enumerate() {
            let name = format!("ball{k}");
            let body = BodySpec {
                kind: BodyType::Rigid,
                mass: Some(mass.into()),
                inertia: Some(InertiaSpec::List([inertia; 3].map(Scalar::from).to_vec())),
                position: x.map(Scalar::from).to_vec(),
                ..Default::default()
            };
            let shape = ShapeSpec {
                kind: ShapeType::Sphere,
                body: Some(name.clone()),
                radius: Some(radius.into()),
                ..Default::default()
            };
            m = m.body(&name, body).shape(&name, shape);
        }
        let walls = [
            ("floor", [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            ("left", [-half, 0.0, 0.0], [1.0, 0.0, 0.0]),
            ("right", [half, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            ("front", [0.0, -half, 0.0], [0.0, 1.0, 0.0]),
            ("back", [0.0, half, 0.0], [0.0, -1.0, 0.0]),
        ];
        for (name, at, normal) in walls {
            let shape = ShapeSpec {
                kind: ShapeType::HalfSpace,
                body: Some("ground".into()),
                at: at.map(Scalar::from).to_vec(),
                normal: Some(normal.map(Scalar::from).to_vec()),
                ..Default::default()
            };
            m = m.shape(name, shape);
        }
        let contact = ContactSpec {
            among: vec!["*".into()],
            restitution: Some(self.get("restitution")?.into()),
            friction: Some(self.get("friction")?.into()),
            ..Default::default()
        };
        let spec = m
            .contact("all", contact)
            .analysis(AnalysisSpec { end: Some(1.0.into()), ..Default::default() })
            .build();
        Ok(delassus::assemble(&spec)?)
    }
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().collect();
    let [_, scene, frames, rest @ ..] = &args[..] else {
        return Err("spheres SCENE FRAMES [RESIDUAL]".into());
    };
    let scene = Scene(std::fs::read_to_string(scene)?);
    let model = scene.model()?;
    let p = &*model.system;
    let mut settings = StepperSettings::default();
    if let Some(residual) = rest.first() {
        settings.large_tolerance = residual.parse()?;
    }
    let mut out = match frames.as_str() {
        "-" => None,
        path => Some(std::io::BufWriter::new(std::fs::File::create(path)?)),
    };
    let (h, steps) = (scene.get("step")?, scene.get("steps")? as usize);
    let mut s = model.state.clone();
    let mut stepper = Stepper::new(p, Scheme::default(), settings)?;
    stepper.restart(p, &s)?;
    let (mut spent, mut residual, mut depth) = (0.0, 0.0f64, 0.0f64);
    let (mut sweeps, mut corrections, mut halvings, mut most) = (0, 0, 0, 0);
    for _ in 0..steps {
        let start = cpu_time();
        let report = stepper.step(p, &mut s, h)?;
        spent += cpu_time() - start;
        residual = residual.max(report.residual);
        depth = depth.max(report.penetration);
        sweeps += report.iterations;
        corrections += report.corrections;
        halvings += report.halvings;
        most = most.max(report.active);
        if let Some(out) = &mut out {
            for x in s.q.chunks(7).flat_map(|q| &q[..3]) {
                out.write_all(&x.to_le_bytes())?;
            }
        }
    }
    let n = s.v.len() / 6;
    let (radius, density) = (scene.get("radius")?, scene.get("density")?);
    let mass = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * density;
    let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
    let kinetic: f64 = (0..n)
        .map(|i| {
            let v = &s.v[6 * i..6 * i + 6];
            0.5 * mass * (square(&v[..3]) + 0.4 * radius * radius * square(&v[3..]))
        })
        .sum();
    println!(
        r#"{{"program":"Delassus","note":"residual {:.0e}","cpu_s":{spent},"kinetic_j":{kinetic},"residual":{residual},"depth_m":{depth},"sweeps_per_step":{},"corrections_per_step":{},"halvings":{halvings},"contacts":{most}}}"#,
        settings.large_tolerance,
        sweeps as f64 / steps as f64,
        corrections as f64 / steps as f64
    );
    Ok(())
}
