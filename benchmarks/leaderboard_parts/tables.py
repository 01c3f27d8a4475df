"""The page: tables of methods and sets, ranks, paired tests, and where we are not first."""

from collections.abc import Callable

from suite_parts.methods import METHODS, PLAIN, REFERENCE
from suite_parts.store import Result
from suite_parts.tables import NONE, list_item, number, paragraph, score, table

from leaderboard_parts.paired import p_value
from leaderboard_parts.pictures import file_of_ranks, file_of_set
from leaderboard_parts.ranks import ranks_of
from leaderboard_parts.results import MAIN_MEASURES, NOT_RANKED, OTHER_MEASURES, Board, Measure, shown

SETS_A_TABLE = 5
MB = 1e6
SMALLEST_P = 0.0001

Cell = Callable[[str, str], str]


# Methods by sets.


def grid(board: Board, cell: Cell) -> str:
    """A row for each method, a column for each set, as many tables as it takes."""
    parts = [board.sets[start : start + SETS_A_TABLE] for start in range(0, len(board.sets), SETS_A_TABLE)]
    return "\n\n".join(
        table(["", *names], [[f"`{shown(key)}`", *(cell(name, key) for name in names)] for key in board.methods])
        for names in parts
    )


def ended(result: Result | None) -> str:
    """Why there is no number."""
    if result is None:
        return NONE
    if result.get("over") == "time":
        return f"> {result['limit_seconds']:.0f} s"
    if result.get("over") == "memory":
        return "memory"
    return "failed" if "error" in result else NONE


def scores_grid(board: Board, measure: Measure) -> str:
    best = {name: board.best(name, measure) for name in board.sets}

    def cell(name: str, key: str) -> str:
        value = board.value(name, key, measure)
        if value is None:
            result = board.result(name, key)
            has_labels = result is not None and "decisions" in result
            return NONE if has_labels and "error" not in result and "over" not in result else ended(result)
        return f"**{score(value)}**" if score(value) == score(best[name]) else score(value)

    return grid(board, cell)


def cost_grid(board: Board, cost: Callable[[Result], str], part: str) -> str:
    def cell(name: str, key: str) -> str:
        result = board.result(name, key)
        return ended(result) if result is None or part not in result else cost(result)

    return grid(board, cell)


def peak(result: Result) -> str:
    """After the plus what processes of joblib held."""
    own, others = (result[part] / MB for part in ("peak_bytes", "peak_bytes_of_processes"))
    return f"{own:.{1 if own < 10 else 0}f}" + (f" + {others:.0f}" if others else "")


# Ours and others.


def p_of(value: float | None) -> str:
    if value is None:
        return NONE
    digits = 4 if value < 0.01 else 3 if value < 0.1 else 2
    return f"< {SMALLEST_P}".replace("0.", ".") if value < SMALLEST_P else f"{value:.{digits}f}".removeprefix("0")


def signed(value: float) -> str:
    return ("+" if value >= 0 else "−") + score(abs(value))


def duel(board: Board, name: str, measure: Measure) -> list[str] | None:
    """Ours, the best peer with its score, the difference and the p-value."""
    ours, peer = board.value(name, REFERENCE, measure), board.best_peer(name, measure)
    if ours is None or peer is None:
        return None
    key, theirs = peer
    p = p_of(p_value(board, name, REFERENCE, key, measure))
    return [score(ours), f"{score(theirs)} (`{shown(key)}`)", signed(ours - theirs), p]


def duels(board: Board, measure: Measure) -> str:
    rows = [[name, *found] for name in board.sets if (found := duel(board, name, measure))]
    return table(["set", "mmoc", "best peer", "difference", "p"], rows)


def not_first(board: Board) -> str:
    rows = [
        [measure.title, name, *found]
        for measure in (*MAIN_MEASURES, *OTHER_MEASURES)
        for name in board.sets
        if behind(board, name, measure) and (found := duel(board, name, measure))
    ]
    if not rows:
        return "Nowhere."
    return table(["measure", "set", "mmoc", "best peer", "difference", "p"], rows)


def behind(board: Board, name: str, measure: Measure) -> bool:
    ours, peer = board.value(name, REFERENCE, measure), board.best_peer(name, measure)
    return ours is not None and peer is not None and measure.better(peer[1], ours)


