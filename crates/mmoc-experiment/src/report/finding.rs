//! The main results of a data set, in a sentence for each headline metric.

use crate::PairedDifference;
use mmoc::Error;
use mmoc::metrics::Metric;

use super::figures::{p_value, score};
use crate::summary::{DatasetSummary, MethodSummary, difference};

/// The significance level.
const LEVEL: f64 = 0.05;

/// A sentence for each headline metric.
pub(super) fn findings(dataset: &DatasetSummary) -> Result<Vec<String>, Error> {
    let metrics = dataset.headline.iter();
    metrics.map(|&metric| finding(dataset, metric)).collect()
}

/// The best method in a metric, and whether it differs significantly from the second best.
fn finding(dataset: &DatasetSummary, metric: Metric) -> Result<String, Error> {
    let mut ranked: Vec<(&MethodSummary, f64)> = dataset
        .methods
        .iter()
        .filter_map(|method| Some((method, method.metric(metric)?.mean.mean)))
        .collect();
    // Stable, so that of equal means the first of the tables comes first.
    ranked.sort_by(|a, b| {
        if metric.higher_is_better() {
            b.1.total_cmp(&a.1)
        } else {
            a.1.total_cmp(&b.1)
        }
    });
    let measure = in_a_sentence(metric.title());
    Ok(match ranked.as_slice() {
        [] => format!("There is no {measure}."),
        [(only, mean)] => {
            let article = if measure.starts_with(['e', 'N']) {
                "an"
            } else {
                "a"
            };
            let (title, mean) = (only.title(), score(*mean));
            format!("{title} has {article} {measure} of {mean}.")
        }
        [(best, mean), (next, other), ..] if mean == other => format!(
            "{} and {} have the same {measure}, {}.",
            best.title(),
            next.title(),
            score(*mean)
        ),
        [(best, mean), (next, other), ..] => {
            let lead = score((mean - other).abs());
            let paired = difference(metric, &best.records, &next.records)?;
            format!(
                "{} is best in {measure}, {}: {lead} ahead of {}{}",
                best.title(),
                score(*mean),
                next.title(),
                support(metric, paired.as_ref())
            )
        }
    })
}

/// A title within a sentence: it begins with a small letter unless it begins with a name or an abbreviation.
fn in_a_sentence(title: &str) -> String {
    let is_name = ["Hamming", "Jaccard", "NDCG", "AUC"];
    if is_name.iter().any(|name| title.starts_with(name)) {
        return title.to_owned();
    }
    let mut letters = title.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn support(metric: Metric, paired: Option<&PairedDifference>) -> String {
    let tests = paired.and_then(|paired| Some((paired, paired.wilcoxon?, paired.resampled_t?)));
    let Some((tested, wilcoxon, resampled_t)) = tests else {
        return ", in a single run, so that the difference cannot be tested.".into();
    };
    let runs = tested.wins + tested.ties + tested.losses;
    let (ahead, _) = tested.better_and_worse(metric);
    format!(
        ", and ahead in {ahead} of {runs} runs. Wilcoxon's test {} (p {}); the t-test corrected for \
         overlapping training sets {} (p {}).",
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
