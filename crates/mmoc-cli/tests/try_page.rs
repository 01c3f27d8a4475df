//! The page to try a model, in a browser: it predicts from fields and files, needs no mouse, fits every screen, keeps to
//! its policy, and takes names for nothing but text. Where no Chromium is found every trial is ignored, by name.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, ExitCode, Stdio};
use std::sync::Arc;

use common::browser::{Browser, chromium};
use common::hostile::hostile_table;
use common::small::Small;
use common::{BINARY, Folder};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::json;

const TAB: (&str, u32) = ("Tab", 9);
const ENTER: (&str, u32) = ("Enter", 13);
const RIGHT: (&str, u32) = ("ArrowRight", 39);

/// A phone, a tablet and a desktop.
const WIDTHS: [u32; 3] = [360, 768, 1280];

const LOADED: &str = "document.querySelectorAll('#fields .field').length > 0";
const PREDICTED: &str = "document.querySelectorAll('#prediction .bars').length > 0
    && document.getElementById('result').getAttribute('aria-busy') === 'false'";
const LABELS: &str = "[...document.querySelectorAll('#prediction .set li')].map((item) => item.textContent).join('; ')";

type Check = fn(&mut Browser, &Folder) -> Result<(), Failed>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let found = chromium();
    let folder = Arc::new(if found.is_some() && !arguments.list {
        models()
    } else {
        Folder::empty()
    });
    let checks: [(&str, Check); 7] = [
        (
            "a_row_is_predicted_from_fields_on_every_screen",
            from_fields,
        ),
        (
            "a_number_that_is_none_is_refused_beside_its_field",
            wrong_number,
        ),
        ("the_rows_of_a_dropped_file_are_predicted", from_file),
        ("a_file_without_the_columns_is_refused_in_words", wrong_file),
        ("the_keyboard_is_enough", by_keyboard),
        ("names_are_nothing_but_text", hostile_names),
        ("a_token_is_asked_for_and_used", with_token),
    ];
    let trials = checks.into_iter().map(|(name, check)| {
        let (folder, program) = (Arc::clone(&folder), found.clone().unwrap_or_default());
        Trial::test(name, move || check(&mut Browser::start(&program)?, &folder))
            .with_kind("browser")
            .with_ignored_flag(found.is_none())
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// A model of linear terms, one of hostile names, and a token.
fn models() -> Folder {
    let folder = Folder::with(&[
        ("small.csv", Small::new(80, 4, 3).table(",")),
        ("hostile.csv", hostile_table(5)),
        ("token", "a-token-of-this-test".to_owned()),
    ]);
    for (name, labels) in [("small", 3), ("hostile", 5)] {
        let train = format!("train {name}.csv --labels -{labels} --out {name}.mmoc");
        let settings = "--set terms=labels+code+frequency";
        folder.run(&format!("{train} {settings}")).succeeded();
    }
    folder
}

/// A server that ends with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let mut process = folder
            .command(BINARY)
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "none"])
            .args(arguments.split_ascii_whitespace())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("it is piped");
        let read = BufReader::new(output).read_line(&mut line);
        read.expect("the server says where it listens");
        let address = line.trim().trim_start_matches("listening on ");
        Self {
            address: format!("{address}/"),
            process,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn check(holds: bool, complaint: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(complaint().into())
    }
}

fn check_equal(browser: &mut Browser, expression: &str, expected: &str) -> Result<(), Failed> {
    let found = browser.evaluate(expression)?;
    check(found == json!(expected), || {
        format!("{expression} is {found}, not {expected:?}")
    })
}

fn open(browser: &mut Browser, server: &Server) -> Result<(), Failed> {
    browser.open(&server.address)?;
    Ok(browser.wait_until(LOADED)?)
}

/// No message on the console, no violation of the policy, and no request to anywhere else.
fn check_quiet(browser: &Browser, server: &Server) -> Result<(), Failed> {
    check(browser.complaints.is_empty(), || {
        format!("{:?}", browser.complaints)
    })?;
    let own = |address: &String| address.starts_with(&server.address);
    check(browser.requests.iter().all(own), || {
        format!("{:?}", browser.requests)
    })
}

