//! The whole page: its head, an overview, the sections of the data sets, the record.

use mmoc::Error;

use super::dataset::DatasetSection;
use super::html_table::name;
use super::markup::{Element, element, text};
use super::names::FileNames;
use super::svg::Figure;
use super::{FIGURES, figures, record};
use crate::summary::{DatasetSummary, ExperimentSummary, RankingSummary};
use crate::text::counted;
use crate::text::protocol;

const STYLE: [&str; 2] = [include_str!("figure.css"), include_str!("style.css")];
/// Nothing is loaded from anywhere; styles and figures are part of the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/// Wider drawings scroll where there is no room instead of becoming too small to read.
const WIDE: f64 = 380.0;

/// A page and the figures on it.
pub(super) struct Page {
    html: Element,
    pub(super) figures: Vec<Figure>,
}

impl Page {
    pub(super) fn new(summary: &ExperimentSummary<'_>) -> Result<Self, Error> {
        let mut files = FileNames::default();
        let mut rankings: Vec<&RankingSummary> = summary.rankings.iter().collect();
        let mut sections = Vec::new();
        for (index, dataset) in summary.datasets.iter().enumerate() {
            let anchor = format!("data-{}", index + 1);
            let own = take_own(&mut rankings, dataset);
            sections.push(DatasetSection::new(
                dataset,
                &anchor,
                &summary.manifest.reference,
                &own,
                &mut files,
            )?);
        }
        let overall = overall(&summary.datasets, &rankings, &mut files);
        let main = element("main")
            .with("id", "contents")
            .child(overview(summary, &sections, !overall.is_empty()))
            .children(overall_section(&overall))
            .children(sections.iter().map(|section| section.section.clone()))
            .child(record::section(summary.manifest));
        let html = element("html")
            .with("lang", "en")
            .child(head(summary))
            .child(element("body").child(skip_link()).child(main));
        let figures = sections.into_iter().flat_map(|section| section.figures);
        Ok(Self {
            html,
            figures: figures.chain(overall).collect(),
        })
    }

    /// The text of the page.
    pub(super) fn text(&self) -> String {
        format!("<!DOCTYPE html>\n{}\n", self.html)
    }
}

/// Takes the rankings of a data set, one for each measure. A data set may be called as the ranking over all of
/// them is, which comes last.
fn take_own<'a>(
    rankings: &mut Vec<&'a RankingSummary<'a>>,
    dataset: &DatasetSummary<'_>,
) -> Vec<&'a RankingSummary<'a>> {
    let mut own: Vec<&RankingSummary> = Vec::new();
    rankings.retain(|ranking| {
        let is_new = own.iter().all(|taken| taken.metric != ranking.metric);
        let is_own = ranking.over == dataset.entry.name && is_new;
        if is_own {
            own.push(ranking);
        }
        !is_own
    });
    own
}

fn overall(
    datasets: &[DatasetSummary],
    rankings: &[&RankingSummary],
    files: &mut FileNames,
) -> Vec<Figure> {
    let datasets: Vec<&DatasetSummary> = datasets.iter().collect();
    let draw = |ranking: &&RankingSummary| {
        let name = format!("ranks-{}", ranking.metric.key().replace('_', "-"));
        figures::critical_difference(&datasets, ranking, files.make("all", &name))
    };
    rankings.iter().map(draw).collect()
}

fn overall_section(figures: &[Figure]) -> Option<Element> {
    (!figures.is_empty()).then(|| {
        element("section")
            .with("id", "all")
            .child(text("h2", "Ranks over all data sets"))
            .child(
                element("div")
                    .class("grid-of-figures")
                    .children(figures.iter().map(figure)),
            )
    })
}

fn head(summary: &ExperimentSummary<'_>) -> Element {
    let mut style = element("style");
    for sheet in STYLE {
        style = style.verbatim(sheet);
    }
    let policy = element("meta")
        .with("http-equiv", "Content-Security-Policy")
        .with("content", POLICY);
    let viewport = element("meta")
        .with("name", "viewport")
        .with("content", "width=device-width, initial-scale=1");
    element("head")
        .child(element("meta").with("charset", "utf-8"))
        .child(policy)
        .child(viewport)
        .child(
            element("meta")
                .with("name", "color-scheme")
                .with("content", "light dark"),
        )
        .child(text("title", title(summary)))
        // Browsers ask for an icon unless there is one.
        .child(element("link").with("rel", "icon").with("href", "data:,"))
        .child(style)
}

