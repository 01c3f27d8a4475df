"""Pictures of codes and of how they were found, on matplotlib axes."""

from typing import Any

import numpy as np

from ._records import SolverRecord


def plot_code(model: Any, *, ax: Any = None) -> Any:
    """The directions of a code as a table of colours: a row for each label, a column for each direction.

    Each direction is shown relative to its largest entry, so that all of them can be seen.

    Parameters
    ----------
    model : fitted estimator with a code, or OutputCoder
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.

    Returns
    -------
    matplotlib Axes
    """
    ax = _axes(ax)
    directions = model.projections_
    largest = np.abs(directions).max(axis=0, initial=0.0)
    shown = directions / np.where(largest > 0, largest, 1.0)
    image = ax.imshow(shown, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    ax.set_xticks(range(directions.shape[1]), [str(k + 1) for k in range(directions.shape[1])])
    ax.set_yticks(range(directions.shape[0]), _names(model, directions.shape[0]))
    ax.set_xlabel("direction")
    ax.set_title("code")
    ax.figure.colorbar(image, ax=ax, label="entry, relative to the largest")
    return ax


def plot_spectrum(model: Any, *, ax: Any = None) -> Any:
    """How much each direction of a code counts: singular values, canonical correlations or eigenvalues of the metric.

    Of a max-margin code the eigenvalues that were kept are told from those that are numerical noise.

    Parameters
    ----------
    model : fitted estimator with a code, or OutputCoder
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.

    Returns
    -------
    matplotlib Axes
    """
    ax = _axes(ax)
    values = np.asarray(model.spectrum_)
    if values.size == 0:
        raise ValueError("random directions have no spectrum: all of them count the same")
    kept = model.projections_.shape[1]
    places = np.arange(1, values.size + 1)
    ax.bar(places[:kept], values[:kept], color="tab:blue", label="kept")
    if kept < values.size:
        ax.bar(places[kept:], values[kept:], color="lightgrey", label="left out")
        ax.legend()
    if hasattr(model, "solver_"):
        ax.set_yscale("log")
        ax.set_ylabel("eigenvalue of the metric")
    else:
        ax.set_ylabel("singular value or canonical correlation")
    ax.set_xlabel("direction")
    ax.set_title("spectrum")
    return ax


def plot_convergence(model: Any, *, ax: Any = None) -> Any:
    """The certified relative gap after each iteration of the max-margin solver.

    Parameters
    ----------
    model : MaxMarginOutputCoding, OutputCoder of code max-margin, or SolverRecord
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.

    Returns
    -------
    matplotlib Axes
    """
    ax = _axes(ax)
    record: SolverRecord = model if isinstance(model, SolverRecord) else model.solver_
    best = np.minimum.accumulate([round_.objective for round_ in record.rounds])
    bounds = np.array([round_.lower_bound for round_ in record.rounds])
    gaps = (best - bounds) / np.where(best > 0, best, 1.0)
    ax.semilogy(np.arange(len(gaps)), np.maximum(gaps, np.finfo(float).tiny), marker=".")
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


def _names(model: Any, count: int) -> list[str]:
    names = getattr(model, "label_names_", None)
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    return [str(k) for k in range(count)] if names is None else [str(name) for name in names]
