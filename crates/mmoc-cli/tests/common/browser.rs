//! Chromium without a window, spoken to through a pipe in the DevTools protocol: JSON messages that end in a zero
//! byte.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Chromium reads commands from descriptor 3 and answers on 4, which only a shell can set up without `unsafe`.
const PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#;

const ARGUMENTS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
];

type Result<T> = std::result::Result<T, String>;

/// The program, where there is one: `CHROMIUM`, else the first of the usual names that starts.
pub(crate) fn chromium() -> Option<String> {
    let given = std::env::var("CHROMIUM").ok();
    let usual = ["chromium", "chromium-browser", "google-chrome"].map(String::from);
    given.into_iter().chain(usual).find(|program| {
        let mut command = Command::new(program);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    session: Option<String>,
    last: u64,
    /// Errors that the page caused.
    pub(crate) complaints: Vec<String>,
    /// Addresses that the page asked for, data that is part of the address aside.
    pub(crate) requests: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    pub(crate) fn start(program: &str) -> Result<Self> {
        let profile = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut process = Command::new("sh")
            .args(["-c", PIPES, program])
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let commands = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut browser = Self {
            process,
            commands,
            answers,
            session: None,
            last: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        browser.attach()?;
        Ok(browser)
    }

    fn attach(&mut self) -> Result<()> {
        let target = self.call("Target.createTarget", &json!({"url": "about:blank"}))?;
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.call("Target.attachToTarget", &target)?;
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}))?;
        }
        Ok(())
    }

    /// Makes the window so many pixels wide.
    pub(crate) fn resize(&mut self, width: u32) -> Result<()> {
        let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size)
            .map(drop)
    }

    /// Prefers the scheme of colours, light or dark.
    pub(crate) fn prefer(&mut self, scheme: &str) -> Result<()> {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({"features": [feature]}),
        )
        .map(drop)
    }

    pub(crate) fn disable_scripts(&mut self) -> Result<()> {
        let value = json!({"value": true});
        self.call("Emulation.setScriptExecutionDisabled", &value)
            .map(drop)
    }

    /// Opens a page and waits until it is there.
    pub(crate) fn open(&mut self, address: &str) -> Result<()> {
        self.call("Page.navigate", &json!({"url": address}))?;
        while self.next()?["method"] != "Page.loadEventFired" {}
        Ok(())
    }

    /// The value of an expression.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let question = json!({"expression": expression, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", &question)?;
        if answer["exceptionDetails"].is_null() {
            Ok(answer["result"]["value"].clone())
        } else {
            Err(answer.to_string())
        }
    }

    /// Waits until an expression holds; an error if it does not within a minute.
    pub(crate) fn wait_until(&mut self, expression: &str) -> Result<()> {
        for _ in 0..1200 {
            if self.evaluate(expression)? == json!(true) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let text = self.evaluate("document.body.innerText")?;
        Err(format!("{expression} does not hold: {text}"))
    }

    /// Presses a key with a name of its own, such as Tab.
    pub(crate) fn press(&mut self, key: &str, code: u32) -> Result<()> {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text,
            });
            self.call("Input.dispatchKeyEvent", &event)?;
        }
        Ok(())
    }

    /// Writes where the focus is.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        self.call("Input.insertText", &json!({"text": text}))
            .map(drop)
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let sent = self.commands.write_all(format!("{message}\0").as_bytes());
        sent.map_err(|error| format!("{method}: {error}"))?;
        loop {
            let answer = self.next()?;
            if answer["id"] == json!(self.last) {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(answer["result"].clone()),
                };
            }
        }
    }

    /// The next message. What it tells about the page is noted.
    fn next(&mut self) -> Result<Value> {
        let mut message = Vec::new();
        let read = self.answers.read_until(0, &mut message);
        read.map_err(|error| error.to_string())?;
        if message.pop() != Some(0) {
            return Err("the browser has ended".into());
        }
        let message: Value = serde_json::from_slice(&message).map_err(|error| error.to_string())?;
        self.note(&message);
        Ok(message)
    }

    fn note(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => {
                self.complaints.push(parameters.to_string());
            }
            Some("Network.requestWillBeSent") => {
                let address = parameters["request"]["url"].as_str().unwrap_or_default();
                if !address.starts_with("data:") {
                    self.requests.push(address.to_owned());
                }
            }
            _ => {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
