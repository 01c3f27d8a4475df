"""Results as tables in Markdown."""

import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from suite_parts.methods import METHODS, REFERENCE
from suite_parts.sets import SETS

Result = dict[str, Any]
Results = dict[str, Result]

MB = 1e6
SCORES = {"subset_accuracy": "subset accuracy", "macro_f1": "macro-F1", "micro_f1": "micro-F1"}
NONE = "–"
SEARCHED = "ovr-cv"


def number(value: float) -> str:
    """Three digits, and all those before the point."""
    if value >= 100:
        return f"{value:.0f}"
    digits = f"{value:#.3g}"
    return digits if "e" not in digits else f"{value:.5f}"


def score(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def ratio(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join([row(header), "|" + "---|" * len(header), *map(row, rows)])


def paragraph(text: str) -> str:
    return textwrap.fill(text, width=118)


def list_item(text: str) -> str:
    return textwrap.fill(text, width=118, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)


def in_order(results: Results) -> Results:
    """As methods are listed; those that are no longer are left out."""
    return {key: results[key] for key in METHODS if key in results}


def works(result: Result) -> bool:
    """Whether the method does anything at all with these versions."""
    return result.get("during") != "warm-up"


# One set.


def of_set(name: str, about: dict[str, Any], results: Results) -> str:
    shown = {key: result for key, result in in_order(results).items() if works(result)}
    best = {kind: max((result[kind] for result in shown.values() if kind in result), default=None) for kind in SCORES}
    scores = [score_row(key, result, best) for key, result in shown.items()]
    costs = [cost_row(key, result, results.get(REFERENCE, {})) for key, result in shown.items()]
    return "\n\n".join(
        [
            f"### {name}",
            describe(about),
            table(["method", "name", *SCORES.values()], scores),
            table(["method", "fit, s", "ratio", "predict, ms", "ratio", "peak, MB"], costs),
            *failures(shown),
        ]
    )


def describe(about: dict[str, Any]) -> str:
    still = about["labels"] - about["labels_that_vary"]
    text = (
        f"{about['training_rows']} training rows, {about['test_rows']} test rows, {about['features']} "
        f"{'sparse' if about['sparse'] else 'dense'} features, {about['labels']} labels"
        + (f", of which {still} are constant in the training rows" if still else "")
        + f", {about['distinct_label_sets']} distinct label sets in the training rows; split {about['split']}."
    )
    return paragraph(text)


def score_row(key: str, result: Result, best: dict[str, float | None]) -> list[str]:
    return [METHODS[key].name, f"`{key}`", *(marked(result, kind, best[kind]) for kind in SCORES)]


def cost_row(key: str, result: Result, reference: Result) -> list[str]:
    return [
        f"`{key}`",
        timed(result, "fit_seconds", 1),
        compared(result, reference, "fit_seconds"),
        timed(result, "predict_seconds", 1e3),
        compared(result, reference, "predict_seconds"),
        peak(result),
    ]


def timed(result: Result, part: str, unit: float) -> str:
    if part in result:
        return number(unit * result[part])
    if part == "predict_seconds" and "fit_seconds" not in result:
        return NONE
    if result.get("over") == "time":
        return f"> {unit * result['limit_seconds']:.0f}"
    if result.get("over") == "memory":
        return "over memory"
    return "failed" if "error" in result else NONE


def compared(result: Result, reference: Result, part: str) -> str:
    """How many times as long as ours; at least so many, if it was ended."""
    if part not in reference:
        return NONE
    if part in result:
        return ratio(result[part] / reference[part])
    if part == "fit_seconds" and result.get("over") == "time":
        return f"> {ratio(result['limit_seconds'] / reference[part])}"
    return NONE


def peak(result: Result) -> str:
    """After the plus what processes of joblib held."""
    if "peak_bytes" not in result:
        return f"> {result['limit_bytes'] / MB:.0f}" if result.get("over") == "memory" else NONE
    own, others = (result[part] / MB for part in ("peak_bytes", "peak_bytes_of_processes"))
    return f"{own:.1f}" + (f" + {others:.0f}" if others else "")


def marked(result: Result, kind: str, best: float | None) -> str:
    """The best in bold."""
    if kind not in result:
        return NONE
    shown = score(result[kind])
    return f"**{shown}**" if best is not None and shown == score(best) else shown


def failures(results: Results) -> list[str]:
    """What failed, and by what error."""
    lines = [
        f"{METHODS[key].name} failed ({result['during']}): `{result['error']}`"
        for key, result in results.items()
        if "error" in result
    ]
    lines += [
        f"{METHODS[key].name} failed when it was repeated: "
        f"`{result['failed_repetition'].get('error', 'over the limits')}`"
        for key, result in results.items()
        if "failed_repetition" in result
    ]
    return ["\n".join(map(list_item, lines))] if lines else []


# All sets.


def summary(document: dict[str, Any]) -> str:
    """Two tables: our scores beside those of the best peer, and our fit time beside that of some peers."""
    measured = [(name, results) for name, results in sets_in_order(document) if REFERENCE in results]
    if not measured:
        return f"There is no result of {METHODS[REFERENCE].name}."
    scores = [summary_scores(name, document["sets"][name], results) for name, results in measured]
    costs = [summary_costs(name, results) for name, results in measured]
    header = ["set", "fit of ours, s", "ratio, fastest peer", f"ratio, {SEARCHED}", "ratio, best peer"]
    return table(["set", "labels", *SCORES.values()], scores) + "\n\n" + table(header, costs)


def peers_of(results: Results) -> Results:
    return {key: result for key, result in in_order(results).items() if not METHODS[key].ours}


def summary_scores(name: str, about: dict[str, Any], results: Results) -> list[str]:
    ours, peers = results[REFERENCE], peers_of(results)
    return [name, str(about["labels"]), *(duel(ours, best_of(peers, kind, max), kind) for kind in SCORES)]


def summary_costs(name: str, results: Results) -> list[str]:
    ours, peers = results[REFERENCE], peers_of(results)
    return [
        name,
        timed(ours, "fit_seconds", 1),
        fit_ratio(best_of(peers, "fit_seconds", min), ours),
        compared(peers.get(SEARCHED, {}), ours, "fit_seconds"),
        fit_ratio(best_of(peers, "subset_accuracy", max), ours),
    ]


def best_of(peers: Results, part: str, choice: Callable[..., str]) -> tuple[str, Result] | None:
    having = {key: result[part] for key, result in peers.items() if part in result}
    if not having:
        return None
    key = choice(having, key=having.__getitem__)
    return key, peers[key]


def duel(ours: Result, peer: tuple[str, Result] | None, kind: str) -> str:
    """Ours and the best peer, the better of both in bold."""
    mine = score(ours[kind]) if kind in ours else NONE
    if peer is None:
        return mine
    key, result = peer
    theirs = score(result[kind])
    if kind in ours and mine >= theirs:
        mine = f"**{mine}**"
    if kind not in ours or theirs >= mine.strip("*"):
        theirs = f"**{theirs}**"
    return f"{mine}, {theirs} ({key})"


def fit_ratio(peer: tuple[str, Result] | None, ours: Result) -> str:
    if peer is None:
        return NONE
    key, result = peer
    times = compared(result, ours, "fit_seconds")
    return times if times == NONE else f"{times} ({key})"


def sets_in_order(document: dict[str, Any]) -> list[tuple[str, Results]]:
    return [(name, document["results"][name]) for name in SETS if document["results"].get(name)]


def broken(document: dict[str, Any]) -> list[str]:
    """Methods that fail on the drawn set already, so that there is no row for them."""
    errors = {
        key: result["error"]
        for _, results in sets_in_order(document)
        for key, result in in_order(results).items()
        if not works(result)
    }
    lines = [f"{METHODS[key].name}: `{error}`" for key, error in in_order(errors).items()]
    return ["Not measured, because they fail with these versions on any data:\n\n" + "\n".join(map(list_item, lines))] if lines else []


def legend() -> str:
    return f"""\
Ours is {METHODS[REFERENCE].name}. The first table shows our score, then that of the peer with the best score.
The second table shows how many times as long as ours the fit of a peer took: of the fastest peer, of one-vs-rest with
C by cross-validation, and of the peer with the best subset accuracy."""


def measured(document: dict[str, Any]) -> str:
    """Where, when and with what, of all results that are there."""
    results = [result for _, results in sets_in_order(document) for result in results.values()]
    machines = {f"{result['machine']['cores']} cores ({result['machine']['cpu']})": None for result in results}
    versions = {f"{name} {version}": None for result in results for name, version in result["versions"].items()}
    dates = sorted({result["date"] for result in results})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return paragraph(f"Measured on {', '.join(machines)}, {', '.join(versions)}, {when}.")


EXPLANATION = """\
All methods get the same arrays. Dense features are standardised on the training rows. Sparse features are CSR matrices
and are not scaled. A nominal feature is one column for each value.

- Each method runs in a process of its own, after a warm-up fit to a small synthetic data set, so that start-up does not
  count. Our methods and the peers alternate.
- A fit under 20 s is repeated up to three times with one thread or process and with two, and the fastest counts. A
  longer fit runs once, with two where the method has a parameter for it.
- Prediction covers all test rows. If it is short, the median of three counts.
- A ratio says how many times as long as ours it took.
- The peak is the memory beyond what the process held once its data and imports were loaded. After a plus stands what
  the processes of joblib held, each with its own Python.
- Labels that are constant in the training rows are removed before classifier chains and scikit-multilearn see them,
  because these fail otherwise.
- Parameters that are not named have their defaults. All of our methods choose penalties by cross-validation; of the
  peers only `ovr-cv` does.
- The best value of each score is bold."""


def page(document: dict[str, Any], names: Iterable[str]) -> str:
    """The summary of all sets, and a table for each of some."""
    chosen = set(names)
    parts = [measured(document), EXPLANATION, summary(document), legend(), *broken(document)]
    parts += [
        of_set(name, document["sets"][name], results) for name, results in sets_in_order(document) if name in chosen
    ]
    return "\n\n".join(parts) + "\n"
