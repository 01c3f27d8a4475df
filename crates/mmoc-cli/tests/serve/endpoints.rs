//! Every endpoint answers as it is documented, and predictions are those of `mmoc predict`.

use serde_json::{Value, json};

use crate::client::{Server, folder};
use crate::common::Folder;

/// What `mmoc predict` says about the test rows.
fn predicted(folder: &Folder, options: &str) -> Vec<Value> {
    let command = format!("predict a.mmoc test.csv --format jsonl -q {options}");
    let lines = folder.run(&command).succeeded().stdout;
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The test rows as objects.
fn rows(folder: &Folder) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path("test.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let row = |cells: Vec<&str>| -> Value {
        let cells = names
            .iter()
            .zip(cells)
            .filter(|(name, _)| !name.starts_with("mood_"));
        let cells =
            cells.map(|(name, cell)| ((*name).to_owned(), cell.parse::<f64>().unwrap().into()));
        Value::Object(cells.collect())
    };
    lines.map(row).collect()
}

/// Numbers may differ in rounding, because rows are predicted together with others.
fn assert_close(found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => {
            let difference = a.as_f64().unwrap() - b.as_f64().unwrap();
            assert!(difference.abs() < 1e-9, "{a} and {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| assert_close(a, b));
        }
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{a:?} and {b:?}");
            a.values()
                .zip(b.values())
                .for_each(|(a, b)| assert_close(a, b));
        }
        _ => assert_eq!(found, expected),
    }
}

#[test]
fn models_are_listed_and_described() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc other=b.mmoc --log none");
    let listed = server.json("/v1/models");
    let names: Vec<&str> = listed["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "other"]);
    let digest = std::fs::read(folder.path("a.mmoc")).unwrap();
    let hex: Vec<String> = digest[digest.len() - 32..]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let hex = hex.concat();
    let version = listed["models"][0]["version"].as_str().unwrap();
    assert_eq!(version, &hex[..12]);
    let model = server.json("/v1/models/a");
    assert_eq!(model["columns"].as_array().unwrap().len(), 4);
    assert_eq!(model["labels"].as_array().unwrap().len(), 3);
    assert_eq!(model["rows_trained"], 60);
    assert_eq!(model["decide"], "subset");
    assert!(model["terms"][0]["weight"].is_number());
    assert_eq!(server.json("/v2")["name"], "mmoc");
    assert_eq!(server.json("/v2/health/live"), json!({"live": true}));
    assert_eq!(server.json("/v2/health/ready"), json!({"ready": true}));
    for path in ["/v2/models/a", &format!("/v2/models/a/versions/{version}")] {
        assert_eq!(
            server.json(path)["inputs"][0]["shape"],
            json!([-1, 4]),
            "{path}"
        );
        assert_eq!(server.json(&format!("{path}/ready"))["ready"], true);
    }
    let description = server.json("/openapi.json");
    assert_eq!(description["openapi"], "3.1.0");
    assert!(
        server
            .get("/")
            .says("content-type: text/html; charset=utf-8")
    );
}

#[test]
fn rows_are_predicted_as_by_the_command_in_every_format() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --log none");
    let path = "/v1/models/a/predict";
    let expected = predicted(&folder, "--proba --confidence --decide f1");
    let request = json!({"rows": rows(&folder), "decide": "f1", "probabilities": true});
    let found = server
        .post(path, "application/json", request.to_string().as_bytes())
        .json();
    assert_close(&found["predictions"], &Value::Array(expected.clone()));
    let query = format!("{path}?decide=f1&probabilities=true");
    let table = std::fs::read(folder.path("test.csv")).unwrap();
    let found = server.post(&query, "text/csv", &table).json();
    assert_close(&found["predictions"], &Value::Array(expected.clone()));
    assert_eq!(found["notes"], json!([]));
    let lines: Vec<String> = rows(&folder).iter().map(Value::to_string).collect();
    let found = server
        .post(&query, "application/x-ndjson", lines.join("\n").as_bytes())
        .json();
    assert_close(&found["predictions"], &Value::Array(expected));
    let expected = predicted(&folder, "--sets 3 --confidence");
    let mut rows = rows(&folder);
    rows[0]["spare"] = 1.into();
    let request = json!({"rows": rows, "sets": 3}).to_string();
    let found = server
        .post(path, "application/json", request.as_bytes())
        .json();
    assert_close(&found["predictions"], &Value::Array(expected));
    let note = "rows: the column 'spare' is not used, because the model does not know it";
    assert_eq!(found["notes"], json!([note]));
}

