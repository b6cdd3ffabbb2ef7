//! More than two classes: a machine for each, which tells it from all others. The largest decision value
//! wins; of equal ones the first in the order of the classes.

use serde::{Deserialize, Serialize};

use super::format::{FORMAT, VERSION, fault_of_head, version_of};
use super::{Model, Provenance};
use crate::calibrate::Sigmoid;
use crate::{Certificate, Error, Goal, Loss, PenaltySpec, Result, Scaling, Status};

/// A class and all others as one machine names them.
pub fn rest_of(class: &str) -> String {
    format!("not {class}")
}

/// K ≥ 3 classes and K machines on the same features, with the same loss, ridge and scaling.
#[derive(Debug, Clone, PartialEq)]
pub struct OneVsRest {
    classes: Vec<String>,
    machines: Vec<Model>,
}

impl OneVsRest {
    /// Puts the machines together, in the order of the classes.
    ///
    /// # Errors
    /// [`Error::Model`] if they do not belong together.
    pub fn new(classes: Vec<String>, machines: Vec<Model>) -> Result<Self> {
        let fault = |text: &str| Err(Error::Model(text.into()));
        let mut distinct: Vec<&String> = classes.iter().collect();
        distinct.sort();
        distinct.dedup();
        if classes.len() < 3 || distinct.len() != classes.len() {
            return fault("it must name three different classes at least");
        }
        if machines.len() != classes.len() {
            return fault("it must have a machine for each class");
        }
        let first = &machines[0];
        for (machine, class) in machines.iter().zip(&classes) {
            machine.check()?;
            if machine.goal != Goal::Classify || machine.classes != [rest_of(class), class.clone()] {
                return fault("each machine must tell its class from all others");
            }
            let common = |model: &Model| (model.features, model.scaling, model.loss, model.l2);
            if common(machine) != common(first) {
                return fault("its machines differ in features, scaling, loss or l2");
            }
            if machine.sigmoid.is_some() != first.sigmoid.is_some() {
                return fault("all its machines must have a sigmoid, or none");
            }
        }
        Ok(Self { classes, machines })
    }

    /// The labels.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The machines, in the order of the classes.
    pub fn machines(&self) -> &[Model] {
        &self.machines
    }
}

/// What the file holds: once what the machines share, and then what is each one's own.
#[derive(Serialize, Deserialize)]
pub(super) struct File {
    format: String,
    version: u32,
    classes: Vec<String>,
    features: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    scaling: Scaling,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loss: Option<Loss>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    l2: Option<f64>,
    /// With the solver of the first machine.
    provenance: Provenance,
    machines: Vec<Machine>,
}

#[derive(Serialize, Deserialize)]
struct Machine {
    intercept: f64,
    indices: Vec<u32>,
    weights: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scale_factors: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    penalty: Option<PenaltySpec>,
    status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fills: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sigmoid: Option<Sigmoid>,
    /// Where it is not the first one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solver: Option<String>,
}

impl From<&OneVsRest> for File {
    fn from(from: &OneVsRest) -> Self {
        let OneVsRest { classes, machines } = from.clone();
        let Model { features, label, scaling, loss, l2, provenance, .. } = machines[0].clone();
        let own = |model: Model| Machine {
            intercept: model.intercept,
            indices: model.indices,
            weights: model.weights,
            names: model.names,
            scale_factors: model.scale_factors,
            penalty: model.penalty,
            status: model.status,
            certificate: model.certificate,
            fills: model.fills,
            sigmoid: model.sigmoid,
            solver: Some(model.provenance.solver).filter(|solver| *solver != provenance.solver),
        };
        let machines = machines.into_iter().map(own).collect();
        Self {
            format: FORMAT.into(),
            version: VERSION,
            classes,
            features,
            label,
            scaling,
            loss,
            l2,
            provenance,
            machines,
        }
    }
}

impl TryFrom<File> for OneVsRest {
    type Error = Error;

    fn try_from(file: File) -> Result<Self> {
        if let Some(text) = fault_of_head(&file.format, file.version) {
            return Err(Error::Model(text));
        }
        if file.version < 3 {
            return Err(Error::Model(format!("version {} knows two classes only", file.version)));
        }
        let common = (file.features, file.scaling, file.loss, file.l2, &file.provenance);
        let whole = |(machine, class): (Machine, &String)| {
            let (features, scaling, loss, l2, provenance) = common;
            Model {
                format: FORMAT.into(),
                version: version_of(
                    Goal::Classify,
                    machine.sigmoid.is_some() || machine.status == Status::Imported,
                ),
                goal: Goal::Classify,
                classes: vec![rest_of(class), class.clone()],
                features,
                intercept: machine.intercept,
                indices: machine.indices,
                weights: machine.weights,
                names: machine.names,
                label: file.label.clone(),
                fills: machine.fills,
                scaling,
                scale_factors: machine.scale_factors,
                loss,
                penalty: machine.penalty,
                l2,
                status: machine.status,
                certificate: machine.certificate,
                sigmoid: machine.sigmoid,
                provenance: Provenance {
                    solver: machine.solver.unwrap_or_else(|| provenance.solver.clone()),
                    ..provenance.clone()
                },
            }
        };
        if file.machines.len() != file.classes.len() {
            return Err(Error::Model("it must have a machine for each class".into()));
        }
        let machines = file.machines.into_iter().zip(&file.classes).map(whole).collect();
        Self::new(file.classes, machines)
    }
}
