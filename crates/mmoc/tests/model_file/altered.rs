//! Files with a valid digest that this program did not write.

use mmoc::Error;
use mmoc::Model;
use safetensors::Dtype;
use serde_json::{Value, json};

use super::opened::{Opened, numbers};
use super::{bytes, data, params, train, with_given};

fn opened(variant: (&str, &[&str])) -> Opened {
    let trained = train(&params(variant), &data(40, 3, 4, false, 1));
    Opened::new(&bytes(&trained))
}

/// The error message for a file after a change.
fn refused(opened: &Opened, change: impl FnOnce(&mut Opened)) -> String {
    let mut changed = opened.clone();
    change(&mut changed);
    match Model::read(&changed.sealed()[..], "m.mmoc") {
        Ok(_) => panic!("not refused"),
        Err(error @ Error::ModelFile { .. }) => error.to_string(),
        Err(other) => panic!("{other:?}"),
    }
}

type Change = fn(&mut Opened);

fn assert_refused(opened: &Opened, cases: &[(Change, &str)]) {
    for (change, expected) in cases {
        let message = refused(opened, change);
        assert!(message.contains(expected), "{expected}: {message}");
        assert!(message.starts_with("m.mmoc: expected "), "{message}");
    }
}

#[test]
fn a_rewritten_file_is_a_model() {
    for variant in super::VARIANTS {
        let again = opened(variant).sealed();
        Model::read(&again[..], "m").unwrap();
    }
}

#[test]
fn a_later_version_has_its_own_error() {
    let opened = opened(("br", &[]));
    let message = refused(&opened, |file| {
        file.description = json!({"format": 3, "anything": "else"});
        file.put("new", numbers(&[1], &[0.0]));
    });
    let expected = "m.mmoc: expected a model file of version 2 at most, found version 3, written by a later version of mmoc";
    assert_eq!(message, expected);
    let message = refused(&opened, |file| file.description["format"] = json!(0));
    assert!(message.contains("version 1 or 2, found 0"), "{message}");
}

#[test]
fn rejects_invalid_descriptions() {
    let cases: [(Change, &str); 16] = [
        (
            |file| file.description = json!([]),
            "the description of a model",
        ),
        (
            |file| file.description["method"] = json!("svm"),
            "method to be one of br, ",
        ),
        (
            |file| file.description["method"] = json!("clr"),
            "the parameters votes of clr",
        ),
        (
            |file| file.description["extra"] = json!(1),
            "unknown field `extra`",
        ),
        (|file| file.description["seed"] = json!(-1), "invalid value"),
        (
            |file| file.description["scaling"] = json!("minmax"),
            "unknown variant `minmax`",
        ),
        (
            |file| file.description["base"]["ridge"]["more"] = json!(0),
            "unknown field `more`",
        ),
        (
            |file| file.description["base"]["logistic"]["folds"] = json!(1),
            "folds to be",
        ),
        (
            |file| file.description["base"]["ridge"]["penalties"]["values"] = json!([-1]),
            "positive numbers",
        ),
        (
            |file| file.description["decoder"]["more"] = json!(0),
            "no values but those of the decoder, found 'more'",
        ),
        (
            |file| file.description["decoder"]["kind"] = json!("oracle"),
            "a decoder of br, found oracle",
        ),
        (
            |file| file.description["decoder"] = json!({"kind": "votes", "votes": "hard"}),
            "a decoder of br, found votes",
        ),
        (
            |file| file.description["frame"]["label_names"] = json!(["a", "a", "b", "c"]),
            "a different name for each label",
        ),
        (
            |file| file.description["frame"]["more"] = json!(0),
            "unknown field `more`",
        ),
        (
            |file| file.description["record"]["labels"] = json!(5),
            "4 labels of the training record, found 5",
        ),
        (
            |file| file.description["record"]["logistic"]["more"] = json!(5),
            "unknown field `more`",
        ),
    ];
    assert_refused(&opened(("br", &[])), &cases);
}

