//! The main result of a data set, in a sentence.

use crate::PairedDifference;
use mmoc::Error;
use mmoc::metrics::Metric;

use super::figures::{p_value, score};
use crate::summary::{DatasetSummary, MethodSummary, difference};

/// The significance level.
const LEVEL: f64 = 0.05;
const METRIC: Metric = Metric::SubsetAccuracy;

/// The best method in subset accuracy, and whether it differs significantly from the second best.
pub(super) fn finding(dataset: &DatasetSummary) -> Result<String, Error> {
    let mut ranked: Vec<(&MethodSummary, f64)> = dataset
        .methods
        .iter()
        .filter_map(|method| Some((method, method.metric(METRIC)?.mean.mean)))
        .collect();
    // Stable, so that of equal means the first of the tables comes first.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(match ranked.as_slice() {
        [] => "There is no subset accuracy.".into(),
        [(only, mean)] => format!(
            "{} has a subset accuracy of {}.",
            only.title(),
            score(*mean)
        ),
        [(best, mean), (next, other), ..] if mean == other => format!(
            "{} and {} have the same subset accuracy, {}.",
            best.title(),
            next.title(),
            score(*mean)
        ),
        [(best, mean), (next, other), ..] => {
            let lead = score(mean - other);
            let paired = difference(METRIC, &best.records, &next.records)?;
            format!(
                "{} is best in subset accuracy, {}: {lead} ahead of {}{}",
                best.title(),
                score(*mean),
                next.title(),
                support(paired.as_ref())
            )
        }
    })
}

fn support(paired: Option<&PairedDifference>) -> String {
    let tests = paired.and_then(|paired| Some((paired, paired.wilcoxon?, paired.resampled_t?)));
    let Some((tested, wilcoxon, resampled_t)) = tests else {
        return ", in a single run, so that the difference cannot be tested.".into();
    };
    let runs = tested.wins + tested.ties + tested.losses;
    format!(
        ", and ahead in {} of {runs} runs. Wilcoxon's test {} (p {}); the t-test corrected for \
         overlapping training sets {} (p {}).",
        tested.wins,
        verdict(wilcoxon.p_value),
        p_value(wilcoxon.p_value),
        verdict(resampled_t.p_value),
        p_value(resampled_t.p_value),
    )
}

fn verdict(p: f64) -> &'static str {
    if p < LEVEL {
        "finds a significant difference"
    } else {
        "finds no significant difference"
    }
}