def faster_and_better(board: Board) -> str:
    """Peers that have both a higher score and a shorter fit than ours."""
    rows = []
    for measure in MAIN_MEASURES:
        for name in board.sets:
            ours = board.result(name, REFERENCE)
            if ours is None or "fit_seconds" not in ours:
                continue
            for key, value in board.values(name, measure).items():
                theirs = board.results[name][key]
                if measure.better(value, board.value(name, REFERENCE, measure)) and is_faster(theirs, ours):
                    times = [f"{number(result['fit_seconds'])} s" for result in (ours, theirs)]
                    rows.append([measure.title, name, f"`{shown(key)}` {score(value)}", *times])
    if not rows:
        return "None."
    return table(["measure", "set", "peer", "our fit", "their fit"], rows)


def is_faster(theirs: Result, ours: Result) -> bool:
    return theirs["fit_seconds"] < ours["fit_seconds"]


def times_ours(board: Board) -> str:
    """How many times as long as ours each fit took."""

    def cell(name: str, key: str) -> str:
        ours, theirs = board.result(name, REFERENCE), board.result(name, key)
        if any(result is None or "fit_seconds" not in result for result in (ours, theirs)):
            return ended(theirs)
        return number(theirs["fit_seconds"] / ours["fit_seconds"])

    return grid(board, cell)


def counted(board: Board, measure: Measure) -> str:
    """On how many sets we are first."""
    names = [name for name in board.sets if board.value(name, REFERENCE, measure) is not None]
    first = [name for name in names if not behind(board, name, measure)]
    return f"{measure.title} {len(first)} of {len(names)}"


# Ranks.


def ranks_section(board: Board, measure: Measure) -> list[str]:
    ranks = ranks_of(board, measure)
    if ranks is None:
        return [f"By {measure.title}: too few sets have all methods."]
    friedman = "" if ranks.friedman is None else f", Friedman's test p {p_phrase(ranks.friedman)}"
    difference = f"critical difference {ranks.critical_difference:.2f}"
    text = f"By {measure.title} on {', '.join(ranks.sets)}; {difference}{friedman}:"
    rows = [[f"`{shown(key)}`", f"{ranks.mean[key]:.2f}"] for key in ranks.in_order()]
    half = (len(rows) + 1) // 2
    pairs = [[*rows[index], *(rows[index + half] if index + half < len(rows) else ["", ""])] for index in range(half)]
    picture = f"![Mean ranks by {measure.title}](images/{file_of_ranks(measure)})"
    return [paragraph(text), picture, table(["method", "mean rank", "method", "mean rank"], pairs)]


def p_phrase(value: float) -> str:
    return p_of(value) if value < SMALLEST_P else f"= {p_of(value)}"


# What was run.


def methods_table(board: Board) -> str:
    rows = []
    for key in board.methods:
        method = METHODS[key]
        decisions = [decision for decision in method.all_decisions if decision != PLAIN]
        threads = "threads or processes" if method.jobs[0] > 1 else "one thread"
        rows.append([f"`{shown(key)}`", method.package, method.title, ", ".join(decisions) or NONE, threads])
    return table(["name", "package", "method", "decisions", "runs in"], rows)


def sets_table(board: Board) -> str:
    rows = []
    for name in board.sets:
        about = board.about[name]
        sparse = "sparse" if about["sparse"] else "dense"
        sizes = [str(about[part]) for part in ("training_rows", "test_rows")]
        rows.append([name, *sizes, f"{about['features']}, {sparse}", str(about["labels"]), about["split"]])
    return table(["set", "training rows", "test rows", "features", "labels", "split"], rows)