#[test]
fn tensors_are_predicted_as_rows_are() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --log none");
    let expected = predicted(&folder, "--proba --confidence");
    let names: Vec<String> = rows(&folder)[0]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let names: Vec<String> = server.json("/v1/models/a")["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap().to_owned())
        .inspect(|name| assert!(names.contains(name)))
        .collect();
    let rows = rows(&folder);
    let of_column =
        |name: &str| -> Vec<f64> { rows.iter().map(|row| row[name].as_f64().unwrap()).collect() };
    let nested: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            names
                .iter()
                .map(|name| row[name].as_f64().unwrap())
                .collect()
        })
        .collect();
    let count = rows.len();
    let whole = json!({"inputs": [{"name": "features", "shape": [count, 4], "datatype": "FP64", "data": nested}]});
    let columns: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "shape": [count], "datatype": "FP64", "data": of_column(name)}))
        .collect();
    for request in [whole, json!({"inputs": columns})] {
        let found = server
            .post(
                "/v2/models/a/infer",
                "application/json",
                request.to_string().as_bytes(),
            )
            .json();
        let confidence: Vec<&Value> = expected.iter().map(|row| &row["confidence"]).collect();
        assert_close(&found["outputs"][2]["data"], &json!(confidence));
        let probabilities: Vec<f64> = expected
            .iter()
            .flat_map(|row| row["probabilities"].as_object().unwrap().values())
            .map(|value| value.as_f64().unwrap())
            .collect();
        let mut sorted: Vec<f64> = probabilities.clone();
        let mut found: Vec<f64> = found["outputs"][1]["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_f64().unwrap())
            .collect();
        sorted.sort_by(f64::total_cmp);
        found.sort_by(f64::total_cmp);
        assert_close(&json!(found), &json!(sorted));
    }
}

#[test]
fn the_columns_of_a_tensor_are_named_in_their_order() {
    let folder = folder();
    let colours = ["red", "green", "blue"];
    let lines = (0..60).map(|row| {
        let (size, colour) = (row % 7, colours[row % 3]);
        format!(
            "{size},{colour},{}\n",
            u8::from(size > 3 || colour == "red")
        )
    });
    let table = format!("size,colour,warm\n{}", lines.collect::<String>());
    std::fs::write(folder.path("colours.csv"), table).unwrap();
    let train = "train colours.csv --labels warm --method br -q -o colours.mmoc";
    folder.run(train).succeeded();
    let server = Server::start(&folder, "colours.mmoc --log none");
    let metadata = server.json("/v2/models/colours");
    let columns = &metadata["inputs"][0]["parameters"]["columns"];
    assert_eq!(
        columns,
        &json!(["size", "colour=blue", "colour=green", "colour=red"])
    );
    let whole =
        json!([{"name": "features", "shape": [1, 4], "datatype": "FP64", "data": [2, 0, 0, 1]}]);
    let by_name = json!([
        {"name": "size", "shape": [1], "datatype": "FP64", "data": [2]},
        {"name": "colour", "shape": [1], "datatype": "BYTES", "data": ["red"]},
    ]);
    let [whole, by_name] = [whole, by_name].map(|inputs| {
        let body = json!({"inputs": inputs}).to_string();
        server.post(
            "/v2/models/colours/infer",
            "application/json",
            body.as_bytes(),
        )
    });
    assert_eq!(whole.status, 200, "{whole:?}");
    assert_eq!(whole.json(), by_name.json());
}

