//! What is said of the posterior of a model.

use mmoc::posterior::{FeaturesRecord, FormRecord, PosteriorRecord, TermRecord};
use mmoc_experiment::text::{TextTable, counted};

/// The label sets that are considered, in a line.
pub(crate) fn candidates(record: &PosteriorRecord) -> String {
    format!(
        "{} ({}), unseen mass {:.4}, decisions for {}",
        counted(record.sets, "label set"),
        record.candidates,
        record.unseen_mass,
        record.decide,
    )
}

/// The terms, and the combinations of terms that they were chosen among.
pub(crate) fn terms(record: &PosteriorRecord) -> String {
    let mut text = term_table(&record.terms);
    if !record.forms.is_empty() {
        text.push('\n');
        text.push_str(&form_table(&record.forms));
    }
    text
}

/// How the posterior was fitted: a name and a line each.
pub(crate) fn facts(record: &PosteriorRecord) -> Vec<(&'static str, String)> {
    let share = format!(
        "{:.4} of the marginal probabilities",
        record.independent_share
    );
    let fit = match record.rows {
        0 => "weights were given".into(),
        rows => format!(
            "mean log-likelihood {:.4} of {}, each as if it were new (gap {:.1e})",
            record.log_likelihood,
            counted(rows, "row"),
            record.gap,
        ),
    };
    let mut facts = vec![("independent", share), ("weights", fit)];
    facts.extend(
        record
            .features
            .as_ref()
            .map(|own| ("features", features(own))),
    );
    facts
}

/// Which features linear models are functions of, and why.
fn features(record: &FeaturesRecord) -> String {
    let chosen = match record.chosen.as_str() {
        "rbf" => "radial basis functions",
        "both" => "linear and radial basis functions",
        _ => "linear",
    };
    let tried = match record.centres {
        0 => "; radial basis functions were not tried".into(),
        centres => format!("; {}", counted(centres, "centre")),
    };
    format!(
        "{chosen}: leave-one-out error {:.1} linear, {:.1} with radial basis functions{tried}",
        record.linear_error, record.rbf_error
    )
}

fn term_table(terms: &[TermRecord]) -> String {
    let mut table = TextTable::new(&["term", "weight", "worth"]);
    for term in terms {
        table.add(vec![
            term.name.clone(),
            format!("{:.4}", term.weight),
            format!("{:.4}", term.worth),
        ]);
    }
    table.render()
}

fn form_table(forms: &[FormRecord]) -> String {
    let columns = [
        "terms tried",
        "score",
        "behind the best",
        "stderr",
        "log-likelihood",
        "",
    ];
    let mut table = TextTable::new(&columns);
    for form in forms {
        table.add(vec![
            form.terms.join("+"),
            format!("{:.4}", form.score),
            format!("{:.4}", form.deficit),
            format!("{:.4}", form.stderr),
            format!("{:.4}", form.log_likelihood),
            if form.chosen { "chosen" } else { "" }.into(),
        ]);
    }
    table.render()
}