fn title(summary: &ExperimentSummary<'_>) -> String {
    let names: Vec<&str> = summary
        .datasets
        .iter()
        .map(|dataset| dataset.entry.name.as_str())
        .collect();
    format!("mmoc {}: {}", summary.manifest.command, names.join(", "))
}

fn skip_link() -> Element {
    text("a", "Skip to the contents")
        .class("skip")
        .with("href", "#contents")
}

fn overview(
    summary: &ExperimentSummary<'_>,
    sections: &[DatasetSection],
    with_overall: bool,
) -> Element {
    let is_reproduction = summary.manifest.command == "reproduce";
    let heading = if is_reproduction {
        "Maximum margin output coding, reproduced"
    } else {
        "Methods compared"
    };
    let cards = summary.datasets.iter().zip(sections).enumerate();
    let cards = cards.map(|(index, (dataset, section))| card(index, dataset, section));
    let mut others = element("p").class("others");
    if with_overall {
        others = others
            .child(text("a", "Ranks over all data sets").with("href", "#all"))
            .text(" · ");
    }
    let others = others.child(text("a", "How it was made").with("href", "#record"));
    let mut header = element("header")
        .child(text("h1", heading))
        .child(text("p", what_was_run(summary)).class("note"));
    if summary.datasets.iter().any(DatasetSummary::is_synthetic) {
        header = header.child(synthetic_warning());
    }
    header
        .children(warnings(summary))
        .child(
            element("nav")
                .with("aria-label", "Data sets")
                .class("cards")
                .children(cards),
        )
        .child(others)
}

fn what_was_run(summary: &ExperimentSummary<'_>) -> String {
    let preset = summary.manifest.preset.as_ref();
    let preset = preset.map_or(String::new(), |preset| format!(", preset {preset}"));
    let methods = counted(summary.manifest.methods.len(), "method");
    let datasets = counted(summary.datasets.len(), "data set");
    format!(
        "{methods} on {datasets}, {}{preset}, seed {}. mmoc {}.",
        protocol(summary.manifest.protocol),
        summary.manifest.seed,
        summary.manifest.version
    )
}

fn warnings(summary: &ExperimentSummary<'_>) -> Option<Element> {
    let warnings: Vec<Element> = summary
        .warnings()
        .into_iter()
        .map(|warning| text("li", warning))
        .collect();
    (!warnings.is_empty()).then(|| {
        element("div")
            .class("warning")
            .child(text("p", "Limits of these results:"))
            .child(element("ul").children(warnings))
    })
}

fn card(index: usize, dataset: &DatasetSummary, section: &DatasetSection) -> Element {
    let link = element("a")
        .with("href", format_args!("#data-{}", index + 1))
        .child(name(&dataset.entry.name));
    let links = section.links.iter().map(|(anchor, title)| {
        let link = text("a", title).with("href", format_args!("#{anchor}"));
        element("li").child(link)
    });
    element("div")
        .class("card")
        .child(element("h2").child(link).child(badge(dataset)))
        .children(section.findings.iter().map(|finding| text("p", finding)))
        .child(element("ul").children(links))
}

/// Whether the data is real.
pub(super) fn badge(dataset: &DatasetSummary) -> Element {
    if dataset.is_synthetic() {
        text("span", "SYNTHETIC").class("badge synthetic")
    } else {
        text("span", "real data").class("badge")
    }
}

pub(super) fn synthetic_warning() -> Element {
    let words = "These results are not from the real data but from SYNTHETIC twins: rows drawn from a model \
        with the sizes and label sets of the real data. They cannot be compared with those of the paper.";
    element("p")
        .class("warning")
        .child(text("strong", "SYNTHETIC DATA. "))
        .text(words)
}

/// A figure with its caption and a link to its file.
pub(super) fn figure(figure: &Figure) -> Element {
    let is_wide = figure.drawing.width > WIDE;
    let link = text("a", "SVG")
        .with("href", format_args!("{FIGURES}/{}.svg", figure.file))
        .with(
            "aria-label",
            format_args!("{} as an SVG file", figure.title),
        );
    let caption = text("figcaption", &figure.caption).text(" ").child(link);
    let drawing = element("div").class("drawing").child(figure.inline());
    if is_wide {
        // What scrolls must be reached by keys too.
        let drawing = drawing.with("tabindex", 0);
        element("figure")
            .class("wide")
            .child(drawing)
            .child(caption)
    } else {
        element("figure")
            .class("small")
            .child(drawing)
            .child(caption)
    }
}
