"""Plots."""

import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import mmoc
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

NAMES = ["red", "green", "blue", "grey"]
CODES = [
    mmoc.CompressedSensingCoding,
    mmoc.PrincipalLabelSpaceCoding,
    mmoc.RedundantPrincipalLabelSpaceCoding,
    mmoc.CanonicalCorrelationCoding,
    mmoc.MaxMarginOutputCoding,
]


@pytest.fixture(autouse=True)
def no_window():
    """Draws to memory, and closes all figures before and after the test."""
    matplotlib.use("Agg")
    plt.close("all")
    yield
    plt.close("all")


@pytest.fixture
def frames(data):
    X, Y = data
    return X, pd.DataFrame(Y, columns=NAMES)


@pytest.fixture
def max_margin(frames):
    return mmoc.MaxMarginOutputCoding().fit(*frames)


def tick_labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def bars(ax, name):
    """The heights of the bars of one colour."""
    (container,) = (container for container in ax.containers if container.get_label() == name)
    return [bar.get_height() for bar in container]


@pytest.mark.parametrize("plot", [mmoc.plot_code, mmoc.plot_spectrum, mmoc.plot_convergence])
def test_pictures_are_drawn_on_given_axes_or_on_the_current_ones(max_margin, plot, tmp_path):
    figure, (left, right) = plt.subplots(1, 2)
    assert plt.gca() is right
    assert plot(max_margin, ax=left) is left
    assert left.has_data()
    assert not right.has_data()
    plt.sca(right)
    assert plot(max_margin) is right
    assert right.has_data()
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


@pytest.mark.parametrize("estimator", CODES)
def test_a_code_is_shown_by_label_and_direction(frames, estimator):
    fitted = estimator().fit(*frames)
    ax = mmoc.plot_code(fitted)
    assert tick_labels(ax.yaxis) == NAMES
    (image,) = ax.images
    shown, directions = image.get_array(), fitted.projections_
    np.testing.assert_allclose(shown * np.abs(directions).max(axis=0), directions)
    assert np.abs(shown).max() == 1.0
    assert (image.norm.vmin, image.norm.vmax) == (-1.0, 1.0)
    if directions.shape[1] <= len(NAMES):
        assert tick_labels(ax.xaxis) == [str(k + 1) for k in range(directions.shape[1])]


def test_a_coder_shows_the_names_of_its_labels_or_numbers(frames):
    X, Y = frames
    assert tick_labels(mmoc.plot_code(mmoc.OutputCoder().fit(Y)).yaxis) == NAMES
    plt.figure()
    numbered = mmoc.OutputCoder("max-margin").fit(Y.to_numpy(), X)
    assert tick_labels(mmoc.plot_code(numbered).yaxis) == ["0", "1", "2", "3"]


def test_of_many_labels_and_directions_some_are_named():
    Y = np.eye(100, dtype=int)
    ax = mmoc.plot_code(mmoc.OutputCoder("random", projections=50).fit(Y))
    labels, directions = tick_labels(ax.yaxis), tick_labels(ax.xaxis)
    assert labels[:3] == ["0", "3", "6"]
    assert len(labels) <= 40
    assert directions[:3] == ["1", "6", "11"]
    assert len(directions) <= 12


def test_a_direction_of_zeros_is_white(frames):
    coder = mmoc.OutputCoder().fit(frames[1])
    coder.projections_[:, 1] = 0.0
    (image,) = mmoc.plot_code(coder).images
    assert (image.get_array()[:, 1] == 0).all()


def test_directions_that_are_left_out_are_told_from_those_kept(frames):
    X, Y = frames
    fitted = mmoc.MaxMarginOutputCoding(projections=1).fit(X, Y)
    ax = mmoc.plot_spectrum(fitted)
    assert bars(ax, "kept") == list(fitted.spectrum_[:1])
    assert bars(ax, "left out") == list(fitted.spectrum_[1:])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["kept", "left out"]