#[test]
fn rejects_missing_keys_at_any_depth() {
    fn keys(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
        for (key, inner) in value.as_object().into_iter().flatten() {
            path.push(key.clone());
            found.push(path.clone());
            keys(inner, path, found);
            path.pop();
        }
    }
    // An absent key stands for null, or for a metric without a value.
    let optional = ["estimates", "penalty", "logistic", "code", "values"];
    for variant in [("coding-cs", &[][..]), ("max-margin", &[]), ("lead", &[])] {
        let opened = opened(variant);
        let mut found = Vec::new();
        keys(&opened.description, &mut Vec::new(), &mut found);
        for path in found {
            let (last, above) = path.split_last().unwrap();
            let parent = above.last().map_or("", String::as_str);
            // Radial basis functions are not always considered.
            let is_asked_for = (parent, last.as_str()) == ("posterior", "features");
            if is_asked_for || optional.contains(&last.as_str()) || optional[..1].contains(&parent)
            {
                continue;
            }
            refused(&opened, |file| {
                let mut place = &mut file.description;
                for key in above {
                    place = &mut place[key.as_str()];
                }
                place.as_object_mut().unwrap().remove(last);
            });
        }
    }
}

#[test]
fn rejects_inconsistent_tensors() {
    let cases: [(Change, &str); 14] = [
        (
            |file| file.remove("outputs.intercepts"),
            "the tensor 'outputs.intercepts', found none",
        ),
        (
            |file| file.remove("preprocessing.fill"),
            "the tensor 'preprocessing.fill', found none",
        ),
        (
            |file| file.put("code.origin", numbers(&[4], &[0.0; 4])),
            "no tensors but those of the method, found 'code.origin'",
        ),
        (
            |file| file.put("weights", numbers(&[1], &[0.0])),
            "found 'weights'",
        ),
        (
            |file| *file.tensor("outputs.intercepts") = numbers(&[3], &[0.0; 3]),
            "'outputs.intercepts' of shape [4], found [3]",
        ),
        (
            |file| *file.tensor("outputs.coefficients") = numbers(&[2, 4], &[0.0; 8]),
            "'outputs.coefficients' of shape [3, any], found [2, 4]",
        ),
        (
            |file| *file.tensor("outputs.coefficients") = numbers(&[12], &[0.0; 12]),
            "'outputs.coefficients' of shape [3, any], found [12]",
        ),
        (
            |file| {
                *file.tensor("outputs.coefficients") = numbers(&[3, 5], &[0.0; 15]);
                *file.tensor("outputs.intercepts") = numbers(&[5], &[0.0; 5]);
            },
            "4 outputs of a model, found 5",
        ),
        (
            |file| file.tensor("outputs.intercepts").dtype = Dtype::I64,
            "'outputs.intercepts' to be F64 or U32, found I64",
        ),
        (
            |file| file.set("outputs.coefficients", 7, f64::NAN),
            "finite numbers in 'outputs.coefficients', found NaN",
        ),
        (
            |file| file.set("outputs.intercepts", 0, f64::NEG_INFINITY),
            "finite numbers in 'outputs.intercepts', found -inf",
        ),
        (
            |file| file.set("preprocessing.scale", 1, 0.0),
            "scales, found 0 for column 2",
        ),
        (
            |file| file.set("preprocessing.scale", 1, -1.0),
            "scales, found -1 for column 2",
        ),
        (
            |file| file.remove("preprocessing.scale"),
            "'preprocessing.scale', found none",
        ),
    ];
    assert_refused(&opened(("br", &[])), &cases);
}

