//! `mmoc score`: how well a model predicts rows whose labels are known.

use std::collections::BTreeMap;

use mmoc::Model;
use mmoc::data::{Labels, Matrix};
use mmoc::metrics::{Evaluation, LabelEvaluation, Metric};
use mmoc::{Prediction, with_threads};
use mmoc_experiment::text::{LABEL_COLUMNS, TextTable, counted, printable};
use mmoc_io::WantedLabels;
use serde::Serialize;

use crate::args::ScoreArgs;
use crate::failure::Failure;
use crate::output;
use crate::rows::Rows;
use crate::{rows, trained};

pub(crate) fn run(args: &ScoreArgs) -> Result<(), Failure> {
    rows::check(&args.using)?;
    let model = trained::load(&args.using.model)?;
    let threads = args.using.threads.count();
    let scored = with_threads(threads, || score(args, &model))??;
    if args.json {
        output::json(&scored)
    } else {
        output::text(&describe(&scored, &model, args.per_label))
    }
}

/// The scores of a model, as `--json` writes them.
#[derive(Debug, Serialize)]
struct Scored {
    method: &'static str,
    rows: usize,
    metrics: BTreeMap<Metric, f64>,
    label_metrics: Vec<LabelScore>,
}

#[derive(Debug, Serialize)]
struct LabelScore {
    name: String,
    #[serde(flatten)]
    scores: LabelEvaluation,
}

fn score(args: &ScoreArgs, model: &Model) -> Result<Scored, Failure> {
    let mut rows = Rows::open(&args.using, model, WantedLabels::Required)?;
    let names = model.schema().label_names();
    let mut all = Answers::new(names.len());
    while let Some(batch) = rows.next_batch()? {
        let truth = batch.labels.expect("labels were asked for");
        all.add(&truth, &model.predict(batch.features.view())?);
    }
    let evaluation = all.evaluate()?;
    let labels = names.iter().zip(evaluation.labels());
    Ok(Scored {
        method: model.params().method.name(),
        rows: all.truth.rows(),
        metrics: evaluation.iter().collect(),
        label_metrics: labels
            .map(|(name, scores)| LabelScore {
                name: name.clone(),
                scores: *scores,
            })
            .collect(),
    })
}

/// What is true and what was predicted, of all rows so far.
struct Answers {
    truth: Labels,
    predicted: Labels,
    scores: Option<Vec<f64>>,
    probabilities: Option<Vec<f64>>,
}

impl Answers {
    fn new(labels: usize) -> Self {
        Self {
            truth: Labels::empty(labels),
            predicted: Labels::empty(labels),
            scores: Some(Vec::new()),
            probabilities: Some(Vec::new()),
        }
    }

    fn add(&mut self, truth: &Labels, found: &Prediction) {
        push_rows(&mut self.truth, truth);
        push_rows(&mut self.predicted, &found.labels);
        extend(&mut self.scores, found.scores.as_ref());
        extend(&mut self.probabilities, found.probabilities.as_ref());
    }

    fn evaluate(&self) -> Result<Evaluation, Failure> {
        let (rows, labels) = (self.truth.rows(), self.truth.count());
        let matrix = |values: &Option<Vec<f64>>| {
            let values = values.clone();
            values
                .map(|values| Matrix::new(rows, labels, values))
                .transpose()
        };
        Ok(Evaluation::of(
            &self.truth,
            &self.predicted,
            matrix(&self.scores)?.as_ref(),
            matrix(&self.probabilities)?.as_ref(),
        )?)
    }
}

fn push_rows(all: &mut Labels, more: &Labels) {
    for set in more.iter() {
        all.push_row(set.iter().map(|&label| label as usize));
    }
}

/// Adds numbers; once there are none of some rows there are none at all.
fn extend(all: &mut Option<Vec<f64>>, more: Option<&Matrix>) {
    match (all.as_mut(), more) {
        (Some(all), Some(more)) => all.extend_from_slice(more.values()),
        _ => *all = None,
    }
}

fn describe(scored: &Scored, model: &Model, per_label: bool) -> String {
    let method = model.params().method.title();
    let mut text = format!("{method}, {}\n\n", counted(scored.rows, "row"));
    let mut table = TextTable::new(&["metric", "value"]);
    for (metric, value) in &scored.metrics {
        table.add(vec![metric.title().into(), format!("{value:.4}")]);
    }
    text.push_str(&table.render());
    if per_label {
        text.push('\n');
        text.push_str(&label_table(scored));
    }
    text
}

fn label_table(scored: &Scored) -> String {
    let mut table = TextTable::new(&LABEL_COLUMNS);
    for LabelScore { name, scores } in &scored.label_metrics {
        let ratio = |ratio: f64| format!("{ratio:.4}");
        table.add(vec![
            printable(name),
            scores.positives.to_string(),
            scores.predicted.to_string(),
            ratio(scores.precision),
            ratio(scores.recall),
            ratio(scores.f1),
            scores.auc.map_or("–".into(), ratio),
        ]);
    }
    table.render()
}
