//! Meshes from bytes: what is read, and each fault by name.

use crate::common;

use common::ell_mesh;
use delassus_geom::mesh::MAX_TRIANGLES;
use delassus_geom::{MeshError, TriMesh, parse_obj, parse_stl};
use delassus_math::Vec3;

const TETRA: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

fn binary(points: &[[f32; 3]], faces: &[[usize; 3]], count: u32) -> Vec<u8> {
    let mut out = vec![b' '; 80];
    out[..5].copy_from_slice(b"solid");
    out.extend(count.to_le_bytes());
    for f in faces {
        out.extend([0u8; 12]);
        for &k in f {
            points[k].iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        out.extend([0u8; 2]);
    }
    out
}

fn ascii(points: &[[f32; 3]], faces: &[[usize; 3]]) -> String {
    let mut out = String::from("solid tetra\n");
    for f in faces {
        out += "facet normal 0 0 0\n outer loop\n";
        for &k in f {
            let [x, y, z] = points[k];
            out += &format!("  vertex {x} {y} {z}\n");
        }
        out += " endloop\nendfacet\n";
    }
    out + "endsolid tetra\n"
}

fn obj(faces: &str) -> String {
    let v: String = TETRA.iter().map(|p| format!("v {} {} {}\n", p[0], p[1], p[2])).collect();
    format!("# a comment\no tetra\n{v}vn 0 0 1\n{faces}")
}

const OBJ_FACES: &str = "f 1 3 2\nf 1/1 2/1 4/1\nf 2//1 3//1 4//1\nf -4 -1 -2\n";

#[test]
fn all_formats_give_the_same_tetrahedron() {
    let b = parse_stl(&binary(&TETRA, &FACES, 4)).unwrap();
    let a = parse_stl(ascii(&TETRA, &FACES).as_bytes()).unwrap();
    let o = parse_obj(obj(OBJ_FACES).as_bytes()).unwrap();
    for m in [&a, &b, &o] {
        assert_eq!((m.points().len(), m.triangles().len()), (4, 4));
        assert!((m.volume() - 1.0 / 6.0).abs() < 1e-15);
    }
    assert_eq!(a, b);
    assert!((a.scaled(2.0).unwrap().volume() - 8.0 / 6.0).abs() < 1e-15);
}

#[test]
fn faces_with_four_corners_are_split() {
    let cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let m = parse_obj(cube.as_bytes()).unwrap();
    assert_eq!(m.triangles().len(), 12);
    assert!((m.volume() - 1.0).abs() < 1e-15);
}

#[test]
fn lying_and_short_files() {
    let mut lying = binary(&TETRA, &FACES, 5);
    lying[0] = 0;
    let bytes = lying.len();
    let e = MeshError::LyingCount { declared: 5, expected: 84 + 250, bytes };
    assert_eq!(parse_stl(&lying), Err(e));
    // A count for which the bytes do not exist costs nothing.
    let mut huge = binary(&TETRA, &FACES, u32::MAX);
    huge[0] = 0;
    assert!(matches!(parse_stl(&huge), Err(MeshError::LyingCount { declared: 0xffff_ffff, .. })));
    assert_eq!(parse_stl(&[1, 2, 3]), Err(MeshError::Truncated { bytes: 3 }));
    assert_eq!(parse_stl(b""), Err(MeshError::Truncated { bytes: 0 }));
    assert_eq!(parse_stl(&binary(&TETRA, &[], 0)), Err(MeshError::Empty));
    assert_eq!(parse_obj(b""), Err(MeshError::Empty));
    assert_eq!(parse_stl(b"solid x\nendsolid x\n"), Err(MeshError::Empty));
}

#[test]
fn numbers_that_are_none() {
    let mut p = TETRA;
    p[2][1] = f32::NAN;
    assert!(matches!(parse_stl(&binary(&p, &FACES, 4)), Err(MeshError::NotFinite { .. })));
    p[2][1] = f32::INFINITY;
    assert!(matches!(parse_stl(&binary(&p, &FACES, 4)), Err(MeshError::NotFinite { .. })));
    let text = ascii(&TETRA, &FACES).replacen("vertex 0 1 0", "vertex 0 one 0", 1);
    let Err(MeshError::Syntax { line, what }) = parse_stl(text.as_bytes()) else { panic!() };
    assert!(line == 5 && what.contains("`one`"), "{line}: {what}");
    let nan = obj(OBJ_FACES).replacen("v 1 0 0", "v nan 0 0", 1);
    assert_eq!(parse_obj(nan.as_bytes()), Err(MeshError::NotFinite { vertex: 1 }));
}

#[test]
fn indices_out_of_range() {
    for (bad, index) in [("f 1 3 9", 9), ("f 1 3 0", 0), ("f 1 3 -5", -5)] {
        let text = obj(&format!("{OBJ_FACES}{bad}\n"));
        let e = MeshError::IndexOutOfRange { triangle: 4, index, vertices: 4 };
        assert_eq!(parse_obj(text.as_bytes()), Err(e));
    }
    assert!(matches!(
        parse_obj(obj("f 1 x 2\n").as_bytes()),
        Err(MeshError::Syntax { line: 8, .. })
    ));
    assert!(matches!(parse_obj(obj("f 1 2\n").as_bytes()), Err(MeshError::Syntax { line: 8, .. })));
    let points = vec![Vec3::zeros(); 2];
    assert!(matches!(
        TriMesh::new(points, vec![[0, 1, 2]]),
        Err(MeshError::IndexOutOfRange { triangle: 0, index: 2, vertices: 2 })
    ));
}

#[test]
fn surfaces_that_enclose_nothing() {
    let open = parse_stl(&binary(&TETRA, &FACES[..3], 3));
    assert!(matches!(open, Err(MeshError::OpenEdge { .. })), "{open:?}");
    let inside_out = FACES.map(|f| [f[0], f[2], f[1]]);
    let e = parse_stl(&binary(&TETRA, &inside_out, 4)).unwrap_err();
    assert!(matches!(e, MeshError::Inverted { volume } if (volume + 1.0 / 6.0).abs() < 1e-15));
    let mut one_turned = FACES;
    one_turned[2] = [1, 3, 2];
    let e = parse_stl(&binary(&TETRA, &one_turned, 4)).unwrap_err();
    assert!(matches!(e, MeshError::NonManifoldEdge { .. }), "{e:?}");
    // A third triangle on an edge.
    let mut m = ell_mesh().triangles().to_vec();
    m.push(m[0]);
    let e = TriMesh::new(ell_mesh().points().to_vec(), m).unwrap_err();
    assert!(matches!(e, MeshError::NonManifoldEdge { first: 0, .. }), "{e:?}");
    let mut flat = FACES.to_vec();
    flat.push([0, 1, 1]);
    let e = parse_stl(&binary(&TETRA, &flat, 5)).unwrap_err();
    assert_eq!(e, MeshError::Degenerate { triangle: 4 });
}

#[test]
fn too_many_triangles() {
    let n = MAX_TRIANGLES + 1;
    let mut file = vec![0u8; 84 + 50 * n];
    file[80..84].copy_from_slice(&(n as u32).to_le_bytes());
    assert_eq!(parse_stl(&file), Err(MeshError::TooMany { found: n, limit: MAX_TRIANGLES }));
}

#[test]
fn messages_say_what_and_where() {
    let e = parse_stl(&binary(&TETRA, &FACES[..3], 3)).unwrap_err().to_string();
    assert!(
        e.contains("open") && e.contains("triangle 0 from [0.0, 0.0, 0.0] to [0.0, 1.0, 0.0]"),
        "{e}"
    );
    let e = parse_stl(b"solid x\nfoo\n").unwrap_err().to_string();
    assert_eq!(e, "line 2: `foo` is no word of an STL file");
}
