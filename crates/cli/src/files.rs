//! Where the results of `path`, `cv` and `select` go, checked before the work begins.

use std::path::Path;

use anyhow::Result;
use sparsvm_data::Source;

use crate::args::PageArgs;
use crate::atomic::Target;
use crate::output::OutFormat;
use crate::{page, plot};

/// The files that were asked for.
pub(crate) struct Files {
    pub(crate) out: Option<(Target, OutFormat)>,
    pub(crate) plot: Option<(Target, plot::Format)>,
    pub(crate) report: Option<Target>,
}

impl Files {
    /// `inputs` may not be written over.
    pub(crate) fn new(
        out: Option<&Path>,
        plot: Option<&Path>,
        page: &PageArgs,
        inputs: &[Source],
    ) -> Result<Self> {
        Ok(Self {
            out: OutFormat::target(out, inputs)?,
            plot: plot::Format::target(plot, inputs)?,
            report: page::target("--report", page.report.as_deref(), inputs)?,
        })
    }

    /// True if something is written that holds the run.
    pub(crate) fn show_run(&self) -> bool {
        self.report.is_some() || matches!(self.out, Some((_, OutFormat::Json)))
    }

    /// Their names, for the table.
    pub(crate) fn written(&self) -> Vec<String> {
        let out = self.out.iter().map(|(target, _)| target.shown());
        let plot = self.plot.iter().map(|(target, _)| target.shown());
        out.chain(plot).chain(self.report.iter().map(Target::shown)).collect()
    }
}
