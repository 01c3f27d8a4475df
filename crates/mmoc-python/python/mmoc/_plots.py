"""Plots of codes and of the convergence of the solver, with matplotlib."""

from typing import Any

import numpy as np

from ._records import SolverRecord

# With more ticks than this, only every second, third, … is labelled, so that they stay readable.
_MOST_LABELS = 40
_MOST_DIRECTIONS = 12


def plot_code(model: Any, *, ax: Any = None) -> Any:
    """Draws the directions of a code as a heat map, with one row per label and one column per direction.

    Each direction is divided by its largest absolute entry.

    Parameters
    ----------
    model : fitted estimator with a code, or OutputCoder
    ax : matplotlib Axes, optional
        The axes to draw on. By default the current axes.

    Returns
    -------
    matplotlib Axes
    """
    directions = model.projections_
    labels, count = directions.shape
    largest = np.abs(directions).max(axis=0, initial=0.0)
    shown = directions / np.where(largest > 0, largest, 1.0)
    ax = _axes(ax)
    image = ax.imshow(shown, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    ax.set_xticks(*_ticks([str(k + 1) for k in range(count)], _MOST_DIRECTIONS))
    ax.set_yticks(*_ticks(_names(model, labels), _MOST_LABELS))
    ax.set_xlabel("direction")
    ax.set_title("code")
    ax.figure.colorbar(image, ax=ax, label="entry, relative to the largest")
    return ax


def plot_spectrum(model: Any, *, ax: Any = None) -> Any:
    """Draws the spectrum of a code: singular values, canonical correlations or eigenvalues of the metric.

    Two colours distinguish the directions of the code from those that were left out.

    Parameters
    ----------
    model : fitted estimator with a code, or OutputCoder
    ax : matplotlib Axes, optional
        The axes to draw on. By default the current axes.

    Returns
    -------
    matplotlib Axes
    """
    values, kept = np.asarray(model.spectrum_), model.projections_.shape[1]
    if values.size == 0:
        raise ValueError("random directions have no spectrum: all have the same weight")
    ax = _axes(ax)
    places = np.arange(1, values.size + 1)
    ax.bar(places[:kept], values[:kept], color="tab:blue", label="kept")
    if kept < values.size:
        ax.bar(places[kept:], values[kept:], color="lightgrey", label="left out")
        ax.legend()
    kind = _kind(model)
    if kind == "eigenvalue of the metric" and values.max() > 0:
        ax.set_yscale("log")
    _whole_numbers(ax)
    ax.set_xlabel("direction")
    ax.set_ylabel(kind)
    ax.set_title("spectrum")
    return ax


def plot_convergence(model: Any, *, ax: Any = None) -> Any:
    """Draws the certified relative gap after each iteration of the max-margin solver.

    Parameters
    ----------
    model : MaxMarginOutputCoding, OutputCoder of code max-margin, or SolverRecord
    ax : matplotlib Axes, optional
        The axes to draw on. By default the current axes.

    Returns
    -------
    matplotlib Axes
    """
    record: SolverRecord = model if isinstance(model, SolverRecord) else model.solver_
    best = np.minimum.accumulate([round_.objective for round_ in record.rounds])
    bounds = np.array([round_.lower_bound for round_ in record.rounds])
    gaps = (best - bounds) / np.where(best > 0, best, 1.0)
    # Conjugate gradients end at a centre, whose objective need not be the lowest one.
    gaps[-1:] = record.relative_gap
    ax = _axes(ax)
    # A logarithmic axis cannot show a gap of zero, so it is drawn as the machine epsilon.
    ax.semilogy(np.arange(len(gaps)), np.maximum(gaps, np.finfo(float).eps), marker=".")
    _whole_numbers(ax)
    ax.set_xlabel("iteration")
    ax.set_ylabel("certified relative gap")
    ax.set_title(f"{record.algorithm}: gap {record.relative_gap:.1e}")
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'mmoc[plots]'") from error
    return plt.gca()


def _ticks(names: list[str], most: int) -> tuple[range, list[str]]:
    """Positions and labels of at most that many ticks."""
    step = -(-len(names) // most) or 1
    return range(0, len(names), step), names[::step]


def _whole_numbers(ax: Any) -> None:
    ax.xaxis.get_major_locator().set_params(integer=True)


def _kind(model: Any) -> str:
    """The meaning of the values in a spectrum."""
    if hasattr(model, "solver_"):
        return "eigenvalue of the metric"
    code = model.code if hasattr(model, "code") else model.record_["code"]["code"]
    return {"pca": "singular value", "cca": "canonical correlation"}[code]


def _names(model: Any, count: int) -> list[str]:
    names = getattr(model, "label_names_", None)
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    return [str(k) for k in range(count)] if names is None else [str(name) for name in names]
