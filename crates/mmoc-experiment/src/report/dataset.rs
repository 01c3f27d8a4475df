//! The section of one data set: scores, runs, ranks, confidence, the learnt code, labels, time, and everything else.

use mmoc::Error;

use super::finding::findings;
use super::html_table::{self, name};
use super::markup::{Element, element, text};
use super::names::FileNames;
use super::svg::Figure;
use super::{figures, page};
use crate::summary::{DatasetSummary, MethodSummary, RankingSummary};
use crate::text::counted;

/// A part of the section.
struct Subsection {
    key: &'static str,
    title: &'static str,
    contents: Vec<Element>,
}

/// The section of a data set, and the links to its parts.
pub(super) struct DatasetSection {
    pub(super) section: Element,
    /// Anchors and titles of the parts.
    pub(super) links: Vec<(String, &'static str)>,
    /// A sentence for each headline metric.
    pub(super) findings: Vec<String>,
    pub(super) figures: Vec<Figure>,
}

impl DatasetSection {
    /// The section whose anchors begin with `anchor`.
    pub(super) fn new(
        dataset: &DatasetSummary,
        anchor: &str,
        reference: &str,
        rankings: &[&RankingSummary],
        files: &mut FileNames,
    ) -> Result<Self, Error> {
        let mut gallery = Gallery {
            files,
            dataset: &dataset.entry.name,
            figures: Vec::new(),
        };
        let findings = findings(dataset)?;
        let parts = [
            scores(dataset, reference, &mut gallery),
            runs(dataset, &mut gallery),
            ranks(dataset, rankings, &mut gallery),
            confidence(dataset, &mut gallery),
            code(dataset, &mut gallery),
            labels(dataset, &mut gallery),
            time(dataset, &mut gallery),
            everything(dataset),
        ];
        let parts: Vec<Subsection> = parts
            .into_iter()
            .filter(|part| !part.contents.is_empty())
            .collect();
        let id = |part: &Subsection| format!("{anchor}-{}", part.key);
        let links = parts.iter().map(|part| (id(part), part.title)).collect();
        let figures = gallery.figures;
        let mut section = element("section")
            .with("id", anchor)
            .children(opening(dataset, &findings));
        for part in parts {
            section = section
                .child(text("h3", part.title).with("id", id(&part)))
                .children(part.contents);
        }
        Ok(Self {
            section,
            links,
            findings,
            figures,
        })
    }
}

/// Figures of a data set as they are drawn.
struct Gallery<'a> {
    files: &'a mut FileNames,
    dataset: &'a str,
    figures: Vec<Figure>,
}

impl Gallery<'_> {
    /// Draws a figure, if there is something to draw.
    fn draw(
        &mut self,
        name: &str,
        figure: impl FnOnce(String) -> Option<Figure>,
    ) -> Option<Element> {
        let figure = figure(self.files.make(self.dataset, name))?;
        let element = page::figure(&figure);
        self.figures.push(figure);
        Some(element)
    }
}

/// Figures beside each other where there is room.
fn grid(figures: Vec<Element>) -> Option<Element> {
    (!figures.is_empty()).then(|| element("div").class("grid-of-figures").children(figures))
}

fn opening(dataset: &DatasetSummary, findings: &[String]) -> Vec<Element> {
    let entry = &dataset.entry;
    let mut opening = vec![
        element("h2")
            .child(name(&dataset.entry.name))
            .child(page::badge(dataset)),
    ];
    if dataset.is_synthetic() {
        opening.push(page::synthetic_warning());
    }
    let findings = findings.iter();
    opening.extend(findings.map(|finding| text("p", finding).class("finding")));
    let facts = format!(
        "{}; {:.3} labels per row (density {:.3}), {}; {}.",
        dataset.size(),
        entry.cardinality,
        entry.density,
        counted(entry.distinct_label_sets, "different label set"),
        dataset.entry.preprocessing()
    );
    opening.push(text("p", facts).class("note"));
    opening
}

fn scores(dataset: &DatasetSummary, reference: &str, gallery: &mut Gallery<'_>) -> Subsection {
    let figures = dataset.headline.iter().filter_map(|&metric| {
        let name = format!("means-{}", metric.key().replace('_', "-"));
        gallery.draw(&name, |file| Some(figures::means(dataset, metric, file)))
    });
    let mut contents: Vec<Element> = grid(figures.collect()).into_iter().collect();
    let tables = dataset.headline.iter();
    let tables = tables.map(|&metric| html_table::scores(dataset, metric, reference));
    contents.extend(tables);
    let note = if dataset.has_repeated_runs() {
        DIFFERENCES
    } else {
        SINGLE_RUN
    };
    contents.push(text("p", note).class("note"));
    Subsection {
        key: "scores",
        title: "Scores",
        contents,
    }
}

const DIFFERENCES: &str = "Best means are bold. Differences from another method are means of paired differences over the \
    same splits; p (t) is from the t-test corrected for overlapping training sets, p (Wilcoxon) from the signed-rank \
    test. Among many tests some are significant by chance: read them together with the ranks.";

const SINGLE_RUN: &str = "Best values are bold. There is a single run: it has no standard errors, and differences from \
    another method cannot be tested.";

fn runs(dataset: &DatasetSummary, gallery: &mut Gallery<'_>) -> Subsection {
    let figures = dataset.headline.iter().filter_map(|&metric| {
        let name = format!("runs-{}", metric.key().replace('_', "-"));
        gallery.draw(&name, |file| figures::distributions(dataset, metric, file))
    });
    Subsection {
        key: "runs",
        title: "Runs",
        contents: grid(figures.collect()).into_iter().collect(),
    }
}

