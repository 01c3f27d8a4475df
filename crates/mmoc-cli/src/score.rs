//! `mmoc score`: how well a model, or any other program, predicts rows whose labels are known.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use mmoc::Model;
use mmoc::data::{Labels, Matrix, Missing, Targets};
use mmoc::metrics::{Evaluation, LabelEvaluation, Metric, calibration_error};
use mmoc::posterior::Decision;
use mmoc::{Prediction, with_threads};
use mmoc_experiment::text::{LABEL_COLUMNS, TextTable, counted, printable};
use mmoc_io::{Pace, WantedLabels};
use serde::Serialize;

use crate::args::{DataArgs, MissingFeatures, ScoreArgs, Scored, UseArgs};
use crate::failure::Failure;
use crate::kept::Kept;
use crate::rows::Rows;
use crate::{load, output, rows, trained};

pub(crate) fn run(args: &ScoreArgs) -> Result<(), Failure> {
    let report = match args.scored()? {
        Scored::Model(using) => of_model(&using, args.decide)?,
        Scored::Predictions(file, data) => of_predictions(&file, data)?,
    };
    if args.json {
        output::json(&report)
    } else {
        output::text(&describe(&report, args.per_label))
    }
}

/// The scores of predictions, as `--json` writes them.
#[derive(Debug, Serialize)]
struct ScoreReport {
    /// What made the predictions.
    #[serde(skip)]
    title: String,
    /// The method of the model, if there is one.
    method: Option<&'static str>,
    /// The measure that its label sets are to be best in, if it has a posterior over label sets.
    decide: Option<Decision>,
    rows: usize,
    #[serde(flatten)]
    certainty: Certainty,
    metrics: BTreeMap<Metric, f64>,
    label_metrics: Vec<LabelScore>,
}

/// How sure of its label sets a model is, and whether rightly so.
#[derive(Debug, Default, Serialize)]
struct Certainty {
    mean_confidence: Option<f64>,
    calibration_error: Option<f64>,
}

#[derive(Debug, Serialize)]
struct LabelScore {
    name: String,
    #[serde(flatten)]
    scores: LabelEvaluation,
}

impl ScoreReport {
    fn new(title: String, rows: usize, names: &[String], evaluation: &Evaluation) -> Self {
        let labels = names.iter().zip(evaluation.labels());
        Self {
            title,
            method: None,
            decide: None,
            rows,
            certainty: Certainty::default(),
            metrics: evaluation.iter().collect(),
            label_metrics: labels
                .map(|(name, scores)| LabelScore {
                    name: name.clone(),
                    scores: *scores,
                })
                .collect(),
        }
    }
}

fn of_model(args: &UseArgs, decide: Option<Decision>) -> Result<ScoreReport, Failure> {
    rows::check(args)?;
    let model = trained::deciding(trained::load(&args.model)?, decide)?;
    with_threads(args.threads.count(), || score_model(args, &model))?
}

fn score_model(args: &UseArgs, model: &Model) -> Result<ScoreReport, Failure> {
    let mut rows = Rows::open(args, model, WantedLabels::Required, Pace::Full)?;
    let names = model.schema().label_names();
    let mut all = Answers::new(names.len());
    while let Some(batch) = rows.next_batch()? {
        let truth = batch.targets()?.expect("labels were asked for");
        all.add(truth, &model.predict(batch.features.view())?);
    }
    let method = &model.params().method;
    let (title, rows) = (method.title().to_owned(), all.truth.rows());
    Ok(ScoreReport {
        method: Some(method.name()),
        decide: trained::decision(model),
        certainty: all.certainty()?,
        ..ScoreReport::new(title, rows, names, &all.evaluate()?)
    })
}

fn of_predictions(file: &Path, mut data: DataArgs) -> Result<ScoreReport, Failure> {
    // Only labels count.
    data.read.missing = MissingFeatures::Fill(Missing::Mean);
    let read = load::read(&data)?;
    let whole = read.dataset;
    let frequent = data.read.top_labels;
    let frequent = frequent.map(|count| whole.keep_frequent_labels(count));
    let names = match frequent.transpose()? {
        Some(kept) => kept.label_names().to_vec(),
        None => whole.label_names().to_vec(),
    };
    let kept = Kept::of(&whole, &read.left_out, &names, &data.read)?;
    let truth = kept.rows_of(&whole)?;
    let evaluation = kept.predictions(file)?.score(&truth)?;
    let title = printable(&file.display().to_string());
    Ok(ScoreReport::new(title, truth.rows(), &names, &evaluation))
}

/// What is true and what was predicted, of all rows so far.
struct Answers {
    truth: Labels,
    weights: Option<Vec<f64>>,
    unknown: Labels,
    predicted: Labels,
    scores: Option<Vec<f64>>,
    probabilities: Option<Vec<f64>>,
    confidence: Option<Vec<f64>>,
}

impl Answers {
    fn new(labels: usize) -> Self {
        Self {
            truth: Labels::empty(labels),
            weights: Some(Vec::new()),
            unknown: Labels::empty(labels),
            predicted: Labels::empty(labels),
            scores: Some(Vec::new()),
            probabilities: Some(Vec::new()),
            confidence: Some(Vec::new()),
        }
    }

