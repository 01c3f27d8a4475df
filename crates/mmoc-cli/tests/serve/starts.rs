//! Where a server listens, and what it says before its first request.

use serde_json::Value;

use crate::client::{Server, folder};

#[test]
fn this_machine_needs_no_address() {
    let folder = folder();
    for listen in ["127.0.0.1:0", "localhost:0", "0"] {
        let server = Server::start(&folder, &format!("a.mmoc --log json --listen {listen}"));
        assert!(
            server.address.starts_with("127.0.0.1:"),
            "{}",
            server.address
        );
        assert_eq!(server.logged(), "");
    }
}

#[test]
fn warnings_have_the_format_of_the_log() {
    let folder = folder();
    for (format, is_json) in [("json", true), ("text", false), ("none", false)] {
        let arguments = format!("a.mmoc --log {format} --listen 0.0.0.0:0");
        let logged = Server::start(&folder, &arguments).logged();
        let lines: Vec<&str> = logged.lines().collect();
        assert_eq!(lines.len(), 2, "{logged}");
        for (line, option) in lines.into_iter().zip(["--token-file", "--tls-key"]) {
            assert!(line.contains(option), "{line}");
            let event = serde_json::from_str(line).unwrap_or(Value::Null)["event"].clone();
            assert_eq!(event == "warning", is_json, "{line}");
            assert_eq!(line.starts_with("warning: "), !is_json, "{line}");
        }
    }
}
