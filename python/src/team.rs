//! A member of a distributed fit: its place among the others, and what is worth keeping if it is lost.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sparsvm_core::team::Team;
use sparsvm_team::{Fault, TOKEN, Tree};

create_exception!(
    sparsvm._core,
    TeamError,
    PyRuntimeError,
    "Another member of a distributed fit was lost, did not come, or ended it."
);

fn lost(fault: &Fault) -> PyErr {
    TeamError::new_err(fault.to_string())
}

/// An open port, until the others are known.
#[pyclass(module = "sparsvm._core", frozen)]
#[derive(Debug)]
pub(crate) struct Seat {
    held: Mutex<Option<sparsvm_team::Seat>>,
    #[pyo3(get)]
    address: String,
}

#[pymethods]
impl Seat {
    #[new]
    fn new(host: &str) -> PyResult<Self> {
        let host: IpAddr = host
            .parse()
            .map_err(|_| PyValueError::new_err(format!("{host:?} is no IP address of this machine")))?;
        let seat = sparsvm_team::Seat::open(host).map_err(|fault| lost(&fault))?;
        let address = seat.address().to_string();
        Ok(Self { held: Mutex::new(Some(seat)), address })
    }

    /// Comes together with the others, once.
    fn join(
        &self,
        py: Python<'_>,
        rank: usize,
        addresses: Vec<String>,
        token: Vec<u8>,
        patience: f64,
    ) -> PyResult<PyTeam> {
        let addresses: Vec<SocketAddr> = addresses
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()
            .map_err(|_| PyValueError::new_err("an address is HOST:PORT, with the host as a number"))?;
        let token: [u8; TOKEN] =
            token.try_into().map_err(|_| PyValueError::new_err("a token has 16 bytes"))?;
        let patience = Duration::try_from_secs_f64(patience)
            .map_err(|_| PyValueError::new_err("patience is a number of seconds"))?;
        let seat = self.take().ok_or_else(|| TeamError::new_err("this seat was used or closed already"))?;
        let tree = py.detach(|| seat.join(rank, &addresses, token, patience));
        let tree = Arc::new(tree.map_err(|fault| lost(&fault))?);
        Ok(PyTeam { tree, points: Arc::default() })
    }

    /// Gives the port back.
    fn close(&self) {
        drop(self.take());
    }
}

impl Seat {
    fn take(&self) -> Option<sparsvm_team::Seat> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The last point of each problem: coefficients for raw data and the intercept.
type Points = Arc<Mutex<BTreeMap<usize, (Vec<usize>, Vec<f64>, f64)>>>;

/// A member that is connected with the others.
#[pyclass(name = "Team", module = "sparsvm._core", frozen)]
#[derive(Debug)]
pub(crate) struct PyTeam {
    tree: Arc<Tree>,
    points: Points,
}

#[pymethods]
impl PyTeam {
    #[getter]
    fn members(&self) -> usize {
        self.tree.members()
    }

    #[getter]
    fn rank(&self) -> usize {
        self.tree.rank()
    }

    /// Sums made, and bytes of this member.
    #[getter]
    fn traffic<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let traffic = py.detach(|| self.tree.traffic());
        let dict = PyDict::new(py);
        dict.set_item("rounds", traffic.rounds)?;
        dict.set_item("sent", traffic.sent)?;
        dict.set_item("received", traffic.received)?;
        Ok(dict)
    }

    /// The best point so far of each problem, with which a fit can begin again: indices and values of the
    /// coefficients for raw data, and the intercept.
    #[getter]
    fn points(&self) -> BTreeMap<usize, (Vec<usize>, Vec<f64>, f64)> {
        self.points.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the fit for all members, from any thread.
    fn abort(&self) {
        self.tree.abort();
    }
}

impl PyTeam {
    pub(crate) fn team(&self) -> &dyn Team {
        &*self.tree
    }

    /// Keeps the points of one problem, whose columns were multiplied by `factors` (or none).
    pub(crate) fn keeper(&self, problem: usize, factors: &[f64]) -> Keeper {
        Keeper { points: Arc::clone(&self.points), problem, factors: factors.to_vec(), last: Instant::now() }
    }
}

/// How often a point is kept.
const EVERY: Duration = Duration::from_secs(1);

/// Writes the points of one problem down.
#[derive(Debug)]
pub(crate) struct Keeper {
    points: Points,
    problem: usize,
    factors: Vec<f64>,
    last: Instant,
}

impl Keeper {
    pub(crate) fn is_due(&self) -> bool {
        self.last.elapsed() >= EVERY
    }

    pub(crate) fn keep(&mut self, w: &[f64], b: f64) {
        self.last = Instant::now();
        let raw = |j: usize| w[j] * self.factors.get(j).copied().unwrap_or(1.0);
        let at: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
        let values = at.iter().map(|&j| raw(j)).collect();
        self.points.lock().unwrap_or_else(PoisonError::into_inner).insert(self.problem, (at, values, b));
    }
}
