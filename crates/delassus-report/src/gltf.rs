//! The motion as glTF 2.0 in one binary file (GLB): a node per body with its positions and
//! orientations over time, and simple meshes from shapes, or sticks between the joints.

use crate::encode::Array;
use crate::payload::push_poses;
use crate::report::Report;
use crate::scene::{Geometry, Scene, SceneShape};
use delassus_io::results::MotionFile;
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use serde_json::{Map, Value, json};
use std::f64::consts::TAU;

/// Component types of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
/// Thickness of a stick, as a fraction of the scene size.
const STICK: f64 = 0.012;
/// Segments around a cylinder or ball.
const ROUND: u32 = 16;
/// Colours of bodies, linear.
const COLOURS: [[f64; 3]; 6] = [
    [0.0, 0.17, 0.45],
    [0.67, 0.11, 0.0],
    [0.0, 0.34, 0.17],
    [0.60, 0.19, 0.39],
    [0.79, 0.35, 0.0],
    [0.09, 0.46, 0.81],
];

impl Report {
    /// The motion as a GLB file; an error says what is missing.
    pub fn glb(&self) -> Result<Vec<u8>, String> {
        let Some(d) = &self.description else {
            return Err("the scene of the model is missing or cannot be read".to_owned());
        };
        let rows: Vec<usize> = (0..self.motion.t.len())
            .filter(|r| {
                let row = self.motion.row(*r).unwrap_or_default();
                self.motion.t[*r].is_finite() && row.iter().all(|x| x.is_finite())
            })
            .collect();
        if rows.is_empty() {
            return Err("the motion is missing or cannot be read".to_owned());
        }
        let mut file = File::default();
        file.build(&d.scene, &self.motion, &rows, &self.title());
        Ok(file.bytes())
    }
}

/// A glTF file under construction.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    root: Value,
    animation: Value,
    /// Unit meshes: accessors of corners and indices.
    unit: Map<String, Value>,
}

impl File {
    fn build(&mut self, scene: &Scene, motion: &MotionFile, rows: &[usize], title: &str) {
        for colour in COLOURS.iter().chain([&[0.2, 0.2, 0.2]]) {
            let [r, g, b] = colour;
            self.materials.push(json!({
                "pbrMetallicRoughness": {
                    "baseColorFactor": [r, g, b, 1.0],
                    "metallicFactor": 0.1,
                    "roughnessFactor": 0.7,
                },
                "doubleSided": true,
            }));
        }
        let mut tops = Vec::new();
        for i in 0..scene.bodies.len() {
            let node = self.body(scene, i);
            tops.push(node);
        }
        self.animate(&tops, motion, rows);
        // y is up in glTF
        let up = Vec3::from(scene.up);
        let turn = match up.iamax() {
            1 if up.y > 0.0 => Mat3::identity(),
            _ if up.norm() < 0.5 => Mat3::identity(),
            _ => {
                // rows: the directions of x, y and z of the file
                let f = frame_from_z(&up);
                Mat3::from_rows(&[
                    f.column(0).transpose(),
                    f.column(2).transpose(),
                    -f.column(1).transpose(),
                ])
            }
        };
        let root = self.nodes.len();
        let q = xyzw(&Quat::from_matrix(&turn));
        self.nodes.push(json!({ "name": title, "rotation": q, "children": tops }));
        self.root = root.into();
    }

    /// Adds the node of a body, with what is drawn of it as children; returns its number.
    fn body(&mut self, scene: &Scene, i: usize) -> usize {
        let body = &scene.bodies[i];
        let of = body.of_beam.unwrap_or(i);
        let colour = if i == 0 { COLOURS.len() } else { (of - 1) % COLOURS.len() };
        let thick = STICK * scene.size;
        let mut children = Vec::new();
        if body.shapes.is_empty() {
            let joints = scene.joints.iter().flat_map(|j| [Some(j.a), Some(j.b)]);
            let forces = scene.forces.iter().flat_map(|f| [Some(f.a), f.b]);
            let mut ends: Vec<[f64; 3]> = Vec::new();
            for a in joints.chain(forces).flatten().filter(|a| a.body == i) {
                if !ends.contains(&a.p) {
                    ends.push(a.p);
                }
            }
            let com = Vec3::from(body.com);
            for end in ends.iter().map(|e| Vec3::from(*e)) {
                children.push(self.ball(&end, thick, colour));
                if i > 0 {
                    children.extend(self.stick(&com, &end, thick, colour));
                }
            }
            if i > 0 {
                children.push(self.ball(&com, 1.3 * thick, colour));
            }
        }
        for shape in &body.shapes {
            let n = self.shape(shape, scene, colour);
            children.push(n);
        }
        let mut node = Map::new();
        node.insert("name".into(), body.name.clone().into());
        if !children.is_empty() {
            node.insert("children".into(), children.into());
        }
        self.node(Value::Object(node))
    }

    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn placed(&mut self, mesh: usize, p: &Vec3, r: &Quat, scale: [f64; 3]) -> usize {
        let p: [f64; 3] = (*p).into();
        self.node(json!({ "mesh": mesh, "translation": p, "rotation": xyzw(r), "scale": scale }))
    }

