//! `--missing` through the real binary: tables with missing cells.

mod common;

use std::fmt::Write;

use common::Folder;

/// A table whose cells of `b` are missing mostly where rows carry `sick`, and one of `a` elsewhere.
fn table(rows: usize) -> String {
    let mut text = "a,b,c,sick,old\n".to_owned();
    for row in 0..rows {
        let (sick, old) = (row % 3 == 0, row * 7 % 5 < 2);
        let a = if row == 5 {
            String::new()
        } else {
            ((row * 37 % 19) as f64 / 10.0).to_string()
        };
        let b = if sick && row % 4 > 0 {
            "?".into()
        } else {
            ((row * row * 11 % 23) as f64 - 4.0).to_string()
        };
        let c = (row * 13 % 7) as f64 + f64::from(u8::from(old));
        let [sick, old] = [sick, old].map(u8::from);
        writeln!(text, "{a},{b},{c},{sick},{old}").unwrap();
    }
    text
}

fn folder() -> Folder {
    let complete = "a,b,c,sick,old\n1,2,3,0,1\n0.5,-1,4,1,0\n1.5,3,2,0,0\n0,1,6,1,1\n";
    Folder::with(&[("holes.csv", table(90)), ("whole.csv", complete.into())])
}

const LABELS: &str = "--labels sick,old";

#[test]
fn every_way_to_fill_in_trains_predicts_and_scores() {
    let folder = folder();
    let mut all = Vec::new();
    for missing in ["mean", "median", "indicator"] {
        folder
            .run(&format!(
                "train holes.csv {LABELS} --method br --missing {missing} -o {missing}.mmoc"
            ))
            .succeeded();
        let proba = |allowing: &str| {
            folder.output(&format!(
                "predict {missing}.mmoc holes.csv --proba --missing {allowing}"
            ))
        };
        let found = proba("mean");
        for allowing in ["median", "indicator"] {
            assert_eq!(proba(allowing), found, "the model knows how to fill in");
        }
        let score = folder.json(&format!(
            "score {missing}.mmoc holes.csv --missing {missing}"
        ));
        assert_eq!(score["rows"], 90);
        let inspected = folder.json(&format!("inspect {missing}.mmoc"));
        let expected = (missing != "mean").then_some(missing);
        assert_eq!(inspected["missing"].as_str(), expected);
        all.push(found);
    }
    assert!(all[0] != all[1] && all[0] != all[2] && all[1] != all[2]);
}

#[test]
fn missing_cells_are_refused_unless_an_option_allows_them() {
    let folder = folder();
    for refusing in ["", "--missing refuse"] {
        let outcome = folder.run(&format!("train holes.csv {LABELS} {refusing} -o m.mmoc"));
        assert_eq!(outcome.code, Some(3), "{outcome:?}");
        let remedy = "(--missing mean fills in missing cells)";
        assert!(outcome.stderr.contains(remedy), "{outcome:?}");
    }
    folder
        .run(&format!(
            "train holes.csv {LABELS} --method br --missing indicator -o m.mmoc"
        ))
        .succeeded();
    assert_eq!(folder.run("predict m.mmoc holes.csv").code, Some(3));
    folder.run("predict m.mmoc whole.csv").succeeded();
}

#[test]
fn evaluations_say_how_missing_cells_were_filled_in() {
    let folder = folder();
    let evaluate = format!("evaluate holes.csv {LABELS} --method br --folds 3 --missing");
    let accuracy = |missing: &str| {
        let found = folder.json(&format!("{evaluate} {missing}"));
        let expected = (missing != "mean").then_some(missing);
        assert_eq!(found["missing"].as_str(), expected);
        assert_eq!(found["datasets"][0]["missing"].as_str(), expected);
        let metrics = &found["datasets"][0]["methods"][0]["metrics"];
        metrics["subset_accuracy"]["mean"].as_f64().unwrap()
    };
    assert!(accuracy("indicator") > accuracy("mean"));
    accuracy("median");
    let text = folder.output(&format!("{evaluate} median"));
    assert!(text.contains(", missing median, seed 0"), "{text}");
    let text = folder.output(&format!("{evaluate} mean"));
    assert!(!text.contains("missing"), "{text}");
}

#[test]
fn experiments_keep_how_missing_cells_were_filled_in() {
    let folder = folder();
    let compare = format!("compare holes.csv {LABELS} --method br --folds 3 --out out --missing");
    folder.run(&format!("{compare} indicator")).succeeded();
    let file = |name: &str| std::fs::read_to_string(folder.path("out").join(name)).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&file("experiment.json")).unwrap();
    assert_eq!(manifest["datasets"][0]["missing"], "indicator");
    assert!(file("report.html").contains("--missing indicator"));
    let outcome = folder.run(&format!("{compare} mean"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    folder.run(&format!("{compare} indicator")).succeeded();
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    folder.run(&format!("{compare} mean")).succeeded();
    assert!(!file("experiment.json").contains("\"missing\""));
}

#[test]
fn conversion_keeps_missing_cells_whatever_fills_them_in_later() {
    let folder = folder();
    for missing in ["mean", "median", "indicator"] {
        let command = format!("convert holes.csv {LABELS} - --to csv --missing {missing}");
        let converted = folder.run(&command).succeeded().stdout;
        let is_empty = |line: &&str| line.split(',').any(str::is_empty);
        let rows = converted.lines().filter(is_empty).count();
        assert_eq!(rows, 23, "{converted}");
    }
}
