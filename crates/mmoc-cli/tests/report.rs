//! The report of an experiment: what is on the page, what is not, and that it is always the same.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::Folder;
use common::hostile::{FORBIDDEN, hostile_table};
use common::small::Small;
use roxmltree::{Document, Node};

const NAMESPACE: &str = "http://www.w3.org/2000/svg";
const METHODS: &str = "--method br --method coding-cca --method max-margin";

/// A report and its figures, by their names.
struct Report {
    page: String,
    figures: Vec<(String, String)>,
}

impl Report {
    fn read(folder: &Folder, name: &str) -> Self {
        let text = |path: &std::path::Path| fs::read_to_string(path).expect("it is UTF-8");
        let page = text(&folder.path(name).join("report.html"));
        let files = fs::read_dir(folder.path(name).join("figures")).expect("there are figures");
        let mut figures: Vec<(String, String)> = files
            .map(|file| file.expect("it can be listed"))
            .map(|file| (file.file_name().into_string().unwrap(), text(&file.path())))
            .collect();
        figures.sort();
        Self { page, figures }
    }

    /// The body of the page, which is XML as well.
    fn body(&self) -> Document<'_> {
        let from = self.page.find("<body>").expect("there is a body");
        let to = self.page.find("</body>").expect("it ends") + "</body>".len();
        Document::parse(&self.page[from..to]).expect("the body is well-formed")
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.page).chain(self.figures.iter().map(|(_, text)| text))
    }
}

/// Runs `mmoc compare` on a file and reads the report.
fn compare(folder: &Folder, arguments: &str) -> Report {
    folder
        .run(&format!("compare {arguments} --out out"))
        .succeeded();
    Report::read(folder, "out")
}

fn small_report() -> Report {
    let folder = Folder::with(&[("small.csv", Small::new(80, 4, 3).table(","))]);
    let arguments = format!("small.csv --labels mood_* {METHODS} --train-size 40 --runs 4");
    compare(&folder, &arguments)
}

fn hostile_folder() -> Folder {
    Folder::with(&[("<b>&x'.csv", hostile_table(5))])
}

fn hostile_report(folder: &Folder) -> Report {
    let arguments = format!("<b>&x'.csv --labels -5 {METHODS} --train-size 40 --runs 3");
    compare(folder, &arguments)
}

fn elements<'a, 'input>(
    document: &'a Document<'input>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    let is_named = move |node: &Node<'_, '_>| node.tag_name().name() == name;
    document.descendants().filter(is_named)
}

fn child_text<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    let mut children = node.children();
    let child = children.find(|child| child.tag_name().name() == name);
    child.and_then(|child| child.text()).unwrap_or_default()
}

#[test]
fn every_figure_is_on_the_page_and_a_file_that_says_what_it_shows() {
    let report = small_report();
    let body = report.body();
    assert_eq!(elements(&body, "figure").count(), report.figures.len());
    for figure in elements(&body, "figure") {
        let svg = figure.descendants().find(|node| node.has_tag_name("svg"));
        let svg = svg.expect("a figure has a drawing");
        assert_eq!(svg.attribute("role"), Some("img"));
        let caption = figure
            .children()
            .find(|node| node.has_tag_name("figcaption"));
        assert!(caption.is_some_and(|caption| caption.text().is_some()));
        let said = (child_text(svg, "title"), child_text(svg, "desc"));
        assert!(!said.0.is_empty() && !said.1.is_empty(), "{said:?}");
    }
    for (name, text) in &report.figures {
        let document = Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let svg = document.root_element();
        assert_eq!(svg.tag_name().namespace(), Some(NAMESPACE), "{name}");
        let said = (child_text(svg, "title"), child_text(svg, "desc"));
        assert!(!said.0.is_empty() && !said.1.is_empty(), "{name}");
        assert!(
            report.page.contains(&format!("href=\"figures/{name}\"")),
            "{name}"
        );
    }
}