    fn ball(&mut self, p: &Vec3, radius: f64, colour: usize) -> usize {
        let mesh = self.unit("ball", colour);
        self.placed(mesh, p, &Quat::IDENTITY, [radius; 3])
    }

    fn stick(&mut self, a: &Vec3, b: &Vec3, thick: f64, colour: usize) -> Option<usize> {
        let d = b - a;
        let length = d.norm();
        if !(length > 0.0) {
            return None;
        }
        let mesh = self.unit("cylinder", colour);
        let r = Quat::from_matrix(&frame_from_z(&(d / length)));
        let half = 0.5 * thick;
        Some(self.placed(mesh, &((a + b) / 2.0), &r, [half, half, length]))
    }

    fn shape(&mut self, s: &SceneShape, scene: &Scene, colour: usize) -> usize {
        let o = Vec3::zeros();
        let (id, thin) = (Quat::IDENTITY, STICK * scene.size);
        let flat = |p: &[f64; 2]| Vec3::new(p[0], p[1], 0.0);
        let mut parts = Vec::new();
        match &s.geometry {
            Geometry::Sphere { radius } => parts.push(self.ball(&o, *radius, colour)),
            Geometry::Point {} => parts.push(self.ball(&o, thin, colour)),
            Geometry::Box { size } => {
                let mesh = self.unit("box", colour);
                parts.push(self.placed(mesh, &o, &id, *size));
            }
            Geometry::Cylinder { radius, length } => {
                let mesh = self.unit("cylinder", colour);
                parts.push(self.placed(mesh, &o, &id, [*radius, *radius, *length]));
            }
            Geometry::Capsule { radius, length } => {
                let mesh = self.unit("cylinder", colour);
                parts.push(self.placed(mesh, &o, &id, [*radius, *radius, *length]));
                for end in [0.5, -0.5] {
                    parts.push(self.ball(&Vec3::new(0.0, 0.0, end * length), *radius, colour));
                }
            }
            Geometry::Circle { radius } => {
                let mesh = self.unit("cylinder", colour);
                parts.push(self.placed(mesh, &o, &id, [*radius, *radius, thin]));
            }
            Geometry::Plane { size } => {
                let mesh = self.unit("box", colour);
                let below = Vec3::new(0.0, 0.0, -0.005 * size);
                parts.push(self.placed(mesh, &below, &id, [*size, *size, 0.01 * size]));
            }
            Geometry::Line { normal } => {
                let along = Vec3::new(-normal[1], normal[0], 0.0) * scene.size;
                parts.extend(self.stick(&-along, &along, thin, colour));
            }
            Geometry::Segment { a, b } => {
                parts.extend(self.stick(&flat(a), &flat(b), thin, colour));
            }
            Geometry::Polyline { points, closed } => {
                let close = points.last().zip(points.first()).filter(|_| *closed);
                let pairs = points.windows(2).map(|w| (&w[0], &w[1])).chain(close);
                for (a, b) in pairs {
                    parts.extend(self.stick(&flat(a), &flat(b), thin, colour));
                }
            }
            Geometry::Mesh { vertices, triangles, .. } => {
                parts.extend(self.surface(vertices, triangles, colour));
            }
        }
        self.node(json!({
            "translation": s.p,
            "rotation": xyzw(&Quat(s.r).normalized()),
            "children": parts,
        }))
    }

