//! A graph that grows node by node; every value has a name.

use super::message::{
    ATTRIBUTE_INT, Attribute, DOUBLE, Dimension, Graph, INT64, Node, STRING, Shape, Tensor, TensorType, Type,
    ValueInfo,
};

/// What the model computes.
#[derive(Debug, Default)]
pub(super) struct Builder {
    graph: Graph,
}

impl Builder {
    pub(super) fn finish(self, name: &str) -> Graph {
        Graph { name: name.into(), ..self.graph }
    }

    /// One operation, whose result is called `to`.
    pub(super) fn node(&mut self, operation: &str, from: &[&str], to: &str, attributes: &[(&str, i64)]) {
        let attribute =
            |(name, i): &(&str, i64)| Attribute { name: (*name).into(), i: Some(*i), kind: ATTRIBUTE_INT };
        self.graph.node.push(Node {
            input: from.iter().map(|&name| name.into()).collect(),
            output: vec![to.into()],
            name: format!("make_{to}"),
            op_type: operation.into(),
            attribute: attributes.iter().map(attribute).collect(),
        });
    }

    pub(super) fn doubles(&mut self, name: &str, dims: &[usize], values: Vec<f64>) {
        self.constant(name, dims, DOUBLE, |tensor| tensor.double_data = values);
    }

    pub(super) fn integers(&mut self, name: &str, values: Vec<i64>) {
        self.constant(name, &[values.len()], INT64, |tensor| tensor.int64_data = values);
    }

    pub(super) fn texts(&mut self, name: &str, values: &[String]) {
        let bytes = values.iter().map(|text| text.clone().into_bytes()).collect();
        self.constant(name, &[values.len()], STRING, |tensor| tensor.string_data = bytes);
    }

    fn constant(&mut self, name: &str, dims: &[usize], data_type: i32, fill: impl FnOnce(&mut Tensor)) {
        let mut tensor = Tensor {
            dims: dims.iter().map(|&n| n as i64).collect(),
            data_type,
            name: name.into(),
            ..Tensor::default()
        };
        fill(&mut tensor);
        self.graph.initializer.push(tensor);
    }

    /// N rows of so many columns.
    pub(super) fn input(&mut self, name: &str, element: i32, columns: Option<usize>, told: &str) {
        self.graph.input.push(value(name, element, columns, told));
    }

    /// N rows of so many columns, or one value a row.
    pub(super) fn output(&mut self, name: &str, element: i32, columns: Option<usize>, told: &str) {
        self.graph.output.push(value(name, element, columns, told));
    }
}

fn value(name: &str, element: i32, columns: Option<usize>, told: &str) -> ValueInfo {
    let mut dim = vec![Dimension { value: None, name: Some("N".into()) }];
    dim.extend(columns.map(|count| Dimension { value: Some(count as i64), name: None }));
    let tensor = TensorType { element, shape: Some(Shape { dim }) };
    ValueInfo { name: name.into(), kind: Some(Type { tensor: Some(tensor) }), doc_string: told.into() }
}
