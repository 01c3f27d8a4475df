//! Descriptions of version 1, translated to the current one.
//!
//! Version 1 had no posterior. Codes with classifiers were decoded by eq. (15), with weights that the decoder keeps, however
//! they were found. So they are fixed weights now: parameters say how a model predicts, the decoder has the numbers.
//! Outputs were linear functions of the features.

use serde_json::{Value, json};

use super::header::VERSION;
use crate::learn::{BaseParams, FeatureChoice};
use crate::method::DecodingParams;

/// The methods that decoded by eq. (15).
const JOINT: [&str; 3] = ["coding-pca-r", "coding-cca", "max-margin"];

/// Turns a description of version 1 into the current form, as far as it is one.
pub(super) fn translate(description: &mut Value) {
    description["format"] = json!(VERSION);
    let lambda = description["decoder"]["lambda"].clone();
    let method = description["method"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    if let Some(record) = description["record"].as_object_mut() {
        record.remove("choice");
    }
    let base = BaseParams::default();
    if let Some(own) = description["base"].as_object_mut() {
        own.insert("features".into(), json!(FeatureChoice::Linear));
        own.insert("landmarks".into(), json!(base.landmarks));
    }
    let Some(parameters) = description["parameters"].as_object_mut() else {
        return;
    };
    let is_joint = JOINT.contains(&method.as_str());
    if is_joint {
        parameters.insert("weights".into(), json!("fixed"));
        parameters.insert("terms".into(), json!("auto"));
        let trees = DecodingParams::default().trees;
        parameters.insert("trees".into(), json!(trees));
        // A code without classifiers has no λ in its decoder that would mean anything.
        if description["decoder"]["classifiers"] == json!(true) {
            let parameters = &mut description["parameters"];
            parameters["lambda"] = lambda;
        }
    }
    if is_joint || method == "br" {
        let parameters = &mut description["parameters"];
        parameters["candidates"] = json!("all");
        parameters["decide"] = json!("subset");
    }
}