def circumstances(board: Board) -> str:
    """Machine and days, and the versions in each environment."""
    results = [(key, result) for results in board.results.values() for key, result in results.items()]
    machines = {f"{result['machine']['cores']} cores ({result['machine']['cpu']})": None for _, result in results}
    days = sorted({result["date"] for _, result in results})
    limits = {f"{result['limit_seconds']:.0f} s" for _, result in results if result.get("over") == "time"}
    loads = [result["load"] for _, result in results]
    text = f"Measured on {', '.join(machines)}, {' to '.join(dict.fromkeys([days[0], days[-1]]))}, "
    text += f"with a load of {min(loads):.1f} to {max(loads):.1f} when a run ended"
    text += f"; time limits that were reached: {', '.join(sorted(limits))}." if limits else "."
    by_environment: dict[str, dict[str, None]] = {}
    for key, result in results:
        found = by_environment.setdefault(METHODS[key].environment, {})
        found |= {f"{name} {version}": None for name, version in result["versions"].items()}
    lines = [f"{name}: {', '.join(versions)}" for name, versions in by_environment.items()]
    return paragraph(text) + "\n\nVersions in each environment:\n\n" + "\n".join(map(list_item, lines))


def failures(board: Board) -> list[str]:
    lines = []
    for name, results in board.results.items():
        for key, result in results.items():
            if "error" in result:
                lines.append(f"{name}, `{shown(key)}`, {result['during']}: `{result['error'][:200]}`")
            elif "over" in result:
                seen = f"{result['peak_bytes_seen'] / MB:.0f} MB" if "peak_bytes_seen" in result else "unknown"
                fold = f", fold {result['fold']}" if result.get("folds", 1) > 1 and "fold" in result else ""
                lines.append(f"{name}, `{shown(key)}`{fold}: over the limit of {result['over']}, at most {seen} in use")
    return ["\n".join(map(list_item, lines))] if lines else ["None."]


def set_pictures(board: Board) -> list[str]:
    return [
        f"![{name}: scores against seconds of the fit](images/{file_of_set(name)})"
        for name in board.sets
        if board.values(name, MAIN_MEASURES[0])
    ]


RANKS = f"""\
Methods are ranked on each set, the best first; equal ones share the mean of their ranks, and those without a result
come last together. Only sets on which all methods were run count, and not {', '.join(NOT_RANKED)}. A thick line joins
methods whose mean ranks differ by less than the critical difference of Nemenyi's test at 5 %, which many methods and
few sets make large."""

DUELS = """\
The best peer is the one with the best score on the test rows, another one on each set, so the comparison favours the
peers. p is two-sided: McNemar's exact test for subset accuracy, Wilcoxon's signed ranks over the F1 of rows for
example-F1. With this many tests some small p are due to chance. Differences are ours minus theirs."""


def page(board: Board) -> str:
    parts = [
        circumstances(board),
        "### Methods",
        methods_table(board),
        "### Data sets",
        sets_table(board),
    ]
    for measure in MAIN_MEASURES:
        parts += [f"## {measure.title[0].upper()}{measure.title[1:]}", scores_grid(board, measure)]
    parts += ["## Mean ranks", paragraph(RANKS)]
    for measure in MAIN_MEASURES:
        parts += ranks_section(board, measure)
    parts += ["## Ours beside the best peer", paragraph(DUELS)]
    for measure in MAIN_MEASURES:
        parts += [f"**{measure.title}**", duels(board, measure)]
    parts += ["## Where we are not first", not_first(board)]
    first = ", ".join(counted(board, measure) for measure in (*MAIN_MEASURES, *OTHER_MEASURES))
    parts.append(paragraph(f"First, or equal to the first: {first}."))
    parts += ["## Peers that are faster and better", faster_and_better(board)]
    parts += ["## Scores against time", *set_pictures(board)]
    parts += ["## Time and memory", "**Fit, seconds**"]
    parts.append(cost_grid(board, lambda result: number(result["fit_seconds"]), "fit_seconds"))
    parts += ["**Fit, times as long as ours**", times_ours(board)]
    parts.append("**Prediction of all test rows, or of those of one fold, milliseconds**")
    parts.append(cost_grid(board, lambda result: number(1e3 * result["predict_seconds"]), "predict_seconds"))
    parts += ["**Peak memory, MB**", cost_grid(board, peak, "peak_bytes")]
    parts.append("## Other measures")
    for measure in OTHER_MEASURES:
        lower = "" if measure.higher_is_better else ", lower is better"
        parts += [f"**{measure.title}{lower}**", scores_grid(board, measure)]
    parts += ["## Failures and limits", *failures(board)]
    return "\n\n".join(parts) + "\n"