/// JSON does not tell 2 from 2.0, and some clients write all numbers with a point.
#[test]
fn whole_numbers_may_have_a_point() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --log none");
    let row = &rows(&folder)[0];
    let tensor = |shape: Value, sets: Value| {
        let input =
            json!({"name": "features", "shape": shape, "datatype": "FP64", "data": [1, 2, 3, 4]});
        json!({"inputs": [input], "parameters": {"sets": sets}})
    };
    let cases = [
        (
            "/v1/models/a/predict",
            json!({"rows": [row], "sets": 2, "explain": 3}),
            json!({"rows": [row], "sets": 2.0, "explain": 3.0}),
        ),
        (
            "/v2/models/a/infer",
            tensor(json!([1, 4]), json!(2)),
            tensor(json!([1.0, 4.0]), json!(2.0)),
        ),
    ];
    for (path, plain, pointed) in cases {
        let [plain, pointed] = [plain, pointed]
            .map(|body| server.post(path, "application/json", body.to_string().as_bytes()));
        assert_eq!(plain.status, 200, "{path}: {plain:?}");
        assert_eq!(pointed.json(), plain.json(), "{path}");
    }
}

#[test]
fn requests_are_counted_and_logged_without_their_contents() {
    let folder = folder();
    std::fs::write(folder.path("token"), "a-token-that-is-secret\n").unwrap();
    let server = Server::start(&folder, "a.mmoc --token-file token");
    assert_eq!(server.get("/v1/models").status, 401);
    assert_eq!(server.get("/metrics").status, 401);
    assert_eq!(server.get("/v2/health/ready").status, 200);
    let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer a-token-that-is-secret\r\n\r\n";
    let metrics = String::from_utf8(server.send(request).unwrap().body).unwrap();
    for line in [
        "mmoc_requests_total{route=\"/v1/models\",status=\"401\"} 1",
        "mmoc_model_loads_total{model=\"a\"} 1",
        "mmoc_up 1",
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line}\n{metrics}"
        );
    }
    let wrong = b"GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer a-token-that-is-wrong!\r\n\r\n";
    assert_eq!(server.send(wrong).unwrap().status, 401);
    server.signal("-TERM");
    let mut server = server;
    assert!(server.child.wait().unwrap().success());
    let logged = server.logged();
    assert!(!logged.contains("token"), "{logged}");
    let first: Value = serde_json::from_str(logged.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["route"], &first["status"]),
        (&json!("/v1/models"), &json!(401))
    );
}

#[test]
fn metrics_name_the_version_and_forget_requests_that_were_answered() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --log none");
    let body = json!({"rows": [rows(&folder)[0]]}).to_string();
    let predict = || server.post("/v1/models/a/predict", "application/json", body.as_bytes());
    assert_eq!(predict().status, 200);
    let version = server.json("/v1/models")["models"][0]["version"].clone();
    let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
    for line in [
        "mmoc_queue_depth{model=\"a\"} 0".to_owned(),
        format!("mmoc_model_info{{model=\"a\",version={version}}} 1"),
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line}\n{metrics}"
        );
    }
}

/// The number of requests and of batches that were predicted.
fn requests_and_batches(server: &Server) -> (u64, u64) {
    let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
    let number = |start: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(start));
        line.unwrap().trim().parse().unwrap()
    };
    let requests = "mmoc_requests_total{route=\"/v1/models/{name}/predict\",status=\"200\"}";
    (
        number(requests),
        number("mmoc_batch_rows_count{model=\"a\"}"),
    )
}

#[test]
fn requests_that_are_predicted_together_get_their_own_answers() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --log none --threads 1");
    let path = "/v1/models/a/predict";
    let expected = predicted(&folder, "--proba --confidence");
    let table = std::fs::read_to_string(folder.path("test.csv")).unwrap();
    let (header, lines) = table.split_once('\n').unwrap();
    let large = format!("{header}\n{}", lines.repeat(300));
    let rows = rows(&folder);
    for _ in 0..20 {
        std::thread::scope(|scope| {
            // While this is predicted, the others wait.
            scope.spawn(|| server.post(path, "text/csv", large.as_bytes()));
            for (row, expected) in rows.iter().zip(&expected) {
                let (server, body) = (&server, json!({"rows": [row, row], "probabilities": true}));
                scope.spawn(move || {
                    let found = server.post(path, "application/json", body.to_string().as_bytes());
                    assert_close(&found.json()["predictions"], &json!([expected, expected]));
                });
            }
        });
        let (requests, batches) = requests_and_batches(&server);
        if batches < requests {
            return;
        }
    }
    panic!("no requests were predicted together");
}
