//! `mmoc score`: how well a model, or any other program, predicts rows whose labels are known.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use mmoc::Model;
use mmoc::data::{Labels, Matrix, Targets};
use mmoc::metrics::{Evaluation, LabelEvaluation, Metric, calibration_error};
use mmoc::posterior::Decision;
use mmoc::{Prediction, with_threads};
use mmoc_experiment::text::{LABEL_COLUMNS, TextTable, counted, printable};
use mmoc_io::{Missing, Pace, WantedLabels};
use serde::Serialize;

use crate::args::{DataArgs, ScoreArgs, Scored, UseArgs};
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
        certainty: all.certainty(),
        ..ScoreReport::new(title, rows, names, &all.evaluate()?)
    })
}

fn of_predictions(file: &Path, mut data: DataArgs) -> Result<ScoreReport, Failure> {
    // Only labels count.
    data.read.missing = Missing::Mean;
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
    /// Weights of all rows, once a row has one.
    weights: Option<Vec<f64>>,
    /// Labels that are not known, of all rows, once there is one.
    unknown: Option<Labels>,
    predicted: Labels,
    scores: Option<Vec<f64>>,
    probabilities: Option<Vec<f64>>,
    confidence: Option<Vec<f64>>,
}

impl Answers {
    fn new(labels: usize) -> Self {
        Self {
            truth: Labels::empty(labels),
            weights: None,
            unknown: None,
            predicted: Labels::empty(labels),
            scores: Some(Vec::new()),
            probabilities: Some(Vec::new()),
            confidence: Some(Vec::new()),
        }
    }

    fn add(&mut self, truth: Targets<'_>, found: &Prediction) {
        self.add_weights(truth);
        self.add_unknown(truth);
        push_rows(&mut self.truth, truth.labels());
        push_rows(&mut self.predicted, &found.labels);
        extend(&mut self.scores, found.scores.as_ref().map(Matrix::values));
        let probabilities = found.probabilities.as_ref();
        extend(&mut self.probabilities, probabilities.map(Matrix::values));
        extend(&mut self.confidence, found.confidence.as_deref());
    }

    /// Rows before the first with a weight count as 1, and so do rows without one after it.
    fn add_weights(&mut self, truth: Targets<'_>) {
        if self.weights.is_some() || truth.weights().is_some() {
            let before = self.truth.rows();
            let all = self.weights.get_or_insert_with(|| vec![1.0; before]);
            all.extend((0..truth.rows()).map(|row| truth.weight(row)));
        }
    }

    /// Labels of rows before the first unknown one are known.
    fn add_unknown(&mut self, truth: Targets<'_>) {
        if self.unknown.is_some() || truth.unknown().is_some() {
            let (before, labels) = (self.truth.rows(), self.truth.count());
            let known = |rows| Labels::from_fn(rows, labels, |_, _| false);
            let all = self.unknown.get_or_insert_with(|| known(before));
            match truth.unknown() {
                Some(unknown) => push_rows(all, unknown),
                None => push_rows(all, &known(truth.rows())),
            }
        }
    }

    /// The certainty of the rows whose labels are all known, none of which counts more than another.
    fn certainty(&self) -> Certainty {
        let Some(all) = &self.confidence else {
            return Certainty::default();
        };
        let is_known = |&row: &usize| {
            let unknown = self.unknown.as_ref();
            unknown.is_none_or(|unknown| unknown.row(row).is_empty())
        };
        let (confidence, right): (Vec<f64>, Vec<bool>) = (0..self.truth.rows())
            .filter(is_known)
            .map(|row| (all[row], self.predicted.row(row) == self.truth.row(row)))
            .unzip();
        if confidence.is_empty() {
            return Certainty::default();
        }
        Certainty {
            mean_confidence: Some(confidence.iter().sum::<f64>() / confidence.len() as f64),
            calibration_error: Some(calibration_error(&confidence, &right)),
        }
    }

    fn evaluate(self) -> Result<Evaluation, Failure> {
        let (rows, labels) = (self.truth.rows(), self.truth.count());
        let matrix = |values: Vec<f64>| Matrix::new(rows, labels, values);
        let predicted = Prediction {
            labels: self.predicted,
            scores: self.scores.map(matrix).transpose()?,
            probabilities: self.probabilities.map(matrix).transpose()?,
            confidence: self.confidence,
        };
        let truth = Targets::new(&self.truth)
            .with_weights(self.weights.as_deref())?
            .with_unknown(self.unknown.as_ref())?;
        Ok(predicted.score(truth)?)
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
    fn rows_without_weights_count_as_one_before_and_after_those_with() {
        let mut all = Answers::new(2);
        let (truth, found) = sets(2);
        let plain = Targets::new(&truth);
        all.add(plain, &found);
        all.add(plain.with_weights(Some(&[2.0, 0.5])).unwrap(), &found);
        all.add(plain, &found);
        assert_eq!(all.weights, Some(vec![1.0, 1.0, 2.0, 0.5, 1.0, 1.0]));
        assert_eq!(all.unknown, None);
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
        let known = all.unknown.as_ref().unwrap();
        assert_eq!((known.rows(), known.row(3)), (6, &[1][..]));
        let certainty = all.certainty();
        assert_eq!(certainty.mean_confidence, Some(0.5));
        assert_eq!(certainty.calibration_error, Some(0.5));
        let evaluation = all.evaluate().unwrap();
        assert_eq!(evaluation.subset_accuracy(), 1.0 / 6.0);
        assert!((evaluation.hamming_loss() - 5.0 / 11.0).abs() < 1e-15);
    }
}
