//! The same model from Rust.

use super::{
    AnalysisSpec, BodySpec, ContactSpec, ForceSpec, InputSpec, JointSpec, MarkerSpec, MaterialSpec,
    MethodSpec, ModelSpec, SCHEMA_VERSION, Scalar, SectionSpec, SensorSpec, ShapeSpec, TableSpec,
};

/// Builds a [`ModelSpec`] step by step; every field accepts numbers and expressions alike.
///
/// ```
/// use delassus_model::spec::*;
/// let spec = ModelBuilder::new("pendulum")
///     .parameter("L", 1.0)
///     .gravity(["0", "-9.81"])
///     .body("bob", BodySpec {
///         kind: BodyType::PlanarPoint,
///         mass: Some(1.0.into()),
///         position: vec!["-L".into(), 0.0.into()],
///         ..Default::default()
///     })
///     .joint("rod", JointSpec {
///         kind: JointType::Distance,
///         between: vec!["ground".into(), "bob".into()],
///         ..Default::default()
///     })
///     .build();
/// assert!(delassus_model::compile(&spec).is_ok());
/// ```
#[derive(Debug, Clone)]
pub struct ModelBuilder {
    spec: ModelSpec,
}

impl ModelBuilder {
    /// An empty model with a title.
    pub fn new(title: impl Into<String>) -> Self {
        ModelBuilder {
            spec: ModelSpec {
                schema: SCHEMA_VERSION,
                title: Some(title.into()),
                ..Default::default()
            },
        }
    }

    /// Adds a parameter.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Scalar>) -> Self {
        self.spec.parameters.push(name, value.into());
        self
    }

    /// Adds an input.
    pub fn input(mut self, name: impl Into<String>, input: InputSpec) -> Self {
        self.spec.input.push(name, input);
        self
    }

    /// Adds a function given by points.
    pub fn table(mut self, name: impl Into<String>, table: TableSpec) -> Self {
        self.spec.table.push(name, table);
        self
    }

    /// Sets gravity, m/s².
    pub fn gravity<S: Into<Scalar>>(mut self, g: impl IntoIterator<Item = S>) -> Self {
        self.spec.gravity = g.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a frame fixed on the ground.
    pub fn ground_marker(mut self, name: impl Into<String>, marker: MarkerSpec) -> Self {
        self.spec.ground.markers.push(name, marker);
        self
    }

    /// Adds a body.
    pub fn body(mut self, name: impl Into<String>, body: BodySpec) -> Self {
        self.spec.body.push(name, body);
        self
    }

    /// Adds a joint.
    pub fn joint(mut self, name: impl Into<String>, joint: JointSpec) -> Self {
        self.spec.joint.push(name, joint);
        self
    }

    /// Adds a force.
    pub fn force(mut self, name: impl Into<String>, force: ForceSpec) -> Self {
        self.spec.force.push(name, force);
        self
    }

    /// Adds a shape.
    pub fn shape(mut self, name: impl Into<String>, shape: ShapeSpec) -> Self {
        self.spec.shape.push(name, shape);
        self
    }

    /// Adds a cross-section.
    pub fn section(mut self, name: impl Into<String>, section: SectionSpec) -> Self {
        self.spec.section.push(name, section);
        self
    }

    /// Adds a material.
    pub fn material(mut self, name: impl Into<String>, material: MaterialSpec) -> Self {
        self.spec.material.push(name, material);
        self
    }

    /// Adds a one-sided interaction.
    pub fn contact(mut self, name: impl Into<String>, contact: ContactSpec) -> Self {
        self.spec.contact.push(name, contact);
        self
    }

    /// Adds a sensor.
    pub fn sensor(mut self, name: impl Into<String>, sensor: SensorSpec) -> Self {
        self.spec.sensor.push(name, sensor);
        self
    }

    /// Sets time span and sampling.
    pub fn analysis(mut self, analysis: AnalysisSpec) -> Self {
        self.spec.analysis = analysis;
        self
    }

    /// Sets the method.
    pub fn method(mut self, method: MethodSpec) -> Self {
        self.spec.method = method;
        self
    }

    /// The finished data.
    pub fn build(self) -> ModelSpec {
        self.spec
    }
}