    fn add(&mut self, truth: Targets<'_>, found: &Prediction) {
        push_rows(&mut self.truth, truth.labels());
        extend(&mut self.weights, truth.weights());
        match truth.unknown() {
            Some(unknown) => push_rows(&mut self.unknown, unknown),
            None => (0..truth.rows()).for_each(|_| self.unknown.push_row([])),
        }
        push_rows(&mut self.predicted, &found.labels);
        extend(&mut self.scores, found.scores.as_ref().map(Matrix::values));
        let probabilities = found.probabilities.as_ref();
        extend(&mut self.probabilities, probabilities.map(Matrix::values));
        extend(&mut self.confidence, found.confidence.as_deref());
    }

    /// The labels of all rows, with the weights of rows and the labels that are not known.
    fn targets(&self) -> Result<Targets<'_>, Failure> {
        let unknown = Some(&self.unknown).filter(|unknown| unknown.total() > 0);
        let targets = Targets::new(&self.truth).with_weights(self.weights.as_deref())?;
        Ok(targets.with_unknown(unknown)?)
    }

    /// Of the rows whose labels are all known: whether the label set of another row is right cannot be told.
    fn certainty(&self) -> Result<Certainty, Failure> {
        let targets = self.targets()?;
        let rows = (0..targets.rows()).filter(|&row| self.unknown.row(row).is_empty());
        let rows: Vec<usize> = rows.collect();
        let confidence = match &self.confidence {
            Some(confidence) if !rows.is_empty() => confidence,
            _ => return Ok(Certainty::default()),
        };
        let confidence: Vec<f64> = rows.iter().map(|&row| confidence[row]).collect();
        let is_right = |row: &usize| self.truth.row(*row) == self.predicted.row(*row);
        let right: Vec<bool> = rows.iter().map(is_right).collect();
        Ok(Certainty {
            mean_confidence: Some(confidence.iter().sum::<f64>() / confidence.len() as f64),
            calibration_error: Some(calibration_error(&confidence, &right)),
        })
    }

    fn evaluate(mut self) -> Result<Evaluation, Failure> {
        let (rows, labels) = (self.truth.rows(), self.truth.count());
        let matrix = |values: Vec<f64>| Matrix::new(rows, labels, values);
        let predicted = Prediction {
            labels: std::mem::replace(&mut self.predicted, Labels::empty(labels)),
            scores: self.scores.take().map(matrix).transpose()?,
            probabilities: self.probabilities.take().map(matrix).transpose()?,
            confidence: self.confidence.take(),
        };
        Ok(predicted.score(self.targets()?)?)
    }
}

fn push_rows(all: &mut Labels, more: &Labels) {
    for set in more.iter() {
        all.push_row(set.iter().map(|&label| label as usize));
    }
}

/// Adds numbers; once there are none of some rows there are none at all.
fn extend(all: &mut Option<Vec<f64>>, more: Option<&[f64]>) {
    match (all.as_mut(), more) {
        (Some(all), Some(more)) => all.extend_from_slice(more),
        _ => *all = None,
    }
}

fn describe(scored: &ScoreReport, per_label: bool) -> String {
    let mut text = format!("{}, {}", scored.title, counted(scored.rows, "row"));
    if let Some(decision) = scored.decide {
        write!(text, ", decisions for {decision}").expect("a string takes any text");
    }
    text.push_str("\n\n");
    let mut table = TextTable::new(&["metric", "value"]);
    for (metric, value) in &scored.metrics {
        table.add(vec![metric.title().into(), format!("{value:.4}")]);
    }
    let Certainty {
        mean_confidence,
        calibration_error,
    } = scored.certainty;
    let certainty = [
        ("Mean confidence", mean_confidence),
        ("Calibration error", calibration_error),
    ];
    for (title, value) in certainty {
        if let Some(value) = value {
            table.add(vec![title.into(), format!("{value:.4}")]);
        }
    }
    text.push_str(&table.render());
    if per_label {
        text.push('\n');
        text.push_str(&label_table(scored));
    }
    text
}

fn label_table(scored: &ScoreReport) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two labels, all of which have both and are predicted to have the first, with confidence one half.
    fn sets(rows: usize) -> (Labels, Prediction) {
        let prediction = Prediction {
            labels: Labels::from_fn(rows, 2, |_, label| label == 0),
            scores: None,
            probabilities: None,
            confidence: Some(vec![0.5; rows]),
        };
        (Labels::from_fn(rows, 2, |_, _| true), prediction)
    }

    #[test]
    fn unknown_labels_of_one_batch_reach_the_evaluation_of_all() {
        let mut all = Answers::new(2);
        let (truth, found) = sets(2);
        let only_first = Labels::from_fn(2, 2, |row, label| (row, label) != (1, 1));
        let unknown = Labels::from_fn(2, 2, |row, label| (row, label) == (1, 1));
        let partly = Targets::new(&only_first).with_unknown(Some(&unknown));
        all.add(Targets::new(&truth), &found);
        all.add(partly.unwrap(), &found);
        all.add(Targets::new(&truth), &found);
        assert_eq!((all.unknown.rows(), all.unknown.row(3)), (6, &[1][..]));
        let certainty = all.certainty().ok().unwrap();
        assert_eq!(certainty.mean_confidence, Some(0.5));
        assert_eq!(certainty.calibration_error, Some(0.5));
        let evaluation = all.evaluate().ok().unwrap();
        assert_eq!(evaluation.subset_accuracy(), 1.0 / 6.0);
        assert!((evaluation.hamming_loss() - 5.0 / 11.0).abs() < 1e-15);
    }
}