#[test]
fn figures_of_every_kind_are_drawn() {
    let report = small_report();
    let names: BTreeSet<&str> = report
        .figures
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let kinds = [
        "means-subset-accuracy",
        "means-macro-f1",
        "means-micro-f1",
        "runs-subset-accuracy",
        "runs-macro-f1",
        "runs-micro-f1",
        "ranks-subset-accuracy",
        "ranks-macro-f1",
        "ranks-micro-f1",
        "reliability-sets",
        "reliability-labels",
        "answered",
        "reliability-sets-2",
        "reliability-labels-2",
        "answered-2",
        "metric",
        "directions",
        "eigenvalues",
        "convergence",
        "labels",
        "together",
        "seconds",
    ];
    let expected = kinds.map(|kind| format!("small-{kind}.svg"));
    assert_eq!(names, expected.iter().map(String::as_str).collect());
}

#[test]
fn methods_without_a_posterior_have_no_section_on_confidence() {
    let folder = Folder::with(&[("small.csv", Small::new(80, 4, 3).table(","))]);
    let methods = "--method br --method clr";
    let arguments = format!("small.csv --labels mood_* {methods} --train-size 40 --runs 2");
    let report = compare(&folder, &arguments);
    assert!(!report.page.contains("Confidence"));
    let results = fs::read_to_string(folder.path("out/results.jsonl")).unwrap();
    assert!(!results.contains("confidence") && !results.contains("posterior"));
}

#[test]
fn the_terms_of_a_posterior_have_a_table_and_the_best_of_them_is_named() {
    let report = small_report();
    let body = report.body();
    let tables = elements(&body, "caption").filter_map(|caption| caption.text());
    let tables: Vec<&str> = tables
        .filter(|caption| caption.starts_with("Terms of the posterior of "))
        .collect();
    assert_eq!(tables.len(), 2, "one for each method that has a posterior");
    let described = elements(&body, "p").filter_map(|paragraph| paragraph.text());
    let described: Vec<&str> = described
        .filter(|words| words.contains("is the measure that label sets are chosen for"))
        .collect();
    assert_eq!(described.len(), 2);
    assert!(
        described
            .iter()
            .all(|words| words.contains("is worth most: without it"))
    );
}

#[test]
fn every_number_of_a_figure_is_finite() {
    let report = small_report();
    for (name, text) in &report.figures {
        let document = Document::parse(text).unwrap();
        for attribute in document.descendants().flat_map(|node| node.attributes()) {
            let value = attribute.value();
            assert!(
                !value.contains("NaN") && !value.contains("inf"),
                "{name}: {value}"
            );
        }
    }
}

#[test]
fn hostile_names_are_text_everywhere() {
    let folder = hostile_folder();
    let report = hostile_report(&folder);
    for text in report.texts() {
        for forbidden in FORBIDDEN {
            assert!(!text.contains(forbidden), "{forbidden:?}");
        }
    }
    assert!(
        report
            .page
            .contains("&lt;script&gt;alert(1)&lt;/script&gt;")
    );
    assert!(report.page.contains("\\u{202e}"));
    let body = report.body();
    assert!(elements(&body, "b").next().is_none() && elements(&body, "script").next().is_none());
    for (name, text) in &report.figures {
        assert!(name.starts_with("b-x-"), "{name}");
        Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let report = small_report();
    for text in report.texts() {
        let rest = text.replace(&format!("xmlns=\"{NAMESPACE}\""), "");
        for address in ["http://", "https://", "url(", "@import", "src=", "//www"] {
            assert!(!rest.contains(address), "{address}");
        }
    }
    assert!(report.page.contains("default-src &#39;none&#39;"));
}

#[test]
fn tables_have_captions_and_their_headings_a_scope() {
    let report = small_report();
    let body = report.body();
    assert!(elements(&body, "table").count() > 8);
    for table in elements(&body, "table") {
        assert!(!child_text(table, "caption").is_empty());
    }
    assert!(elements(&body, "th").all(|heading| heading.has_attribute("scope")));
}

#[test]
fn every_link_has_its_target() {
    let report = small_report();
    let body = report.body();
    let ids: Vec<&str> = body
        .descendants()
        .filter_map(|node| node.attribute("id"))
        .collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "no id is given twice");
    let links = elements(&body, "a").filter_map(|link| link.attribute("href")?.strip_prefix('#'));
    let links: Vec<&str> = links.collect();
    assert!(
        links.len() > 5 && links.iter().all(|link| unique.contains(link)),
        "{links:?}"
    );
    let labelled = elements(&body, "svg").filter_map(|svg| svg.attribute("aria-labelledby"));
    assert!(
        labelled
            .flat_map(str::split_whitespace)
            .all(|id| unique.contains(id))
    );
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let folder = hostile_folder();
    let first = hostile_report(&folder);
    fs::remove_dir_all(folder.path("out/figures")).unwrap();
    fs::remove_file(folder.path("out/report.html")).unwrap();
    folder.run("report out").succeeded();
    let second = Report::read(&folder, "out");
    assert_eq!(first.page, second.page);
    assert_eq!(first.figures, second.figures);
}

