//! Models from files, and what is said of any of them.

use std::path::Path;

use mmoc::Model;
use mmoc::code::CodeReport;
use mmoc::code::max_margin::{SolverReport, Termination};
use mmoc::data::Missing;
use mmoc::learn::BaseParams;
use mmoc::metrics::Metric;
use mmoc::posterior::{Decision, Posterior};
use mmoc::settings::{Parameter, Settings};
use mmoc_experiment::BASE;
use mmoc_experiment::text::{TextTable, counted, parameters, printable};

use crate::failure::Failure;
use crate::output::is_standard;
use crate::{posterior, standard_input};

/// Loads a model, from standard input if that is named.
pub(crate) fn load(path: &Path) -> Result<Model, Failure> {
    if is_standard(path) {
        return Ok(Model::read(std::io::stdin().lock(), standard_input::NAME)?);
    }
    Ok(Model::load(path)?)
}

/// The posterior over label sets, which an option needs.
pub(crate) fn posterior<'a>(trained: &'a Model, option: &str) -> Result<&'a Posterior, Failure> {
    let posterior = trained.predictor().posterior();
    posterior.map_err(|_| Failure::no_posterior(option))
}

/// The model with the decision that was asked for.
pub(crate) fn deciding(trained: Model, decide: Option<Decision>) -> Result<Model, Failure> {
    let Some(decision) = decide else {
        return Ok(trained);
    };
    posterior(&trained, "--decide")?;
    Ok(trained.with_decision(decision)?)
}

/// The measure that label sets are to be best in, if there is a posterior that can tell.
pub(crate) fn decision(trained: &Model) -> Option<Decision> {
    let posterior = trained.predictor().posterior().ok();
    posterior.map(Posterior::decision)
}

/// What was trained on what, and with which parameters.
pub(crate) fn heading(trained: &Model) -> String {
    let (params, record) = (trained.params(), trained.record());
    format!(
        "{}: {}, {}, {}\n{} ({}), scaling {}{}, seed {}\n{}{}",
        printable(&record.dataset),
        counted(record.rows, "row"),
        counted(trained.schema().attributes().len(), "feature"),
        counted(record.labels, "label"),
        params.method.title(),
        counted(record.base_models, "base model"),
        record.scaling,
        missing(trained),
        params.seed,
        parameters("", &params.method.parameters()),
        parameters(&format!("{BASE}."), &changed(trained)),
    )
}

/// How missing features are filled in, unless with means.
fn missing(trained: &Model) -> String {
    match trained.params().missing {
        Missing::Mean => String::new(),
        other => format!(", missing {other}"),
    }
}

/// The parameters of the base learners that are not at their defaults.
fn changed(trained: &Model) -> Vec<Parameter> {
    let own = trained.params().base.parameters().into_iter();
    let usual = BaseParams::default().parameters();
    let pairs = own.zip(usual);
    pairs
        .filter(|(own, usual)| own.value != usual.value)
        .map(|(own, _)| own)
        .collect()
}

/// What came of the training: a name and a line each.
pub(crate) fn facts(trained: &Model) -> Vec<(&'static str, String)> {
    let record = trained.record();
    let mut facts = Vec::new();
    if let Some(range) = range(&record.penalties.classifiers) {
        facts.push(("classifiers", format!("penalties {range}")));
    }
    if let Some(logistic) = record.logistic.filter(|record| record.regressions > 0) {
        let regressions = counted(logistic.regressions, "logistic regression");
        let reached = reached(logistic.converged, logistic.regressions);
        let worst = logistic.worst_gradient;
        let line =
            format!("{regressions}, {reached} to the tolerance (worst gradient {worst:.1e})");
        facts.push(("regressions", line));
    }
    if let Some(ridge) = record.ridge {
        let regressions = counted(ridge.regressions, "ridge regression");
        let reached = reached(ridge.converged, ridge.regressions);
        let worst = ridge.worst_gradient;
        let line = format!(
            "{regressions} by iteration, {reached} to the tolerance (worst gradient {worst:.1e})"
        );
        facts.push(("ridge", line));
    }
    if let Some(range) = range(&record.penalties.codewords) {
        facts.push(("codewords", format!("penalties {range}")));
    }
    if let Some(code) = trained.predictor().code() {
        let directions = counted(code.projections.columns(), "direction");
        facts.push((
            "code",
            format!("{directions} for {}", counted(record.labels, "label")),
        ));
    }
    if let Some(CodeReport::MaxMargin { solver, .. }) = &record.code {
        facts.push(("max margin", describe_solver(solver)));
    }
    if let Some(posterior) = &record.posterior {
        facts.push(("posterior", posterior::candidates(posterior)));
    }
    facts
}

/// How many of some regressions reached their tolerance.
fn reached(converged: usize, regressions: usize) -> String {
    if converged == regressions {
        "all".to_owned()
    } else {
        converged.to_string()
    }
}

fn describe_solver(solver: &SolverReport) -> String {
    let stopped = match solver.termination {
        Termination::Converged => "",
        Termination::IterationLimit => ", stopped by the limit of iterations",
        Termination::Stalled => ", where no further progress was possible",
    };
    format!(
        "certified gap {:.1e}, rank {}, {}{stopped} (objective {:.6e}, at least {:.6e})",
        solver.relative_gap,
        solver.rank,
        counted(solver.iterations, "iteration"),
        solver.objective,
        solver.lower_bound,
    )
}

/// The least, the middle and the greatest of some penalties.
fn range(penalties: &[f64]) -> Option<String> {
    let mut sorted = penalties.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (first, last) = (sorted.first()?, sorted.last()?);
    let middle = sorted[sorted.len() / 2];
    Some(if first == last {
        format!("{first:.2e}")
    } else {
        format!("{first:.2e} to {last:.2e}, {middle:.2e} in the middle")
    })
}

/// A table of some metrics as training estimated them, or a line that says why there is none.
pub(crate) fn estimates(trained: &Model, metrics: impl IntoIterator<Item = Metric>) -> String {
    let estimates = &trained.record().estimates;
    if estimates.is_empty() {
        return "  nothing was estimated on held-out rows: mmoc train --estimates always does\n"
            .into();
    }
    let title = match decision(trained) {
        Some(decision) => format!("estimated on held-out rows, decisions for {decision}"),
        None => "estimated on held-out rows".into(),
    };
    let mut table = TextTable::new(&[title.as_str(), "value"]);
    for metric in metrics {
        let value = estimates.get(&metric);
        let value = value.map_or("–".into(), |value| format!("{value:.4}"));
        table.add(vec![metric.title().into(), value]);
    }
    table.render()
}

/// What the user should know about a training that did not go as it should.
pub(crate) fn warnings(trained: &Model) -> Vec<String> {
    let record = trained.record();
    let mut warnings = record.not_converged();
    if let Some(CodeReport::MaxMargin { solver, .. }) = &record.code
        && solver.rank == 0
    {
        warnings.push(
            "no direction was kept, so that the label classifiers decide alone; a smaller gap or a \
             larger c may change that"
                .into(),
        );
    }
    warnings
}