/// What the server predicts for the row in the fields, asked by a request of the test's own.
const ASKED: &str = "fetch('v1/models/small/predict', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ rows: [Object.fromEntries([...document.querySelectorAll('#fields .field')].map(
            (field) => [field.querySelector('label').textContent, Number(field.querySelector('input').value)]))] }),
    }).then((answer) => answer.json()).then(({ predictions: [{ labels }] }) => {
        window.asked = labels.join('; ') || 'no label';
    })";

fn from_fields(browser: &mut Browser, folder: &Folder) -> Result<(), Failed> {
    let server = Server::start(folder, "small.mmoc hostile.mmoc");
    open(browser, &server)?;
    check_equal(browser, "document.getElementById('model').value", "small")?;
    browser.evaluate("document.getElementById('column-0').value = '0.9'")?;
    browser.evaluate("document.querySelector('button.main').click()")?;
    browser.wait_until(PREDICTED)?;
    browser.evaluate(ASKED)?;
    browser.wait_until("window.asked !== undefined")?;
    let asked = browser.evaluate("window.asked")?;
    check_equal(browser, LABELS, asked.as_str().unwrap_or_default())?;
    let parts = "document.querySelector('#prediction .explained').innerText.includes('x1 = 0.9')";
    check(browser.evaluate(parts)? == json!(true), || {
        "the value of the field is explained".into()
    })?;
    let recalibrated =
        "document.getElementById('prediction').innerText.includes('Confidence is recalibrated')";
    check(browser.evaluate(recalibrated)? == json!(true), || {
        "it is said why confidence and the probability of a set differ".into()
    })?;
    for width in WIDTHS {
        browser.resize(width)?;
        let wide = browser.evaluate("document.documentElement.scrollWidth")?;
        check(wide.as_u64() <= Some(width.into()), || {
            format!("{wide} of {width} pixels")
        })?;
    }
    check_quiet(browser, &server)
}

fn wrong_number(browser: &mut Browser, folder: &Folder) -> Result<(), Failed> {
    let server = Server::start(folder, "small.mmoc");
    open(browser, &server)?;
    browser.evaluate("document.getElementById('column-1').value = 'much'")?;
    browser.evaluate("document.querySelector('button.main').click()")?;
    let fault = "document.getElementById('fault-1').textContent";
    check_equal(browser, fault, "This is not a number.")?;
    check_equal(browser, "document.activeElement.id", "column-1")?;
    check_quiet(browser, &server)
}

/// Drops a file on the page.
fn dropped(browser: &mut Browser, name: &str, contents: &str) -> Result<(), Failed> {
    let file = json!([contents, name]);
    browser.evaluate(&format!(
        "{{
            const [contents, name] = {file};
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([contents], name));
            document.dispatchEvent(new DragEvent('drop', {{ dataTransfer, cancelable: true }}));
        }}"
    ))?;
    Ok(())
}

fn from_file(browser: &mut Browser, folder: &Folder) -> Result<(), Failed> {
    let server = Server::start(folder, "small.mmoc");
    open(browser, &server)?;
    dropped(browser, "rows.csv", &Small::new(60, 4, 3).table(","))?;
    browser.wait_until("document.querySelectorAll('#rows tbody tr').length === 50")?;
    let status = "document.getElementById('file-status').textContent";
    let expected = "The first 50 of 60 rows. Choose one for details.";
    browser.wait_until(&format!("{status} === '{expected}'"))?;
    browser.evaluate("document.querySelectorAll('#rows button')[6].click()")?;
    browser.wait_until(PREDICTED)?;
    let title = "document.getElementById('result-title').textContent";
    check_equal(browser, title, "Prediction of row 7")?;
    let shown =
        browser.evaluate("document.querySelectorAll('#rows tbody tr')[6].cells[1].textContent")?;
    let sets =
        "document.querySelector('#prediction .set').innerText.trim().split('\\n').join(', ')";
    check_equal(browser, sets, shown.as_str().unwrap_or_default())?;
    browser.evaluate("URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; }")?;
    browser.evaluate("document.getElementById('download').click()")?;
    browser.wait_until("window.saved !== undefined")?;
    check_equal(
        browser,
        "window.saved.split('\\r\\n')[0]",
        "row,mood_1,mood_2,mood_3,confidence",
    )?;
    check_equal(browser, "String(window.saved.split('\\r\\n').length)", "62")?;
    check_quiet(browser, &server)
}

