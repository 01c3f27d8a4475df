"""One method on all folds of a set: one process for each, and one result of all rows."""

import statistics
from pathlib import Path

from suite_parts.methods import METHODS
from suite_parts.run import Limits, failed, run
from suite_parts.scores import Tally
from suite_parts.store import Result


def run_folds(files: list[Path], key: str, limits: Limits) -> Result:
    """Ends with the first fold without label sets. The limits are those of one fold."""
    runs: list[Result] = []
    for file in files:
        runs.append(run(file, key, METHODS[key].jobs[0], limits, "--everything"))
        if not runs[-1].get("tallies", {}).keys() >= set(METHODS[key].all_decisions):
            return without_counts(runs[-1]) | {"fold": len(runs), "folds": len(files)}
    return combined(runs)


def without_counts(result: Result) -> Result:
    return {name: value for name, value in result.items() if name != "tallies"}


def combined(runs: list[Result]) -> Result:
    """Scores of all test rows together, mean times, the highest peaks."""
    tallies = {
        decision: Tally.sum(Tally.from_json(each["tallies"][decision]) for each in runs)
        for decision in runs[0]["tallies"]
    }
    rows = [len(Tally.from_json(next(iter(each["tallies"].values()))).row_f1) for each in runs]
    result = without_counts(runs[0]) | {
        "folds": len(runs),
        "fit_seconds": statistics.mean(each["fit_seconds"] for each in runs),
        "predict_seconds": statistics.mean(each["predict_seconds"] for each in runs),
        "peak_bytes": max(each["peak_bytes"] for each in runs),
        "peak_bytes_of_processes": max(each["peak_bytes_of_processes"] for each in runs),
        "decisions": {
            decision: tally.scores() | {"rows": tally.to_json()["rows"]} for decision, tally in tallies.items()
        },
    }
    if all("log_loss" in each for each in runs):
        result["log_loss"] = sum(n * each["log_loss"] for n, each in zip(rows, runs, strict=True)) / sum(rows)
        return result
    # Label sets are there, probabilities may have failed.
    result.pop("log_loss", None)
    ends = [{part: each[part] for part in ("error", "during", "over") if part in each} for each in runs if failed(each)]
    return result | (ends[0] if ends else {})