    /// A node with its own triangles; `None` if they cannot be read.
    fn surface(&mut self, vertices: &Array, triangles: &Array, colour: usize) -> Option<usize> {
        let (corners, indices) = (vertices.numbers()?, triangles.numbers()?);
        let corners = corners.chunks_exact(3).map(|x| [x[0] as f32, x[1] as f32, x[2] as f32]);
        let corners: Vec<[f32; 3]> = corners.collect();
        let inside = |x: &f64| *x >= 0.0 && *x < corners.len() as f64;
        if indices.is_empty() || !indices.iter().all(inside) {
            return None;
        }
        let indices = indices.chunks_exact(3).map(|x| [x[0] as u32, x[1] as u32, x[2] as u32]);
        let (corners, indices) =
            (self.corners(&corners), self.indices(&indices.collect::<Vec<_>>()));
        let mesh = self.mesh(corners.into(), indices.into(), colour);
        Some(self.node(json!({ "mesh": mesh })))
    }

    /// A mesh of unit size in a colour, created when it is first needed.
    fn unit(&mut self, name: &str, colour: usize) -> usize {
        let key = format!("{name}{colour}");
        if let Some(mesh) = self.unit.get(&key).and_then(Value::as_u64) {
            return mesh as usize;
        }
        let accessors = match self.unit.get(name) {
            Some(a) => a.clone(),
            None => {
                let (corners, triangles) = match name {
                    "box" => cuboid(),
                    "ball" => ball(),
                    _ => cylinder(),
                };
                let a = json!([self.corners(&corners), self.indices(&triangles)]);
                self.unit.insert(name.to_owned(), a.clone());
                a
            }
        };
        let mesh = self.mesh(accessors[0].clone(), accessors[1].clone(), colour);
        self.unit.insert(key, mesh.into());
        mesh
    }

    fn mesh(&mut self, corners: Value, indices: Value, colour: usize) -> usize {
        self.meshes.push(json!({
            "primitives": [{
                "attributes": { "POSITION": corners },
                "indices": indices,
                "material": colour,
            }],
        }));
        self.meshes.len() - 1
    }

    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        while !self.binary.len().is_multiple_of(4) {
            self.binary.push(0);
        }
        let mut view = json!({
            "buffer": 0,
            "byteOffset": self.binary.len(),
            "byteLength": bytes.len(),
        });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.binary.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, view: usize, kind: &str, component: u32, count: usize) -> usize {
        self.accessors.push(json!({
            "bufferView": view,
            "componentType": component,
            "count": count,
            "type": kind,
        }));
        self.accessors.len() - 1
    }

    fn floats(&mut self, numbers: &[f32], kind: &str, width: usize, target: Option<u32>) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        self.accessor(view, kind, FLOAT, numbers.len() / width)
    }

    fn bounds(&mut self, accessor: usize, numbers: &[f32], width: usize) {
        let column = |k: usize| numbers.iter().skip(k).step_by(width).copied();
        let low: Vec<f32> = (0..width).map(|k| column(k).fold(f32::INFINITY, f32::min)).collect();
        let high: Vec<f32> =
            (0..width).map(|k| column(k).fold(f32::NEG_INFINITY, f32::max)).collect();
        self.accessors[accessor]["min"] = json!(low);
        self.accessors[accessor]["max"] = json!(high);
    }

    fn corners(&mut self, corners: &[[f32; 3]]) -> usize {
        let flat = corners.as_flattened();
        let a = self.floats(flat, "VEC3", 3, Some(34962));
        self.bounds(a, flat, 3);
        a
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(34963));
        self.accessor(view, "SCALAR", UNSIGNED_INT, 3 * triangles.len())
    }

    /// Positions and orientations of all bodies over time.
    fn animate(&mut self, tops: &[usize], motion: &MotionFile, rows: &[usize]) {
        let bodies = motion.forms.len() + 1;
        let (mut p, mut r) = (vec![Vec::new(); bodies], vec![Vec::<f32>::new(); bodies]);
        let mut numbers = Vec::new();
        for row in rows {
            numbers.clear();
            push_poses(motion, *row, false, &mut numbers);
            for (i, pose) in numbers.chunks_exact(7).enumerate() {
                p[i].extend(pose[..3].iter().map(|x| *x as f32));
                let mut q = Quat::from_slice(&pose[3..]).normalized();
                // the nearer of the two quaternions: players interpolate the way that is given
                if let Some(last) = r[i].last_chunk::<4>() {
                    let [x, y, z, w] = last.map(f64::from);
                    let dot = q.0[0] * w + q.0[1] * x + q.0[2] * y + q.0[3] * z;
                    if dot < 0.0 {
                        q = Quat(q.0.map(|c| -c));
                    }
                }
                r[i].extend(xyzw(&q).map(|x| x as f32));
            }
        }
        // times must increase, also in single precision
        let t: Vec<f32> = rows.iter().map(|r| (motion.t[*r] - motion.t[rows[0]]) as f32).collect();
        let input = self.floats(&t, "SCALAR", 1, None);
        self.bounds(input, &t, 1);
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (i, node) in tops.iter().enumerate().skip(1).take(bodies.saturating_sub(1)) {
            for (path, list, kind, width) in
                [("translation", &p[i], "VEC3", 3), ("rotation", &r[i], "VEC4", 4)]
            {
                let output = self.floats(list, kind, width, None);
                channels.push(json!({
                    "sampler": samplers.len(),
                    "target": { "node": node, "path": path },
                }));
                samplers.push(json!({
                    "input": input,
                    "output": output,
                    "interpolation": "LINEAR",
                }));
            }
        }
        if !samplers.is_empty() {
            self.animation = json!([{ "name": "run", "samplers": samplers, "channels": channels }]);
        }
    }

    /// The file: a header, a chunk of JSON, a chunk of numbers.
    fn bytes(mut self) -> Vec<u8> {
        while !self.binary.len().is_multiple_of(4) {
            self.binary.push(0);
        }
        let mut root = json!({
            "asset": { "version": "2.0", "generator": concat!("delassus ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [self.root] }],
            "nodes": self.nodes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.binary.len() }],
        });
        if !self.meshes.is_empty() {
            root["meshes"] = self.meshes.into();
        }
        if self.animation.is_array() {
            root["animations"] = self.animation;
        }
        let mut text = root.to_string().into_bytes();
        while !text.len().is_multiple_of(4) {
            text.push(b' ');
        }
        let total = 12 + 8 + text.len() + 8 + self.binary.len();
        let mut out = Vec::with_capacity(total);
        let word = |out: &mut Vec<u8>, n: usize| out.extend_from_slice(&(n as u32).to_le_bytes());
        out.extend_from_slice(b"glTF");
        word(&mut out, 2);
        word(&mut out, total);
        word(&mut out, text.len());
        out.extend_from_slice(b"JSON");
        out.extend_from_slice(&text);
        word(&mut out, self.binary.len());
        out.extend_from_slice(b"BIN\0");
        out.extend_from_slice(&self.binary);
        out
    }
}

