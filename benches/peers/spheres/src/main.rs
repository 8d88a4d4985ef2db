//! Rapier (f64, one thread) on the scene of `spheres.sh`: `spheres-rapier SCENE FRAMES LENGTH_UNIT`.
//!
//! Steps the scene with the settings Rapier ships, except for the step, gravity and the unit of length
//! (Rapier's own knob for the size of the objects: the overlap that it tolerates is 0.005 of it). Bodies
//! may not fall asleep, so that every step is computed. Positions after every step go to FRAMES, a line
//! of JSON with times goes to standard output. Only `step` is timed.

use rapier3d_f64::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use std::io::Write;

fn clock(id: ClockId) -> f64 {
    let t = clock_gettime(id);
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}

struct Scene {
    text: String,
}

impl Scene {
    fn get(&self, key: &str) -> f64 {
        let line = self.text.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(' '));
        line.and_then(|v| v.parse().ok()).unwrap_or_else(|| panic!("the scene has no {key}"))
    }

    fn spheres(&self) -> Vec<Vector> {
        let rows = self.text.lines().filter_map(|l| l.strip_prefix("sphere "));
        rows.map(|r| {
            let x: Vec<f64> = r.split(' ').map(|v| v.parse().expect("a number")).collect();
            Vector::new(x[0], x[1], x[2])
        })
        .collect()
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scene = Scene { text: std::fs::read_to_string(&args[1]).expect("the scene") };
    let (radius, half) = (scene.get("radius"), scene.get("half_width"));
    let material = |c: ColliderBuilder| {
        c.friction(scene.get("friction")).restitution(scene.get("restitution"))
    };
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -scene.get("gravity"));
    world.integration_parameters.dt = scene.get("step");
    world.integration_parameters.length_unit = args[3].parse().expect("a length");
    for (n, at) in [
        (Vector::Z, Vector::ZERO),
        (Vector::X, Vector::X * -half),
        (-Vector::X, Vector::X * half),
        (Vector::Y, Vector::Y * -half),
        (-Vector::Y, Vector::Y * half),
    ] {
        let wall = ColliderBuilder::new(SharedShape::halfspace(n));
        world.insert_collider(material(wall).translation(at), None);
    }
    let balls: Vec<RigidBodyHandle> = scene
        .spheres()
        .iter()
        .map(|x| {
            let body = RigidBodyBuilder::dynamic().translation(*x).can_sleep(false);
            let ball = material(ColliderBuilder::ball(radius)).density(scene.get("density"));
            world.insert(body, ball).0
        })
        .collect();
    let mut frames = std::io::BufWriter::new(std::fs::File::create(&args[2]).expect("frames"));
    let steps = scene.get("steps") as usize;
    let (mut own, mut all) = (0.0, 0.0);
    for _ in 0..steps {
        let (a, b) = (clock(ClockId::ThreadCPUTime), clock(ClockId::ProcessCPUTime));
        world.step();
        own += clock(ClockId::ThreadCPUTime) - a;
        all += clock(ClockId::ProcessCPUTime) - b;
        for k in &balls {
            let x = world.bodies[*k].translation();
            for v in [x.x, x.y, x.z] {
                frames.write_all(&v.to_le_bytes()).expect("frames");
            }
        }
    }
    let kinetic: f64 = balls.iter().map(|k| world.bodies[*k].kinetic_energy()).sum();
    println!(
        r#"{{"program":"Rapier 0.36.1","note":"length unit {} m","cpu_s":{own},"process_cpu_s":{all},"kinetic_j":{kinetic}}}"#,
        args[3]
    );
}
