//! Forests from files that were not written by a forest.

use proptest::prelude::*;

use super::*;

/// The tensors of a forest.
#[derive(Debug, Clone)]
struct Parts {
    integers: [(&'static str, Vec<u32>); 6],
    thresholds: Vec<f64>,
}

fn parts(forest: &Forest) -> Parts {
    let mut file = read_back(stored(forest));
    let names = [
        "forest.columns",
        "forest.cut_columns",
        "forest.nodes",
        "forest.mixed_sizes",
        "forest.mixed_classes",
        "forest.mixed_counts",
    ];
    Parts {
        integers: names.map(|name| (name, file.integers(name).unwrap())),
        thresholds: file.numbers("forest.cut_thresholds").unwrap(),
    }
}

impl Parts {
    fn restore(&self, classes: usize) -> Result<Forest, String> {
        let mut file = TensorWriter::default();
        for (name, values) in &self.integers {
            file.integers(name, values);
        }
        file.vector("forest.cut_thresholds", &self.thresholds);
        Forest::restore("forest", &mut read_back(file), None, classes)
            .map_err(|refusal| format!("{refusal:?}"))
    }

    fn tensor(&mut self, name: &str) -> &mut Vec<u32> {
        let found = self
            .integers
            .iter_mut()
            .find(|(own, _)| own.ends_with(name));
        &mut found.unwrap().1
    }
}

type Change = fn(&mut Parts);

/// A forest with mixed leaves, and the rows it was grown from.
fn example() -> (Features, Forest) {
    let (x, own) = drawn(30, 3, 5, 7);
    let x = sparse(&x);
    let (forest, _) = grown(&x, &own, 5, 7);
    assert!(forest.trees.mixed.len() > 1);
    (x, forest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_tensors_are_refused_or_a_forest_that_votes(
        changes in proptest::collection::vec((0usize..7, any::<prop::sample::Index>(), 0u8..5, 0u32..40), 1..4),
    ) {
        let (x, forest) = example();
        let mut parts = parts(&forest);
        for (tensor, place, how, value) in changes {
            if tensor == 6 {
                let values = &mut parts.thresholds;
                let place = place.index(values.len().max(1));
                match how {
                    0 => values.truncate(place),
                    1 => values.push(f64::from(value)),
                    _ if values.is_empty() => {}
                    2 => values.swap(0, place),
                    _ => values[place] = f64::from(value) - 20.0,
                }
                continue;
            }
            let values = &mut parts.integers[tensor].1;
            let place = place.index(values.len().max(1));
            match how {
                0 => values.truncate(place),
                1 => values.push(value),
                _ if values.is_empty() => {}
                2 => values.swap(0, place),
                3 => values[place] = u32::MAX - value,
                _ => values[place] = value,
            }
        }
        if let Ok(forest) = parts.restore(5) {
            match forest.votes(x.view()) {
                Ok(votes) => assert_shares(&votes, 30, 5, false),
                Err(error) => prop_assert!(forest.columns() != 3, "{}", error),
            }
        }
    }
}

#[test]
fn each_kind_of_inconsistency_is_refused() {
    let (_, forest) = example();
    let parts = parts(&forest);
    assert_eq!(parts.restore(5).unwrap(), forest);
    let cases: [(Change, &str); 17] = [
        (|p| p.tensor("columns").clear(), "numbers of columns"),
        (|p| p.tensor("columns").push(3), "numbers of columns"),
        (|p| p.integers[0].1[0] = 1, "cuts of columns below 1"),
        (|p| p.tensor("cut_columns").reverse(), "cuts that ascend"),
        (|p| p.thresholds.reverse(), "cuts that ascend"),
        (|p| p.thresholds[1] = p.thresholds[0], "cuts that ascend"),
        (|p| p.thresholds.push(1e9), "thresholds of cuts"),
        (
            |p| *p.tensor("cut_columns").last_mut().unwrap() = 9,
            "cuts of columns below 3",
        ),
        (|p| p.tensor("nodes").clear(), "complete trees"),
        (|p| p.tensor("nodes").truncate(1), "complete trees"),
        (|p| p.tensor("nodes").push(0), "complete trees"),
        (
            |p| p.tensor("nodes")[0] = u32::MAX,
            "numbers of nodes below",
        ),
        (
            |p| p.tensor("mixed_sizes")[0] = u32::MAX,
            "classes for all leaves",
        ),
        (|p| p.tensor("mixed_sizes")[0] = 0, "in each leaf"),
        (|p| p.tensor("mixed_classes")[1] = 77, "in each leaf"),
        (|p| p.tensor("mixed_counts")[0] = 0, "in each leaf"),
        (
            |p| p.tensor("mixed_counts").push(1),
            "numbers of rows in leaves",
        ),
    ];
    for (change, expected) in cases {
        let mut changed = parts.clone();
        change(&mut changed);
        let refusal = changed.restore(5).unwrap_err();
        assert!(refusal.contains(expected), "{refusal} for {expected}");
    }
    let mut longer = parts.clone();
    longer.tensor("mixed_classes").push(1);
    longer.tensor("mixed_counts").push(1);
    assert!(longer.restore(5).unwrap_err().contains("classes of leaves"));
    assert!(parts.restore(4).is_err());
    let mut file = read_back(stored(&forest));
    assert!(Forest::restore("forest", &mut file, Some(4), 5).is_err());
    assert!(Forest::restore("other", &mut read_back(stored(&forest)), None, 5).is_err());
}