/// glTF puts the scalar last.
fn xyzw(q: &Quat) -> [f64; 4] {
    let [w, x, y, z] = q.0;
    [x, y, z, w]
}

type Mesh = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// Edge 1 about the origin.
fn cuboid() -> Mesh {
    let corner = |k: u32| [0, 1, 2].map(|b| if k >> b & 1 == 1 { 0.5 } else { -0.5 });
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]);
    ((0..8).map(corner).collect(), triangles.collect())
}

/// Radius 1, height 1 along z, about the origin.
fn cylinder() -> Mesh {
    let mut corners = vec![[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]];
    let mut triangles = Vec::new();
    for k in 0..ROUND {
        let (s, c) = (TAU * f64::from(k) / f64::from(ROUND)).sin_cos();
        corners.push([c as f32, s as f32, -0.5]);
        corners.push([c as f32, s as f32, 0.5]);
        let (a, b) = (2 + 2 * k, 2 + 2 * ((k + 1) % ROUND));
        triangles.extend([[0, b, a], [1, a + 1, b + 1], [a, b, b + 1], [a, b + 1, a + 1]]);
    }
    (corners, triangles)
}

/// Radius 1 about the origin.
fn ball() -> Mesh {
    let rings = ROUND / 2;
    let mut corners = vec![[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]];
    let mut triangles = Vec::new();
    for ring in 1..rings {
        let (r, z) = (std::f64::consts::PI * f64::from(ring) / f64::from(rings)).sin_cos();
        for k in 0..ROUND {
            let (s, c) = (TAU * f64::from(k) / f64::from(ROUND)).sin_cos();
            corners.push([(r * c) as f32, (r * s) as f32, -z as f32]);
        }
    }
    let at = |ring: u32, k: u32| 2 + (ring - 1) * ROUND + k % ROUND;
    for k in 0..ROUND {
        triangles.push([0, at(1, k + 1), at(1, k)]);
        triangles.push([1, at(rings - 1, k), at(rings - 1, k + 1)]);
        for ring in 1..rings - 1 {
            let (a, b) = (at(ring, k), at(ring, k + 1));
            let (c, d) = (at(ring + 1, k), at(ring + 1, k + 1));
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    (corners, triangles)
}