#[test]
fn rejects_inconsistent_codes() {
    let cases: [(Change, &str); 14] = [
        (
            |file| file.set("joint.noise", 0, -1e-9),
            "noise to be finite numbers that are not negative",
        ),
        (
            |file| file.remove("joint.noise"),
            "the tensor 'joint.noise', found none",
        ),
        (
            |file| file.remove("code.metric"),
            "the tensor 'code.metric', found none",
        ),
        (
            |file| file.set("code.metric", 3, f64::NAN),
            "finite numbers in 'code.metric'",
        ),
        (
            |file| *file.tensor("code.projections") = numbers(&[3, 1], &[0.0; 3]),
            "'code.projections' of shape [4, any], found [3, 1]",
        ),
        (
            |file| {
                *file.tensor("joint.projections") = numbers(&[4, 9], &[0.1; 36]);
                *file.tensor("joint.noise") = numbers(&[9], &[1.0; 9]);
            },
            "13 outputs of a model",
        ),
        (
            |file| file.description["decoder"]["lambda"] = json!(-1.0),
            "lambda to be a finite number",
        ),
        (
            |file| file.description["decoder"]["inference"] = json!("guess"),
            "inference to be one of",
        ),
        (
            |file| file.description["decoder"]["inference"] = json!("auto"),
            "inference to be decided",
        ),
        (
            |file| file.description["decoder"]["classifiers"] = json!(false),
            "the tensor 'joint.log_odds'",
        ),
        (
            |file| file.description["parameters"]["c"] = json!("much"),
            "c to be a number",
        ),
        (
            |file| file.description["parameters"]["gap"] = json!([1]),
            "gap to be",
        ),
        (
            |file| file.description["record"]["code"] = Value::Null,
            "how the code was found",
        ),
        (
            |file| file.description["record"]["code"]["eigenvalues"] = json!([1.0]),
            "4 numbers in the spectrum of the code, found 1",
        ),
    ];
    let published = ["candidates=all", "weights=fixed"];
    assert_refused(&opened(("max-margin", &published)), &cases);
    let sparse: [(Change, &str); 2] = [
        (
            |file| file.description["decoder"]["sparsity"] = json!(0),
            "sparsity to be at least 1",
        ),
        (
            |file| file.description["decoder"] = json!({"kind": "l1", "penalty": -0.1}),
            "penalty to be a finite number",
        ),
    ];
    assert_refused(&opened(("coding-cs", &[])), &sparse);
}

#[test]
fn rejects_inconsistent_posteriors() {
    let cases: [(Change, &str); 13] = [
        (
            |file| file.description["decoder"]["candidates"] = json!("some"),
            "candidates to be one of all, seen",
        ),
        (
            |file| file.description["decoder"]["unseen_mass"] = json!(1.5),
            "'unseen_mass' from 0 to 1",
        ),
        (
            |file| file.description["decoder"]["independent_share"] = json!(-0.1),
            "'independent_share' from 0 to 1",
        ),
        (
            |file| file.description["decoder"]["decide"] = json!("best"),
            "decide to be one of subset",
        ),
        (
            |file| file.description["decoder"]["terms"][0] = json!("oracle"),
            "the name of a term, found oracle",
        ),
        (
            |file| file.description["decoder"]["weights"][1] = json!(-1.0),
            "weights that are finite and not negative",
        ),
        (
            |file| file.description["decoder"]["weights"] = json!([1.0]),
            "3 weights of terms, found 1",
        ),
        (
            |file| file.description["decoder"]["classifiers"] = json!(false),
            "the tensor 'posterior.log_odds'",
        ),
        (
            |file| file.set("posterior.set_counts", 0, 0.0),
            "label sets that rows have",
        ),
        (
            |file| file.set("posterior.set_sizes", 0, 0.5),
            "counts in 'posterior.set_sizes'",
        ),
        (|file| file.set("posterior.set_members", 0, 99.0), ""),
        (
            |file| file.remove("evidence.code.directions"),
            "the tensor 'evidence.code.directions'",
        ),
        (
            |file| file.remove("evidence.frequency.log_odds"),
            "the tensor 'evidence.frequency.log_odds'",
        ),
    ];
    let all_terms = ["terms=labels+code+frequency", "regression=labels"];
    assert_refused(&opened(("max-margin", &all_terms)), &cases);
}

#[test]
fn rejects_inconsistent_given_evidence() {
    let opened = Opened::new(&bytes(&with_given(&data(40, 3, 4, false, 1)).0));
    let terms = &opened.description["decoder"]["terms"];
    let expected = json!([
        "labels",
        "given-log-odds:boosting",
        "given-regression:trees"
    ]);
    assert_eq!(*terms, expected);
    let cases: [(Change, &str); 8] = [
        (
            |file| file.description["decoder"]["terms"][1] = json!("given-oracle:boosting"),
            "the name of a term, found given-oracle:boosting",
        ),
        (
            |file| file.description["decoder"]["terms"][1] = json!("given-log-odds"),
            "the name of given evidence",
        ),
        (
            |file| file.description["decoder"]["terms"][1] = json!("given-log-odds:labels"),
            "other than those of the library",
        ),
        (
            |file| file.description["decoder"]["terms"][0] = json!("labels:mine"),
            "the name of a term, found labels:mine",
        ),
        (
            |file| {
                let terms = file.description["decoder"]["terms"].as_array_mut().unwrap();
                terms.swap(0, 1);
            },
            "given terms after the others",
        ),
        (
            |file| file.description["decoder"]["terms"][1] = json!("given-log-odds:trees"),
            "used once",
        ),
        (
            |file| file.remove("evidence.given-regression:trees.directions"),
            "the tensor 'evidence.given-regression:trees.directions'",
        ),
        (
            |file| {
                let narrow = numbers(&[4, 3], &[0.5; 12]);
                file.put("evidence.given-regression:trees.directions", narrow);
            },
            "4 directions of given regressions, found 3",
        ),
    ];
    assert_refused(&opened, &cases);
}

