//! Hostile requests: each is refused with a reason, and the server still answers afterwards.

use std::io::Write;
use std::time::Duration;

use crate::client::{Answer, Server, folder, post, read_answer};
use crate::common::Folder;

const PREDICT: &str = "/v1/models/a/predict";
const INFER: &str = "/v2/models/a/infer";
const JSON: &str = "application/json";

/// What an answer must be: its status, and a part of its message. Requests that are not HTTP have no message.
struct Case {
    name: String,
    request: Vec<u8>,
    status: u16,
    message: &'static str,
}

fn case(name: &str, request: Vec<u8>, status: u16, message: &'static str) -> Case {
    let name = name.to_owned();
    Case {
        name,
        request,
        status,
        message,
    }
}

fn raw(name: &str, request: &str, status: u16, message: &'static str) -> Case {
    case(name, request.as_bytes().to_vec(), status, message)
}

fn head(line: &str, headers: &str) -> String {
    format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n")
}

fn columns(folder: &Folder) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path("test.csv")).unwrap();
    let names = text.lines().next().unwrap().split(',');
    names
        .filter(|name| !name.starts_with("mood_"))
        .map(str::to_owned)
        .collect()
}

/// A row in which the first cell is something else.
fn row(columns: &[String], first: &str) -> String {
    let cell = |(index, name): (usize, &String)| {
        let value = if index == 0 { first } else { "0.5" };
        format!("\"{name}\":{value}")
    };
    let cells: Vec<String> = columns.iter().enumerate().map(cell).collect();
    format!("{{{}}}", cells.join(","))
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn json_cases(columns: &[String]) -> Vec<Case> {
    let good = row(columns, "0.5");
    let deep = format!("{{\"rows\":[{}]}}", "[".repeat(100_000));
    let with = |first: &str| format!("{{\"rows\":[{}]}}", row(columns, first));
    let first = &columns[0];
    let twice = good.replacen('{', &format!("{{\"{first}\":1,"), 1);
    let cases: Vec<(&str, String, u16, &'static str)> = vec![
        ("nothing", String::new(), 400, "body"),
        ("no JSON", "rows".into(), 400, "expected value"),
        ("half an object", "{\"rows\":[".into(), 400, "EOF"),
        ("a list", "[]".into(), 400, "list, expected an object"),
        (
            "the values of the object as a list",
            format!("[[{good}],\"f1\",1,true,1]"),
            400,
            "list, expected an object",
        ),
        ("a number", "1".into(), 400, "expected an object"),
        ("null", "null".into(), 400, "expected an object"),
        ("no rows", "{}".into(), 400, "rows"),
        (
            "an empty list",
            "{\"rows\":[]}".into(),
            422,
            "at least one row",
        ),
        (
            "rows that are none",
            "{\"rows\":[1]}".into(),
            422,
            "a JSON object",
        ),
        (
            "a row that is a list",
            "{\"rows\":[[1,2,3,4]]}".into(),
            422,
            "a JSON object",
        ),
        (
            "a null row",
            "{\"rows\":[null]}".into(),
            422,
            "a JSON object",
        ),
        (
            "rows that are an object",
            "{\"rows\":{}}".into(),
            400,
            "object, expected a list",
        ),
        (
            "an unknown key",
            format!("{{\"rows\":[{good}],\"explode\":1}}"),
            400,
            "unknown field",
        ),
        (
            "a key with a line end",
            format!("{{\"rows\":[{good}],\"a\\nb\":1}}"),
            400,
            "`a\\nb`",
        ),
        (
            "a key without end",
            format!("{{\"rows\":[{good}],\"{}\":1}}", "a".repeat(100_000)),
            400,
            "a…",
        ),
        (
            "a key twice",
            format!("{{\"rows\":[{good}],\"rows\":[{good}]}}"),
            400,
            "duplicate field",
        ),
        (
            "a column twice",
            format!("{{\"rows\":[{twice}]}}"),
            422,
            "only once",
        ),
        (
            "text after it",
            format!("{{\"rows\":[{good}]}} x"),
            400,
            "trailing",
        ),
        ("deep nesting", deep, 400, "body"),
        ("a nested cell", with("{\"a\":{\"b\":[]}}"), 422, "number"),
        ("a list as a cell", with("[1,2]"), 422, "number"),
        ("a word as a number", with("\"tall\""), 422, "number"),
        ("NaN", with("NaN"), 400, "expected value"),
        ("infinity", with("\"inf\""), 422, "number"),
        ("a huge number", with("1e999"), 422, "number"),
        ("a number that overflows", with("1e308"), 422, "too large"),
        (
            "a number of a million digits",
            with(&"9".repeat(1_000_000)),
            422,
            "number",
        ),
        ("hexadecimal", with("0x10"), 400, "body"),
        ("a comment", "{/* */\"rows\":[]}".into(), 400, "body"),
        ("single quotes", "{'rows':[]}".into(), 400, "body"),
        (
            "an absent column",
            format!("{{\"rows\":[{{\"{first}\":1}}]}}"),
            422,
            "features",
        ),
        (
            "an absent column later",
            format!("{{\"rows\":[{good},{{\"{first}\":1}}]}}"),
            422,
            "rows:2",
        ),
        (
            "other columns",
            "{\"rows\":[{\"x\":1}]}".into(),
            422,
            "features",
        ),
        (
            "no such decision",
            format!("{{\"rows\":[{good}],\"decide\":\"best\"}}"),
            422,
            "subset, f1",
        ),
        (
            "a number as a decision",
            format!("{{\"rows\":[{good}],\"decide\":1}}"),
            400,
            "string",
        ),
        (
            "negative sets",
            format!("{{\"rows\":[{good}],\"sets\":-1}}"),
            400,
            "a whole number that is not negative",
        ),
        (
            "sets without end",
            format!("{{\"rows\":[{good}],\"sets\":1000000}}"),
            422,
            "at most 1000",
        ),
        (
            "sets beyond numbers",
            format!("{{\"rows\":[{good}],\"sets\":99999999999999999999}}"),
            400,
            "body",
        ),
        (
            "too many rows",
            format!("{{\"rows\":[{}{good}]}}", format!("{good},").repeat(20)),
            413,
            "at most 20 rows",
        ),
    ];
    let json = |(name, body, status, message): (&str, String, u16, &'static str)| {
        case(name, post(PREDICT, JSON, body.as_bytes()), status, message)
    };
    let mut all: Vec<Case> = cases.into_iter().map(json).collect();
    let bytes =
        |name, body: &[u8], status, message| case(name, post(PREDICT, JSON, body), status, message);
    all.push(bytes(
        "bad UTF-8",
        b"{\"rows\":[{\"\xff\xfe\":1}]}",
        400,
        "body",
    ));
    let unused = b"{\"inputs\":[],\"unused\":\"\xff\"}";
    let unused = post(INFER, JSON, unused);
    all.push(case("bad UTF-8 where it is not used", unused, 400, "utf-8"));
    all.push(bytes("a zero byte", b"{\"rows\":[\0]}", 400, "body"));
    all.push(bytes(
        "a lone surrogate",
        br#"{"rows":[{"\ud800":1}]}"#,
        422,
        "expected",
    ));
    all.push(bytes("UTF-16", b"\xff\xfe{\0}\0", 400, "body"));
    all
}

fn other_format_cases(columns: &[String]) -> Vec<Case> {
    let header = columns.join(",");
    let csv = |name: &str, body: &str, status, message| {
        case(
            name,
            post(PREDICT, "text/csv", body.as_bytes()),
            status,
            message,
        )
    };
    let lines = |name: &str, body: &str, status, message| {
        case(
            name,
            post(PREDICT, "application/x-ndjson", body.as_bytes()),
            status,
            message,
        )
    };
    vec![
        csv("an empty table", "", 422, "at least one row"),
        csv(
            "a header alone",
            &format!("{header}\n"),
            422,
            "at least one row",
        ),
        csv("a table of other columns", "x,y\n1,2\n", 422, "features"),
        csv("a short row", &format!("{header}\n1,2\n"), 422, "body:2"),
        csv(
            "a long row",
            &format!("{header}\n1,2,3,4,5\n"),
            422,
            "body:2",
        ),
        csv(
            "an open quote",
            &format!("{header}\n\"1,2,3,4\n"),
            422,
            "body",
        ),
        csv(
            "too long a table",
            &format!("{header}\n{}", "1,2,3,4\n".repeat(21)),
            413,
            "at most 20 rows",
        ),
        case(
            "compressed rows",
            post(PREDICT, "text/csv", &[0x1F, 0x8B, 8, 0, 0, 0, 0, 0]),
            415,
            "compressed",
        ),
        lines("lines that are no objects", "1\n2\n", 422, "body:1"),
        lines("half a line", "{\"a\":", 422, "body:1"),
        lines("blank lines", "\n\n\n", 422, "at least one row"),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn tensor_cases() -> Vec<Case> {
    let infer = |name: &str, body: &str, status, message| {
        case(name, post(INFER, JSON, body.as_bytes()), status, message)
    };
    let tensor = |shape: &str, datatype: &str, data: &str| {
        format!(
            "{{\"inputs\":[{{\"name\":\"features\",\"shape\":{shape},\"datatype\":\"{datatype}\",{data}}}]}}"
        )
    };
    let four = "\"data\":[1,2,3,4]";
    let input = format!("{{\"name\":\"features\",\"shape\":[1,4],\"datatype\":\"FP64\",{four}}}");
    let binary = |name: &str, length: &str, json: &str, bytes: &[u8], status, message| {
        let size = json.len() + bytes.len();
        let head = format!(
            "POST {INFER} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {size}\r\n\
             inference-header-content-length: {length}\r\n\r\n{json}"
        );
        case(name, [head.as_bytes(), bytes].concat(), status, message)
    };
    let sized = |size: &str| {
        tensor(
            "[1,4]",
            "FP64",
            &format!("\"parameters\":{{\"binary_data_size\":{size}}}"),
        )
    };
    let length = |json: &str| json.len().to_string();
    let nan = f64::INFINITY.to_le_bytes().repeat(4);
    vec![
        infer("no inputs", "{}", 400, "inputs"),
        infer(
            "the values of the request as a list",
            &format!("[null,{{}},[{input}],null]"),
            400,
            "list, expected an object",
        ),
        infer(
            "an input as a list",
            "{\"inputs\":[[\"features\",[1,4],\"FP64\",{},[1,2,3,4]]]}",
            400,
            "list, expected an object",
        ),
        infer(
            "the parameters of an input as a list",
            &tensor("[1,4]", "FP64", &format!("{four},\"parameters\":[null]")),
            400,
            "list, expected an object",
        ),
        infer(
            "parameters as a list",
            &format!("{{\"parameters\":[\"f1\",2,true],\"inputs\":[{input}]}}"),
            400,
            "list, expected an object",
        ),
        infer(
            "an output as a list",
            &format!("{{\"inputs\":[{input}],\"outputs\":[[\"labels\",{{}}]]}}"),
            400,
            "list, expected an object",
        ),
        infer("no tensors", "{\"inputs\":[]}", 422, "features"),
        infer(
            "too few columns",
            &tensor("[1,3]", "FP64", "\"data\":[1,2,3]"),
            422,
            "[n, 4]",
        ),
        infer(
            "a shape that lies",
            &tensor("[2,4]", "FP64", four),
            422,
            "elements",
        ),
        infer(
            "a negative shape",
            &tensor("[-1,4]", "FP64", four),
            400,
            "a whole number that is not negative",
        ),
        infer(
            "a shape that overflows",
            &tensor("[4294967296,4294967296]", "FP64", four),
            422,
            "elements",
        ),
        infer(
            "no rows",
            &tensor("[0,4]", "FP64", "\"data\":[]"),
            422,
            "at least one row",
        ),
        infer(
            "three dimensions",
            &tensor("[1,1,4]", "FP64", four),
            422,
            "features",
        ),
        infer(
            "an unknown datatype",
            &tensor("[1,4]", "FP8", four),
            422,
            "datatype",
        ),
        infer(
            "fractions as integers",
            &tensor("[1,4]", "INT32", "\"data\":[1.5,2,3,4]"),
            422,
            "INT32",
        ),
        infer(
            "integers out of range",
            &tensor("[1,4]", "UINT8", "\"data\":[256,2,3,4]"),
            422,
            "UINT8",
        ),
        infer(
            "ragged lists",
            &tensor("[2,4]", "FP64", "\"data\":[[1,2,3,4],[1,2]]"),
            422,
            "lengths",
        ),
        infer(
            "mixed lists",
            &tensor("[1,4]", "FP64", "\"data\":[1,[2,3,4]]"),
            422,
            "lengths",
        ),
        infer(
            "deep lists",
            &tensor(
                "[1,4]",
                "FP64",
                &format!("\"data\":{}{}", "[".repeat(90), "]".repeat(90)),
            ),
            422,
            "deeper",
        ),
        infer(
            "data that is no list",
            &tensor("[1,4]", "FP64", "\"data\":\"x\""),
            422,
            "list",
        ),
        infer(
            "data and bytes",
            &tensor(
                "[1,4]",
                "FP64",
                &format!("{four},\"parameters\":{{\"binary_data_size\":32}}"),
            ),
            422,
            "not both",
        ),
        infer(
            "a shape of fractions",
            &tensor("[1.5,4]", "FP64", four),
            400,
            "a whole number",
        ),
        infer(
            "neither data nor bytes",
            &tensor("[1,4]", "FP64", "\"x\":1"),
            400,
            "binary_data_size",
        ),
        infer(
            "words as numbers",
            &tensor("[1,4]", "BYTES", "\"data\":[\"a\",\"b\",\"c\",\"d\"]"),
            422,
            "numbers",
        ),
        infer(
            "an unknown output",
            &tensor(
                "[1,4]",
                "FP64",
                &format!("{four}}}],\"outputs\":[{{\"name\":\"x\""),
            ),
            422,
            "labels",
        ),
        binary(
            "a header length that lies",
            "9999",
            &sized("32"),
            &[0; 32],
            400,
            "9999",
        ),
        binary(
            "a header length that is none",
            "x",
            &sized("32"),
            &[0; 32],
            400,
            "number",
        ),
        binary(
            "a size beyond the body",
            &length(&sized("64")),
            &sized("64"),
            &[0; 32],
            400,
            "fewer bytes",
        ),
        binary(
            "a size below the body",
            &length(&sized("24")),
            &sized("24"),
            &[0; 32],
            422,
            "elements",
        ),
        binary(
            "a size beyond numbers",
            &length(&sized("18446744073709551615")),
            &sized("18446744073709551615"),
            &[0; 32],
            400,
            "fewer bytes",
        ),
        binary(
            "a size of no element",
            &length(&sized("31")),
            &sized("31"),
            &[0; 31],
            400,
            "multiple of 8",
        ),
        binary(
            "infinite bytes",
            &length(&sized("32")),
            &sized("32"),
            &nan,
            422,
            "finite",
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn http_cases() -> Vec<Case> {
    let with = |headers: &str| head(&format!("POST {PREDICT}"), headers);
    let get = |path: &str| head(&format!("GET {path}"), "");
    let text = |name: &str, request: String, status, message| {
        case(name, request.into_bytes(), status, message)
    };
    vec![
        text("an unknown path", get("/x"), 404, "path"),
        text(
            "an unknown model",
            get("/v1/models/x"),
            404,
            "no such model",
        ),
        text(
            "an unknown version",
            get("/v2/models/a/versions/0"),
            404,
            "version",
        ),
        text("dots", get("/v1/models/../../etc/passwd"), 404, "path"),
        text("dots as a name", get("/v1/models/.."), 404, "no such model"),
        text(
            "escaped dots",
            get("/v1/models/%2e%2e%2fa"),
            404,
            "no such model",
        ),
        text(
            "an escaped zero",
            get("/v1/models/a%00"),
            404,
            "no such model",
        ),
        text("two slashes", get("//v1/models"), 404, "path"),
        text(
            "a slash at the end",
            get("/v1/models/"),
            404,
            "no such model",
        ),
        text("a file", get("/v1/models/a.mmoc"), 404, "no such model"),
        text(
            "a long path",
            get(&format!("/{}", "a".repeat(9000))),
            414,
            "path",
        ),
        text(
            "large headers",
            head("GET /v2", &format!("x-a: {}\r\n", "a".repeat(20_000))),
            431,
            "headers",
        ),
        text(
            "another method",
            head("DELETE /v1/models/a", ""),
            405,
            "GET",
        ),
        text("reading a prediction", get(PREDICT), 405, "POST"),
        text(
            "an invented method",
            head("BREW /v1/models", ""),
            405,
            "GET",
        ),
        text(
            "no length",
            with("content-type: application/json\r\n"),
            411,
            "Content-Length",
        ),
        text(
            "no type",
            with("content-length: 2\r\n") + "{}",
            415,
            "Content-Type",
        ),
        text(
            "a form",
            with("content-type: application/x-www-form-urlencoded\r\ncontent-length: 2\r\n") + "{}",
            415,
            "Content-Type",
        ),
        text(
            "a compressed body",
            with(
                "content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n",
            ) + "{}",
            415,
            "Content-Encoding",
        ),
        text(
            "a type that is not accepted",
            head("GET /v1/models", "accept: image/png\r\n"),
            406,
            "Accept",
        ),
        text(
            "an unknown parameter",
            with("content-type: application/json\r\ncontent-length: 2\r\n")
                .replace(PREDICT, &format!("{PREDICT}?x=1"))
                + "{}",
            400,
            "no parameter",
        ),
        text(
            "a length beyond the limit",
            with("content-type: application/json\r\ncontent-length: 99999999\r\n"),
            413,
            "at most",
        ),
        text(
            "chunks beyond the limit",
            with("content-type: application/json\r\ntransfer-encoding: chunked\r\n")
                + &format!("200000\r\n{}\r\n0\r\n\r\n", "a".repeat(0x20_0000)),
            413,
            "at most",
        ),
        text(
            "a broken chunk",
            with("content-type: application/json\r\ntransfer-encoding: chunked\r\n")
                + "zz\r\nabc\r\n",
            400,
            "broken",
        ),
        raw(
            "two lengths",
            &(with("content-type: application/json\r\ncontent-length: 2\r\ncontent-length: 3\r\n")
                + "{}"),
            400,
            "",
        ),
        raw(
            "a length that is none",
            &with("content-length: -1\r\n"),
            400,
            "",
        ),
        raw("not HTTP", "hello\r\n\r\n", 400, ""),
        raw("a version that is none", "GET / HTTP/9.9\r\n\r\n", 400, ""),
        raw(
            "a header without a name",
            &head("GET /v2", ": x\r\n"),
            400,
            "",
        ),
        raw("a space in a name", &head("GET /v2", "a b: x\r\n"), 400, ""),
        raw(
            "too many headers",
            &head("GET /v2", &"a: b\r\n".repeat(200)),
            431,
            "",
        ),
    ]
}

/// What is wrong with an answer, if anything is.
fn fault(case: &Case, answer: Option<&Answer>, folder: &Folder) -> Option<String> {
    let Some(answer) = answer else {
        return Some("no answer".into());
    };
    if answer.status != case.status {
        return Some(format!("{answer:?}"));
    }
    if case.message.is_empty() {
        return None;
    }
    let body = answer.json();
    let Some(message) = body["error"].as_str() else {
        return Some(format!("no message in {body}"));
    };
    let path = folder.path("").display().to_string();
    let leaks = message.contains(&path) || message.contains(".mmoc");
    let lacks_allow = answer.status == 405 && !answer.head.to_lowercase().contains("\nallow: ");
    (leaks || lacks_allow || !message.contains(case.message)).then(|| message.to_owned())
}

#[test]
fn every_hostile_request_is_refused_with_a_reason() {
    let folder = folder();
    let columns = columns(&folder);
    let server = Server::start(&folder, "a.mmoc --max-rows 20 --max-body 1100000");
    let mut cases = json_cases(&columns);
    cases.extend(other_format_cases(&columns));
    cases.extend(tensor_cases());
    cases.extend(http_cases());
    assert!(cases.len() >= 60, "{}", cases.len());
    let good = post(
        PREDICT,
        JSON,
        format!("{{\"rows\":[{}]}}", row(&columns, "0.5")).as_bytes(),
    );
    let mut faults = Vec::new();
    for case in &cases {
        let answer = server.send(&case.request);
        let fault = fault(case, answer.as_ref(), &folder);
        faults.extend(fault.map(|fault| format!("{}: {fault}", case.name)));
        assert_eq!(
            server.send(&good).unwrap().status,
            200,
            "after {}",
            case.name
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(!server.logged().contains("panicked"), "{}", server.logged());
}

#[test]
fn more_connections_than_allowed_are_turned_away() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --max-connections 2 --log none");
    let mut open: Vec<_> = (0..2).map(|_| server.connect()).collect();
    for stream in &mut open {
        stream
            .write_all(b"GET /v2 HTTP/1.1\r\nhost: x\r\n\r\n")
            .unwrap();
        assert_eq!(read_answer(stream).unwrap().status, 200);
    }
    let mut third = server.connect();
    let answer = read_answer(&mut third).expect("an answer");
    assert_eq!(answer.status, 503);
    assert!(answer.says("retry-after: 1") && answer.json()["error"].is_string());
    drop(open);
    let start = std::time::Instant::now();
    while server.get("/v2").status != 200 {
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

/// The same pseudo-random changes in every run: no byte, a byte or some bytes more or less, anywhere in good requests.
#[test]
fn changed_requests_are_answered_or_refused() {
    let folder = folder();
    let columns = columns(&folder);
    let server = Server::start(&folder, "a.mmoc --read-timeout 0.2");
    let bodies = [
        (PREDICT, JSON, format!("{{\"rows\":[{}],\"sets\":2}}", row(&columns, "0.5"))),
        (PREDICT, "text/csv", format!("{}\n1,2,3,4\n", columns.join(","))),
        (INFER, JSON, "{\"inputs\":[{\"name\":\"features\",\"shape\":[1,4],\"datatype\":\"FP64\",\"data\":[[1,2,3,4]]}]}".into()),
    ];
    let mut state = 7u64;
    let mut next = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for round in 0..600 {
        let (path, kind, body) = &bodies[round % bodies.len()];
        let mut body = body.clone().into_bytes();
        for _ in 0..=next(3) {
            let place = next(body.len());
            match next(3) {
                0 => body[place] = next(256) as u8,
                1 => drop(body.drain(place..(place + 1 + next(4)).min(body.len()))),
                _ => body.insert(place, b"{}[]\",:0-9eEN\n\0"[next(15)]),
            }
            if body.is_empty() {
                body.push(b' ');
            }
        }
        let answer = server.post(path, kind, &body);
        assert!(
            [200, 400, 422].contains(&answer.status),
            "{}: {answer:?}",
            String::from_utf8_lossy(&body)
        );
        answer.json();
    }
    assert!(!server.logged().contains("panicked"), "{}", server.logged());
}
