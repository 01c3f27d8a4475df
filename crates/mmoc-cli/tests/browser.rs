//! The report in a browser: it fits every screen, asks for nothing, complains about nothing and needs no scripts.
//! Where no Chromium is found every trial is ignored, by name.

mod common;

use std::process::ExitCode;
use std::sync::Arc;

use common::Folder;
use common::browser::{Browser, chromium};
use common::hostile::hostile_table;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};

/// A phone, a tablet and a desktop.
const WIDTHS: [u32; 3] = [360, 768, 1280];
/// Labels of the data sets: few, and more than heat maps show.
const LABELS: [usize; 2] = [5, 45];

/// What is checked of a page at a width.
type Check = fn(&mut Browser, &str, u32) -> Result<(), Failed>;

/// What is measured on a page.
const MEASURE: &str = "(() => {
    const wide = innerWidth + 0.5;
    const place = (element) => element.getBoundingClientRect();
    const outside = (box) => box.left < 0 || box.right > wide || box.width < 200 || box.height < 60;
    const figures = [...document.querySelectorAll('figure')];
    const drawings = figures.map((figure) => place(figure.querySelector('svg')));
    const clipped = [...document.querySelectorAll('figure.small svg')].flatMap((svg) =>
        [...svg.querySelectorAll('text')].filter((text) => {
            const [inner, outer] = [place(text), place(svg)];
            return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
        }).map((text) => text.textContent));
    return {
        width: innerWidth,
        scroll_width: document.documentElement.scrollWidth,
        figures: figures.length,
        outside: figures.filter((figure) => outside(place(figure))).map((figure) => figure.textContent),
        empty: drawings.filter((box) => box.width < 200 || box.height < 60).length,
        clipped,
        ground: getComputedStyle(document.documentElement).backgroundColor,
    };
})()";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let found = chromium();
    let reports = Arc::new(if found.is_some() && !arguments.list {
        reports()
    } else {
        Folder::empty()
    });
    let fitting = WIDTHS.map(|width| {
        let name = format!("the_report_fits_a_screen_of_{width}_pixels");
        (name, fits as Check, width)
    });
    let others: [(String, Check, u32); 2] = [
        (
            "the_report_is_dark_where_dark_is_preferred".into(),
            is_dark,
            768,
        ),
        ("the_report_needs_no_scripts".into(), needs_no_scripts, 360),
    ];
    let trials = fitting
        .into_iter()
        .chain(others)
        .map(|(name, check, width)| {
            let (reports, program) = (Arc::clone(&reports), found.clone());
            let run = move || {
                run(
                    &reports,
                    program.as_deref().unwrap_or_default(),
                    check,
                    width,
                )
            };
            Trial::test(name, run)
                .with_kind("browser")
                .with_ignored_flag(found.is_none())
        });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Checks every report in a browser of its own.
fn run(reports: &Folder, program: &str, check: Check, width: u32) -> Result<(), Failed> {
    LABELS.into_iter().try_for_each(|labels| {
        let page = reports.path(&format!("{labels}/report.html"));
        let address = format!("file://{}", page.display());
        check(&mut Browser::start(program)?, &address, width)
    })
}

/// Reports of data with hostile names, few and many.
fn reports() -> Folder {
    let folder = Folder::with(&[
        ("<b>&x'.csv", hostile_table(LABELS[0])),
        ("many.csv", hostile_table(LABELS[1])),
    ]);
    let runs = "--method br --method coding-cca --method max-margin --train-size 40 --runs 3";
    for (file, labels) in ["<b>&x'.csv", "many.csv"].into_iter().zip(LABELS) {
        folder
            .run(&format!(
                "compare {file} --labels -{labels} {runs} --out {labels}"
            ))
            .succeeded();
    }
    folder
}

fn check(holds: bool, complaint: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(complaint().into())
    }
}

/// Opens the page and measures it; nothing may have gone wrong meanwhile.
fn measured(browser: &mut Browser, address: &str, width: u32) -> Result<Value, Failed> {
    browser.resize(width)?;
    browser.open(address)?;
    let found = browser.evaluate(MEASURE)?;
    check(browser.complaints.is_empty(), || {
        format!("{:?}", browser.complaints)
    })?;
    check(browser.requests == [address], || {
        format!("{:?}", browser.requests)
    })?;
    Ok(found)
}

fn fits(browser: &mut Browser, address: &str, width: u32) -> Result<(), Failed> {
    let found = measured(browser, address, width)?;
    check(found["width"] == json!(width), || found.to_string())?;
    check(found["scroll_width"].as_u64() <= Some(width.into()), || {
        found.to_string()
    })?;
    check(found["figures"].as_u64() >= Some(16), || found.to_string())?;
    for part in ["outside", "clipped"] {
        check(found[part] == json!([]), || {
            format!("{part}: {}", found[part])
        })?;
    }
    check(found["empty"] == json!(0), || found.to_string())
}

fn is_dark(browser: &mut Browser, address: &str, width: u32) -> Result<(), Failed> {
    let light = measured(browser, address, width)?;
    browser.prefer("dark")?;
    let dark = browser.evaluate(MEASURE)?;
    check(light["ground"] == json!("rgb(255, 255, 255)"), || {
        light.to_string()
    })?;
    check(dark["ground"] == json!("rgb(20, 24, 28)"), || {
        dark.to_string()
    })
}

fn needs_no_scripts(browser: &mut Browser, address: &str, width: u32) -> Result<(), Failed> {
    browser.disable_scripts()?;
    fits(browser, address, width)
}
