//! Tests between methods against SciPy; `fixtures/statistics.py` writes the reference values.

use mmoc::data::Matrix;
use mmoc_experiment::{Ranking, critical_difference, paired_differences};

#[derive(serde::Deserialize)]
struct Fixture {
    scipy: String,
    pairs: Vec<PairsCase>,
    rankings: Vec<RankingCase>,
    quantiles: Vec<RangeCase>,
}

#[derive(serde::Deserialize)]
struct PairsCase {
    ours: Vec<f64>,
    reference: Vec<f64>,
    test_to_train: f64,
    wilcoxon: SignedRank,
    resampled_t: ResampledT,
}

#[derive(serde::Deserialize)]
struct SignedRank {
    statistic: f64,
    p_value: f64,
    exact: bool,
}

#[derive(serde::Deserialize)]
struct ResampledT {
    t: f64,
    p_value: f64,
}

#[derive(serde::Deserialize)]
struct RankingCase {
    scores: Vec<Vec<f64>>,
    average_ranks: Vec<f64>,
    friedman: Option<Friedman>,
}

#[derive(serde::Deserialize)]
struct Friedman {
    chi_squared: f64,
    p_value: f64,
    f: f64,
    f_p_value: f64,
}

#[derive(serde::Deserialize)]
struct RangeCase {
    methods: usize,
    alpha: f64,
    quantile: f64,
}

fn fixture() -> Fixture {
    serde_json::from_str(include_str!("fixtures/statistics.json")).unwrap()
}

fn assert_close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    let scipy = fixture().scipy;
    assert!(
        error <= tolerance,
        "{what}: {found}, but {expected} in SciPy {scipy}"
    );
}

#[test]
fn paired_tests_equal_those_of_scipy() {
    for case in fixture().pairs {
        let found = paired_differences(&case.ours, &case.reference, case.test_to_train).unwrap();
        let (wilcoxon, resampled_t) = (found.wilcoxon.unwrap(), found.resampled_t.unwrap());
        assert_eq!(wilcoxon.exact, case.wilcoxon.exact);
        assert_eq!(wilcoxon.statistic, case.wilcoxon.statistic);
        let p_value = wilcoxon.p_value;
        assert_close("signed rank", p_value, case.wilcoxon.p_value, 1e-12);
        let t = resampled_t.t.unwrap();
        assert_close("t", t, case.resampled_t.t, 1e-12);
        let p_value = resampled_t.p_value;
        assert_close("p of t", p_value, case.resampled_t.p_value, 1e-11);
    }
}

#[test]
fn rankings_equal_those_of_scipy() {
    for case in fixture().rankings {
        let (blocks, methods) = (case.scores.len(), case.average_ranks.len());
        let scores = Matrix::from_fn(blocks, methods, |block, method| case.scores[block][method]);
        let found = Ranking::of(&scores, 0.05).unwrap();
        for (rank, expected) in found.average_ranks.iter().zip(&case.average_ranks) {
            assert_close("rank", *rank, *expected, 1e-14);
        }
        // SciPy refuses two methods.
        let Some(expected) = case.friedman else {
            continue;
        };
        let test = found.friedman;
        assert_close("χ²", test.chi_squared, expected.chi_squared, 1e-10);
        assert_close("p of χ²", test.p_value, expected.p_value, 1e-10);
        let refined = test.iman_davenport;
        assert_close("F", refined.f.unwrap(), expected.f, 1e-10);
        assert_close("p of F", refined.p_value, expected.f_p_value, 1e-10);
    }
}

#[test]
fn critical_differences_are_quantiles_of_the_studentised_range_of_scipy() {
    for case in fixture().quantiles {
        // With this many blocks the factor √(k(k + 1)/(12N)) is √(1/12).
        let (k, blocks) = (case.methods, case.methods * (case.methods + 1));
        let found = critical_difference(k, blocks, case.alpha).unwrap();
        let range = found * 12.0f64.sqrt();
        assert_close(&format!("range of {k}"), range, case.quantile, 1e-7);
    }
}
