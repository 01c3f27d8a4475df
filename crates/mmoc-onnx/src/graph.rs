//! A graph under construction: nodes in the order of evaluation, and the constants that they use.

use crate::messages::{
    AttributeProto, ElementType, FLOAT_ATTRIBUTE, INTEGER_ATTRIBUTE, NodeProto, TensorProto,
};

/// A tensor of a graph: an input, a constant or what a node computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value(usize);

/// An attribute of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Attribute {
    Integer(&'static str, i64),
    Float(&'static str, f32),
}

/// Nodes and constants so far.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    names: Vec<String>,
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
}

impl Graph {
    /// The nodes and the constants.
    pub(crate) fn into_parts(self) -> (Vec<NodeProto>, Vec<TensorProto>) {
        (self.nodes, self.constants)
    }

    /// An input of the graph.
    pub(crate) fn input(&mut self, name: &str) -> Value {
        self.named(name.into())
    }

    fn named(&mut self, name: String) -> Value {
        self.names.push(name);
        Value(self.names.len() - 1)
    }

    /// A constant of doubles.
    pub(crate) fn numbers(&mut self, shape: &[usize], values: &[f64]) -> Value {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.constant(ElementType::Double, shape, bytes.collect())
    }

    /// A constant of integers.
    pub(crate) fn integers(&mut self, shape: &[usize], values: &[i64]) -> Value {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.constant(ElementType::Int64, shape, bytes.collect())
    }

    /// A constant of zeros and ones, a byte for each.
    pub(crate) fn bits(&mut self, shape: &[usize], values: Vec<u8>) -> Value {
        self.constant(ElementType::Uint8, shape, values)
    }

    /// A number that is combined with tensors of any shape.
    pub(crate) fn scalar(&mut self, value: f64) -> Value {
        self.numbers(&[], &[value])
    }

    fn constant(&mut self, element: ElementType, shape: &[usize], bytes: Vec<u8>) -> Value {
        let value = self.named(format!("constant_{}", self.constants.len()));
        self.constants.push(TensorProto {
            dims: shape.iter().map(|&size| dimension(size)).collect(),
            data_type: Some(element.number()),
            name: Some(self.names[value.0].clone()),
            raw_data: Some(bytes),
        });
        value
    }

    /// What an operator makes of its inputs.
    pub(crate) fn node(
        &mut self,
        operator: &str,
        inputs: &[Value],
        attributes: &[Attribute],
    ) -> Value {
        let [value] = self.node_with(operator, inputs, attributes);
        value
    }

    /// The same for an operator of several outputs.
    pub(crate) fn node_with<const OUTPUTS: usize>(
        &mut self,
        operator: &str,
        inputs: &[Value],
        attributes: &[Attribute],
    ) -> [Value; OUTPUTS] {
        let name = format!("{operator}_{}", self.nodes.len());
        let outputs = std::array::from_fn(|output| match output {
            0 => self.named(name.clone()),
            _ => self.named(format!("{name}_{output}")),
        });
        self.push(operator, &name, inputs, &outputs, attributes);
        outputs
    }

    /// Gives a tensor the name of an output of the graph.
    pub(crate) fn output(&mut self, name: &str, value: Value) {
        let output = self.named(name.into());
        self.push("Identity", name, &[value], &[output], &[]);
    }

    fn push(
        &mut self,
        operator: &str,
        name: &str,
        inputs: &[Value],
        outputs: &[Value],
        attributes: &[Attribute],
    ) {
        let names = |values: &[Value]| values.iter().map(|own| self.names[own.0].clone()).collect();
        self.nodes.push(NodeProto {
            input: names(inputs),
            output: names(outputs),
            name: Some(name.into()),
            op_type: Some(operator.into()),
            attribute: attributes.iter().map(attribute).collect(),
        });
    }
}

/// The size of a tensor, or a place in it, as ONNX counts them.
pub(crate) fn dimension(size: usize) -> i64 {
    i64::try_from(size).expect("tensors in memory have fewer than 2⁶³ elements")
}

fn attribute(own: &Attribute) -> AttributeProto {
    let (name, kind, float, integer) = match *own {
        Attribute::Integer(name, value) => (name, INTEGER_ATTRIBUTE, None, Some(value)),
        Attribute::Float(name, value) => (name, FLOAT_ATTRIBUTE, Some(value), None),
    };
    AttributeProto {
        name: Some(name.into()),
        f: float,
        i: integer,
        r#type: Some(kind),
    }
}