def test_where_nothing_is_left_out_there_is_no_legend(frames):
    fitted = mmoc.PrincipalLabelSpaceCoding().fit(*frames)
    ax = mmoc.plot_spectrum(fitted)
    assert bars(ax, "kept") == list(fitted.spectrum_)
    assert len(ax.containers) == 1
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("code", "estimator", "meaning", "scale"),
    [
        ("pca", mmoc.PrincipalLabelSpaceCoding, "singular value", "linear"),
        ("pca", mmoc.RedundantPrincipalLabelSpaceCoding, "singular value", "linear"),
        ("cca", mmoc.CanonicalCorrelationCoding, "canonical correlation", "linear"),
        ("max-margin", mmoc.MaxMarginOutputCoding, "eigenvalue of the metric", "log"),
    ],
)
def test_a_spectrum_says_what_it_consists_of(frames, code, estimator, meaning, scale):
    X, Y = frames
    for model in (estimator().fit(X, Y), mmoc.OutputCoder(code).fit(Y, X)):
        plt.figure()
        ax = mmoc.plot_spectrum(model)
        assert (ax.get_ylabel(), ax.get_yscale()) == (meaning, scale)


@pytest.mark.parametrize("random", [mmoc.OutputCoder("random"), mmoc.CompressedSensingCoding()])
def test_random_directions_have_no_spectrum(frames, random):
    X, Y = frames
    random.fit(*((Y,) if isinstance(random, mmoc.OutputCoder) else (X, Y)))
    with pytest.raises(ValueError, match="random directions have no spectrum"):
        mmoc.plot_spectrum(random)
    assert plt.get_fignums() == [], "nothing is drawn before it fails"


def test_a_metric_of_zeros_has_a_spectrum_too():
    Y = np.array([[0, 1], [1, 0]] * 5)
    fitted = mmoc.MaxMarginOutputCoding().fit(np.where(Y == 1, 3.0, -3.0), Y)
    assert not fitted.metric_.any()
    assert mmoc.plot_spectrum(fitted).get_yscale() == "linear"


@pytest.mark.parametrize("algorithm", ["newton", "newton-cg", "cutting-plane"])
def test_the_last_gap_is_the_certified_one(frames, algorithm):
    fitted = mmoc.MaxMarginOutputCoding(algorithm=algorithm).fit(*frames)
    ax = mmoc.plot_convergence(fitted)
    (line,) = ax.lines
    iterations, gaps = line.get_data()
    assert gaps[-1] == pytest.approx(fitted.solver_.relative_gap, rel=1e-6)
    assert list(iterations) == list(range(len(fitted.solver_.rounds)))
    assert (np.diff(gaps) <= 0).all()
    assert ax.get_yscale() == "log"
    assert ax.get_title().startswith(f"{algorithm}: gap ")


def test_estimator_coder_and_record_converge_alike(frames):
    X, Y = frames
    fitted = mmoc.MaxMarginOutputCoding(features="linear", regression="labels").fit(X, Y)
    coder = mmoc.OutputCoder("max-margin").fit(Y, X)
    gaps = []
    for model in (fitted, coder, fitted.solver_):
        plt.figure()
        gaps.append(mmoc.plot_convergence(model).lines[0].get_ydata().tolist())
    assert gaps[0] == gaps[1] == gaps[2]


def test_axes_have_ticks_at_whole_numbers_only(max_margin):
    for plot in (mmoc.plot_spectrum, mmoc.plot_convergence):
        plt.figure(figsize=(12, 3))
        ax = plot(max_margin)
        ax.figure.canvas.draw()
        assert all(float(place).is_integer() for place in ax.get_xticks())


def test_what_is_not_fitted_or_has_no_code_is_not_drawn(frames):
    with pytest.raises(NotFittedError):
        mmoc.plot_code(mmoc.MaxMarginOutputCoding())
    with pytest.raises(AttributeError, match="projections_"):
        mmoc.plot_code(mmoc.BinaryRelevance().fit(*frames))
    with pytest.raises(AttributeError, match="solver_"):
        mmoc.plot_convergence(mmoc.CanonicalCorrelationCoding().fit(*frames))
    assert plt.get_fignums() == []


WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None
import numpy as np, mmoc
coder = mmoc.OutputCoder().fit(np.eye(3, dtype=int))
try:
    mmoc.plot_code(coder)
except ImportError as error:
    print(error)
"""


def test_without_matplotlib_all_but_pictures_works():
    run = subprocess.run([sys.executable, "-c", WITHOUT_MATPLOTLIB], capture_output=True, text=True, check=True)
    assert run.stdout == "plots need matplotlib: pip install 'mmoc[plots]'\n"