fn ranks(
    dataset: &DatasetSummary,
    rankings: &[&RankingSummary],
    gallery: &mut Gallery<'_>,
) -> Subsection {
    let figures = rankings.iter().filter_map(|ranking| {
        let name = format!("ranks-{}", ranking.metric.key().replace('_', "-"));
        gallery.draw(&name, |file| {
            Some(figures::critical_difference(&[dataset], ranking, file))
        })
    });
    Subsection {
        key: "ranks",
        title: "Ranks",
        contents: grid(figures.collect()).into_iter().collect(),
    }
}

fn confidence(dataset: &DatasetSummary, gallery: &mut Gallery<'_>) -> Subsection {
    let has_confidence = |method: &MethodSummary| method.confidence.is_some();
    let contents = of_each(dataset, has_confidence, |method, is_named| {
        confidence_of(dataset, method, is_named, gallery)
    });
    Subsection {
        key: "confidence",
        title: "Confidence",
        contents,
    }
}

/// The confidence of one method, which figures name if it is one of several.
fn confidence_of(
    dataset: &DatasetSummary,
    method: &MethodSummary,
    is_named: bool,
    gallery: &mut Gallery<'_>,
) -> Vec<Element> {
    type Draw = fn(&DatasetSummary, &MethodSummary, String) -> Option<Figure>;
    let figures: [(&str, Draw); 3] = [
        ("reliability-sets", figures::set_reliability),
        ("reliability-labels", figures::label_reliability),
        ("answered", figures::answered),
    ];
    let drawn = figures.into_iter().filter_map(|(name, draw)| {
        gallery.draw(name, |file| {
            let figure = draw(dataset, method, file)?;
            Some(named(figure, method, is_named))
        })
    });
    let drawn = grid(drawn.collect());
    let posterior = method.posterior.as_ref().map(|posterior| {
        let words = text("p", posterior.describe()).class("note");
        [words, html_table::terms(dataset, method, posterior)]
    });
    drawn
        .into_iter()
        .chain(posterior.into_iter().flatten())
        .collect()
}

/// What there is about each of some methods, under its name if there are several.
fn of_each(
    dataset: &DatasetSummary,
    is_shown: impl Fn(&MethodSummary) -> bool,
    mut contents: impl FnMut(&MethodSummary, bool) -> Vec<Element>,
) -> Vec<Element> {
    let methods = dataset.methods.iter();
    let shown: Vec<&MethodSummary> = methods.filter(|method| is_shown(method)).collect();
    let are_several = shown.len() > 1;
    let each = shown.into_iter().flat_map(|method| {
        let heading = are_several.then(|| element("h4").child(name(method.title())));
        let contents = contents(method, are_several);
        heading.into_iter().chain(contents)
    });
    each.collect()
}

/// A figure whose title has the name of its method if it is one of several.
fn named(mut figure: Figure, method: &MethodSummary, is_named: bool) -> Figure {
    if is_named {
        figure.title = format!("{}, {}", figure.title, method.title());
    }
    figure
}

fn code(dataset: &DatasetSummary, gallery: &mut Gallery<'_>) -> Subsection {
    let has_solver = |method: &MethodSummary| method.solver.is_some();
    let contents = of_each(dataset, has_solver, |method, is_named| {
        code_of(dataset, method, is_named, gallery)
    });
    Subsection {
        key: "code",
        title: "The max-margin code",
        contents,
    }
}

/// The code of one method, which figures name if it is one of several.
fn code_of(
    dataset: &DatasetSummary,
    method: &MethodSummary,
    is_named: bool,
    gallery: &mut Gallery<'_>,
) -> Vec<Element> {
    let named = |figure| named(figure, method, is_named);
    let mut drawn = Vec::new();
    if let Some(picture) = method.code() {
        drawn.extend(gallery.draw("metric", |file| {
            figures::metric_map(dataset, picture, file).map(named)
        }));
        drawn.extend(gallery.draw("directions", |file| {
            figures::projection_map(dataset, picture, file).map(named)
        }));
        drawn.extend(gallery.draw("eigenvalues", |file| {
            figures::spectrum(dataset, picture, file).map(named)
        }));
    }
    let course = gallery.draw("convergence", |file| {
        figures::convergence(dataset, method, file)
    });
    let beside = element("div")
        .class("beside")
        .children(course)
        .children(html_table::solver(dataset, method));
    grid(drawn).into_iter().chain([beside]).collect()
}

fn labels(dataset: &DatasetSummary, gallery: &mut Gallery<'_>) -> Subsection {
    let drawn = [
        gallery.draw("labels", |file| Some(figures::frequencies(dataset, file))),
        gallery.draw("together", |file| figures::cooccurrence(dataset, file)),
    ];
    Subsection {
        key: "labels",
        title: "Labels",
        contents: grid(drawn.into_iter().flatten().collect())
            .into_iter()
            .collect(),
    }
}

fn time(dataset: &DatasetSummary, gallery: &mut Gallery<'_>) -> Subsection {
    let drawn = gallery.draw("seconds", |file| Some(figures::timings(dataset, file)));
    let beside = element("div")
        .class("beside")
        .children(drawn)
        .child(html_table::seconds(dataset));
    Subsection {
        key: "time",
        title: "Time",
        contents: vec![beside],
    }
}

fn everything(dataset: &DatasetSummary) -> Subsection {
    let mut contents = vec![html_table::all_metrics(dataset)];
    contents.extend(dataset.methods.iter().map(|method| {
        let summary = text(
            "summary",
            format_args!("Label by label: {}", method.title()),
        );
        element("details")
            .child(summary)
            .child(html_table::labels(dataset, method))
    }));
    Subsection {
        key: "all",
        title: "All measures",
        contents,
    }
}