#[test]
fn one_run_of_one_method_has_a_report_without_errors_and_ranks() {
    let folder = Folder::with(&[("one.csv", Small::new(40, 3, 2).table(","))]);
    let report = compare(
        &folder,
        "one.csv --labels mood_* --method br --train-size 20 --runs 1",
    );
    let names: Vec<&str> = report
        .figures
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(names.contains(&"one-means-subset-accuracy.svg"));
    assert!(
        !names
            .iter()
            .any(|name| name.contains("runs") || name.contains("ranks")),
        "{names:?}"
    );
    assert!(report.page.contains("BR has a subset accuracy of"));
    assert!(!report.page.contains("NaN"));
}

#[test]
fn one_run_of_two_methods_cannot_be_tested() {
    let folder = Folder::with(&[("one.csv", Small::new(90, 5, 4).table(","))]);
    let methods = "--method br --method max-margin";
    let report = compare(
        &folder,
        &format!("one.csv --labels mood_* {methods} --train-size 20 --runs 1"),
    );
    assert!(
        report
            .page
            .contains("in a single run, so that the difference cannot be tested")
    );
    assert!(!report.page.contains("NaN"));
}

#[test]
fn many_labels_have_a_report() {
    let folder = Folder::with(&[("many.csv", Small::new(60, 5, 159).table(","))]);
    let methods = "--method br --method coding-pca";
    let report = compare(
        &folder,
        &format!("many.csv --labels mood_* {methods} --train-size 30 --runs 2"),
    );
    assert!(report.page.contains("the 40 most frequent of 159 labels"));
    report.body();
}

#[test]
fn data_sets_of_the_same_plain_name_keep_their_own_figures() {
    let table = Small::new(40, 3, 2).table(",");
    let folder = Folder::with(&[("a b.csv", &table), ("a-b.csv", &table)]);
    let arguments = [
        "compare", "a b.csv", "a-b.csv", "--each", "--labels", "mood_*", "--method", "br",
    ];
    let rest = ["--train-size", "20", "--runs", "2", "--out", "out"];
    folder
        .run_with(arguments.into_iter().chain(rest))
        .succeeded();
    let report = Report::read(&folder, "out");
    assert_eq!(
        elements(&report.body(), "figure").count(),
        report.figures.len()
    );
    let title = |name: &str| {
        let found = report.figures.iter().find(|(own, _)| own == name);
        let document = Document::parse(&found.expect(name).1).unwrap();
        child_text(document.root_element(), "title").to_owned()
    };
    assert_eq!(title("a-b-labels.svg"), "Rows per label on a b");
    assert_eq!(title("a-b-labels-2.svg"), "Rows per label on a-b");
}