#[test]
fn rejects_inconsistent_networks() {
    let cases: [(Change, &str); 6] = [
        (
            |file| {
                file.description["decoder"]["parents"] = json!([[1], [2], [0], []]);
                file.put("network.weights", numbers(&[3], &[1.0; 3]));
            },
            "a network without cycles",
        ),
        (
            |file| {
                file.description["decoder"]["parents"] = json!([[], [4], [], []]);
                file.put("network.weights", numbers(&[1], &[1.0]));
            },
            "ascending parents below 4, found [4] for label 1",
        ),
        (
            |file| {
                file.description["decoder"]["parents"] = json!([[], [0], []]);
                file.put("network.weights", numbers(&[1], &[1.0]));
            },
            "3 outputs of a model, found 4",
        ),
        (
            |file| {
                file.description["decoder"]["parents"] = json!([[], [], [], []]);
                file.put("network.weights", numbers(&[1], &[1.0]));
            },
            "'network.weights' of shape [0], found [1]",
        ),
        (
            |file| file.description["decoder"]["parents"] = json!([[-1], [], [], []]),
            "invalid value",
        ),
        (
            |file| file.description["decoder"]["evidence"] = json!("hearsay"),
            "evidence to be one of labels, probabilities, found 'hearsay'",
        ),
    ];
    assert_refused(&opened(("lead", &[])), &cases);
}

#[test]
fn too_many_labels_are_rejected_before_allocation() {
    // With a hundred thousand labels, one direction would need a matrix of eighty gigabytes.
    let labels = 100_000;
    let opened = opened(("coding-pca", &["projections=1"]));
    let message = refused(&opened, |file| {
        let names: Vec<String> = (0..labels).map(|label| label.to_string()).collect();
        file.description["frame"]["label_names"] = json!(names);
        file.description["record"]["labels"] = json!(labels);
        *file.tensor("code.projections") = numbers(&[labels, 1], &vec![0.0; labels]);
        *file.tensor("code.origin") = numbers(&[labels], &vec![0.0; labels]);
    });
    assert!(
        message.contains("at most 16384 labels for an output code"),
        "{message}"
    );
}

/// The paths of all nested values, with the first two elements of each list.
fn places(value: &Value, path: String, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, inner)| (key.clone(), inner))
            .collect(),
        Value::Array(items) => items
            .iter()
            .take(2)
            .enumerate()
            .map(|(k, inner)| (k.to_string(), inner))
            .collect(),
        _ => Vec::new(),
    };
    for (key, inner) in inner {
        places(inner, format!("{path}/{key}"), found);
    }
    found.push(path);
}

#[test]
fn values_of_any_type_at_any_path_never_panic() {
    // Every value of a description is replaced by each of these, with a valid digest.
    let odd = [
        Value::Null,
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!("x"),
        json!([]),
        json!({}),
        json!(true),
    ];
    for variant in [
        ("coding-cs", &[][..]),
        ("max-margin", &[]),
        ("lead", &[]),
        ("clr", &[]),
    ] {
        let opened = opened(variant);
        let mut found = Vec::new();
        places(&opened.description, String::new(), &mut found);
        for path in found {
            for value in &odd {
                let mut changed = opened.clone();
                *changed.description.pointer_mut(&path).unwrap() = value.clone();
                if let Ok(trained) = Model::read(&changed.sealed()[..], "m") {
                    let dataset = data(5, 3, 4, false, 2);
                    // Large values may overflow together, which must be an error and not a panic.
                    let _ = trained.predict(dataset.features().view());
                }
            }
        }
    }
}
