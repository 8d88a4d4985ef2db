//! Names, units and order of the values that are exchanged.

use delassus_model::Input;
use serde::Serialize;

/// A value that the model gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Output {
    /// Name of its column.
    pub name: String,
    /// SI unit.
    pub unit: String,
}

/// What is exchanged, in this order.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    /// Places of the inputs, by name.
    by_name: Vec<usize>,
    /// Names of the outputs as JSON.
    quoted: Vec<String>,
    id: u32,
}

impl Layout {
    /// Inputs and outputs in the order of the model.
    pub fn new(inputs: Vec<Input>, outputs: Vec<Output>) -> Layout {
        let mut by_name: Vec<usize> = (0..inputs.len()).collect();
        by_name.sort_by(|a, b| inputs[*a].name.cmp(&inputs[*b].name));
        let names = inputs.iter().map(|i| &i.name).map(|n| ("i", n));
        let names = names.chain(outputs.iter().map(|o| ("o", &o.name)));
        let text: String = names.map(|(kind, name)| format!("{kind} {name}\n")).collect();
        let id = fnv(text.as_bytes()).max(1);
        let quoted = outputs.iter().map(|o| serde_json::json!(o.name).to_string()).collect();
        Layout { inputs, outputs, by_name, quoted, id }
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The outputs.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Names of the outputs as JSON.
    pub(crate) fn quoted(&self) -> &[String] {
        &self.quoted
    }

    /// A number that differs if a name or the order does; never zero.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The place of an input. Does not allocate.
    pub fn input(&self, name: &[u8]) -> Option<usize> {
        let found = self.by_name.binary_search_by(|k| self.inputs[*k].name.as_bytes().cmp(name));
        found.ok().map(|at| self.by_name[at])
    }

    /// All of it as an object for programs.
    pub fn describe(&self, rate: f64) -> serde_json::Value {
        let bound = |x: f64| x.is_finite().then_some(x);
        let input = |i: &Input| {
            serde_json::json!({
                "name": i.name, "unit": i.unit, "default": i.default,
                "min": bound(i.bounds[0]), "max": bound(i.bounds[1]),
            })
        };
        serde_json::json!({
            "protocol": "delassus-rt",
            "version": crate::packet::VERSION,
            "layout": self.id,
            "rate_hz": rate,
            "inputs": self.inputs.iter().map(input).collect::<Vec<_>>(),
            "outputs": self.outputs,
        })
    }
}

/// The 32-bit hash of Fowler, Noll and Vo, variant 1a.
fn fnv(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |h, b| (h ^ u32::from(*b)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two inputs, the first from −1 to 1, and one output.
    pub(crate) fn layout() -> Layout {
        let input = |name: &str, bound: f64, default: f64| Input {
            name: name.to_owned(),
            unit: "N".to_owned(),
            default,
            bounds: [-bound, bound],
        };
        let output = Output { name: "angle".to_owned(), unit: "rad".to_owned() };
        Layout::new(
            vec![input("torque", 1.0, 0.5), input("brake", f64::INFINITY, 0.0)],
            vec![output],
        )
    }

    #[test]
    fn names_are_found_and_their_order_counts() {
        let l = layout();
        assert_eq!((l.input(b"torque"), l.input(b"brake")), (Some(0), Some(1)));
        assert_eq!((l.input(b"tor"), l.input(b"")), (None, None));
        let mut turned = l.inputs().to_vec();
        turned.reverse();
        assert_ne!(l.id(), Layout::new(turned, l.outputs().to_vec()).id());
        // published values of the hash
        assert_eq!((fnv(b""), fnv(b"a"), fnv(b"foobar")), (0x811c9dc5, 0xe40c292c, 0xbf9cf968));
    }
}
