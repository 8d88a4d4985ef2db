//! Modes and nodes of a body as written.

use super::Scalar;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Names of the files in a folder of matrices.
pub const MATRIX_FILES: [&str; 3] = delassus_flex::matrices::FILES;

/// A number, or a list of such arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ArraySpec {
    /// A list.
    List(Vec<ArraySpec>),
    /// A number.
    Number(Scalar),
}

/// Lists within lists, as deep as any field has them: a vector for each pair of modes.
const DEPTH: usize = 3;

/// Written out instead of by recursion: editors and the reader of model files follow no loops.
impl JsonSchema for ArraySpec {
    fn schema_name() -> Cow<'static, str> {
        "Array".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = generator.subschema_for::<Scalar>();
        (0..DEPTH).fold(
            number.clone(),
            |item, _| json_schema!({ "anyOf": [{ "type": "array", "items": item }, number] }),
        )
    }
}

/// How a body deforms: u(x) = Σ φ_i(x) q_i + ½ Σ ψ_ij(x) q_i q_j in its own axes, with amplitudes q in metres. Matrices are lists of
/// rows, or of what is on the diagonal; vectors have two components in the plane; what belongs to pairs of modes is a
/// list of lists. In the plane moments of inertia and momenta are one number, about z; in space moments of inertia are
/// six, xx, yy, zz, xy, xz, yz. Everything is about the origin of the body frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModesSpec {
    /// Mass of the modes ∫ φ_i·φ_j dm, kg. As many modes as rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<ArraySpec>,
    /// Stiffness, N/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<ArraySpec>,
    /// Damping, N s/m; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<ArraySpec>,
    /// First moments s_i = ∫ φ_i dm, kg: a vector for each mode. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<ArraySpec>,
    /// First moments of pairs s_ij = ∫ ψ_ij dm, kg/m: vectors. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment_pairs: Option<ArraySpec>,
    /// Change of the moments of inertia with each mode J_i, kg m. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<ArraySpec>,
    /// The same with pairs of modes J_ij, kg. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia_pairs: Option<ArraySpec>,
    /// Angular momenta h_i = ∫ x × φ_i dm, kg m: vectors in space. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum: Option<ArraySpec>,
    /// Angular momenta of pairs h_ij = ∫ φ_i × φ_j dm + ∫ x × ψ_ij dm, kg. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum_pairs: Option<ArraySpec>,
    /// Instead of the numbers above: the folder of the matrices of a finite element program, `mass.mtx`, `stiffness.mtx` and
    /// `nodes.csv`, relative to the model file and inside its folder. In space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// From matrices: damping of every mode, a part of the critical one; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Scalar>,
    /// From matrices: the texts of the three files. The reader of model files fills them; a program may do so too.
    #[serde(skip)]
    pub files: Option<Arc<[String; 3]>>,
    /// Of a beam or from matrices: how many modes, the lowest ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Scalar>,
    /// Of a beam or from matrices, instead of `count`: all modes up to this frequency, Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Scalar>,
    /// Of a beam or from matrices: markers that hold it while it vibrates. None: modes of the free body; one: of the body clamped there; several:
    /// shapes by displacements and rotations of all but the first, and `count` modes with all held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// Of a beam: `false` leaves out how much it shortens when it bends, which stiffens a beam that turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortening: Option<bool>,
    /// Amplitudes at the start, m. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amplitudes: Option<ArraySpec>,
    /// Rates of the amplitudes at the start, m/s. As small as the joints allow when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<ArraySpec>,
}

/// A place of a modal body that carries frames.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeSpec {
    /// Position in the body frame when the body is not deformed, m; default: the origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Scalar>,
    /// Displacement φ_i per amplitude of each mode: vectors. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displacement: Option<ArraySpec>,
    /// Second-order displacement ψ_ij of pairs of modes, 1/m: vectors. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortening: Option<ArraySpec>,
    /// Rotation vector per amplitude of each mode, rad/m: one number for each in the plane, about z. Zero when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<ArraySpec>,
}