#[test]
fn synthetic_data_is_marked_in_every_caption_and_figure() {
    let folder = Folder::with(&[("small.csv", Small::new(60, 4, 3).table(","))]);
    compare(
        &folder,
        &format!("small.csv --labels mood_* {METHODS} --train-size 30 --runs 2"),
    );
    let manifest = folder.path("out/experiment.json");
    let text = fs::read_to_string(&manifest).unwrap();
    assert!(text.contains("\"source\": \"real\""));
    fs::write(
        &manifest,
        text.replace("\"source\": \"real\"", "\"source\": \"synthetic\""),
    )
    .unwrap();
    folder.run("report out").succeeded();
    let report = Report::read(&folder, "out");
    assert!(report.page.contains("SYNTHETIC DATA. "));
    for (name, text) in &report.figures {
        let document = Document::parse(text).unwrap();
        assert!(
            child_text(document.root_element(), "title").contains("SYNTHETIC"),
            "{name}"
        );
        assert!(
            elements(&document, "text").any(|text| text.text().unwrap_or("").contains("SYNTHETIC")),
            "{name}"
        );
    }
    let body = report.body();
    let captions = elements(&body, "caption").filter_map(|caption| caption.text());
    let captions: Vec<&str> = captions
        .filter(|caption| caption.contains("small"))
        .collect();
    assert!(captions.len() > 5 && captions.iter().all(|caption| caption.contains("SYNTHETIC")));
}

#[test]
fn the_best_method_is_named_and_bold() {
    let folder = Folder::with(&[("small.csv", Small::new(120, 6, 4).table(","))]);
    let methods = "--method br --method max-margin";
    let arguments = format!("small.csv --labels mood_* {methods} --train-size 60 --runs 4");
    let report = compare(&folder, &arguments);
    let body = report.body();
    let finding = elements(&body, "p").find(|node| node.attribute("class") == Some("finding"));
    let finding = finding.and_then(|node| node.text()).unwrap();
    let (best, _) = finding
        .split_once(" is best in subset accuracy")
        .expect(finding);
    let table = elements(&body, "table").next().unwrap();
    let bold = table
        .descendants()
        .filter(|node| node.has_tag_name("strong"));
    let bold: Vec<&str> = bold.filter_map(|node| node.text()).collect();
    assert_eq!((bold.len(), bold[0]), (2, best));
    assert!(
        finding.contains(bold[1]),
        "{finding} has the mean {}",
        bold[1]
    );
}

/// The command under "Run it again".
fn command(report: &Report) -> String {
    let body = report.body();
    let code = elements(&body, "pre").next().unwrap();
    let text = code.descendants().find_map(|node| node.text());
    text.unwrap().to_owned()
}

#[test]
fn the_command_of_the_record_runs_the_same_experiment() {
    let folder = Folder::with(&[("small.csv", Small::new(60, 4, 3).table(","))]);
    let given = "small.csv --method br --method max-margin --set max-margin.c=1000 --folds 3 --seed 7 --scale standard";
    compare(&folder, &format!("{given} --labels mood_*"));
    let written = command(&Report::read(&folder, "out"));
    let again = written
        .strip_prefix("mmoc ")
        .expect("it is a command of mmoc");
    folder
        .run(&format!("{} --out again", again.replace('\'', "")))
        .succeeded();
    let manifest =
        |name: &str| fs::read_to_string(folder.path(name).join("experiment.json")).unwrap();
    assert_eq!(manifest("out"), manifest("again"));
}

/// Relative luminance of WCAG.
fn luminance(colour: &str) -> f64 {
    let channel = |range: std::ops::Range<usize>| {
        let value = f64::from(u8::from_str_radix(&colour[range], 16).unwrap()) / 255.0;
        if value <= 0.03928 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(0..2) + 0.7152 * channel(2..4) + 0.0722 * channel(4..6)
}

#[test]
fn text_and_lines_can_be_told_from_the_ground_in_both_schemes() {
    let report = small_report();
    let colour = |name: &str, scheme: usize| {
        let start = format!("--{name}: #");
        let found = report.page.split(&start).nth(scheme + 1);
        luminance(&found.unwrap_or_else(|| panic!("{name} has a colour in scheme {scheme}"))[..6])
    };
    for scheme in [0, 1] {
        for name in [
            "ink", "muted", "ours", "other", "third", "negative", "positive",
        ] {
            let (a, b) = (colour(name, scheme), colour("ground", scheme));
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= 4.5, "{name} in scheme {scheme}: {contrast:.2}");
        }
    }
}