fn wrong_file(browser: &mut Browser, folder: &Folder) -> Result<(), Failed> {
    let server = Server::start(folder, "small.mmoc");
    open(browser, &server)?;
    let error = "document.getElementById('file-error').textContent";
    for (contents, words) in [
        (
            "a,b\n1,2\n",
            "rows.csv: The first line has none of the columns of the model.",
        ),
        (
            "x1,x2,x3,x4\n",
            "rows.csv: There are no rows below the header.",
        ),
        (
            "x1,\"x2\n1,2",
            "rows.csv: The quotes of a cell in line 1 do not match.",
        ),
    ] {
        dropped(browser, "rows.csv", contents)?;
        browser.wait_until(&format!("{error} === {}", json!(words)))?;
    }
    check_quiet(browser, &server)
}

/// Presses Tab until an element has the focus.
fn tab_to(browser: &mut Browser, id: &str) -> Result<(), Failed> {
    for _ in 0..40 {
        browser.press(TAB.0, TAB.1)?;
        if browser.evaluate("document.activeElement.id")? == json!(id) {
            return Ok(());
        }
    }
    Err(format!("Tab does not reach {id}").into())
}

fn by_keyboard(browser: &mut Browser, folder: &Folder) -> Result<(), Failed> {
    let server = Server::start(folder, "small.mmoc");
    open(browser, &server)?;
    tab_to(browser, "column-2")?;
    browser.evaluate("document.activeElement.select()")?;
    browser.write("0.25")?;
    browser.press(ENTER.0, ENTER.1)?;
    browser.wait_until(PREDICTED)?;
    check_equal(browser, "document.getElementById('column-2').value", "0.25")?;
    browser.evaluate("document.activeElement.blur(); window.getSelection().removeAllRanges()")?;
    tab_to(browser, "by-fields")?;
    browser.press(RIGHT.0, RIGHT.1)?;
    check_equal(
        browser,
        "String(document.getElementById('file-panel').hidden)",
        "false",
    )?;
    tab_to(browser, "file")?;
    check_quiet(browser, &server)
}

fn hostile_names(browser: &mut Browser, folder: &Folder) -> Result<(), Failed> {
    let server = Server::start(folder, "hostile.mmoc");
    open(browser, &server)?;
    browser.resize(360)?;
    browser.evaluate("document.querySelector('button.main').click()")?;
    browser.wait_until(PREDICTED)?;
    let text = "String(document.getElementById('prediction').textContent.includes('<script>alert(1)</script>'))";
    check_equal(browser, text, "true")?;
    let made = "String(document.querySelectorAll('main script, main img, main b').length)";
    check_equal(browser, made, "0")?;
    let fits = "String(document.documentElement.scrollWidth <= innerWidth)";
    check_equal(browser, fits, "true")?;
    check_quiet(browser, &server)
}

fn with_token(browser: &mut Browser, folder: &Folder) -> Result<(), Failed> {
    let server = Server::start(folder, "small.mmoc --token-file token");
    browser.open(&server.address)?;
    browser.wait_until("!document.getElementById('token-form').hidden")?;
    browser.write("a wrong one")?;
    browser.press(ENTER.0, ENTER.1)?;
    browser.wait_until("document.getElementById('token-error').textContent !== ''")?;
    browser.write("a-token-of-this-test")?;
    browser.press(ENTER.0, ENTER.1)?;
    browser.wait_until(LOADED)?;
    check_equal(
        browser,
        "String(document.getElementById('token-form').hidden)",
        "true",
    )
}
