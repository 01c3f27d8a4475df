"""The stages of a fit on standard error."""

import re
import threading

import mmoc
import pytest

STAGES = {
    mmoc.BinaryRelevance: ["scaling the features", "fitting the classifiers", "estimating from held-out rows"],
    mmoc.CalibratedLabelRanking: ["fitting the classifiers", "fitting the classifiers of pairs of labels"],
    mmoc.Lead: ["fitting the classifiers", "fitting the classifiers of dependent labels"],
    mmoc.MaxMarginOutputCoding: [
        "scaling the features",
        "choosing radial basis functions",
        "fitting the classifiers",
        "regressing the labels",
        "solving the max-margin problem",
        "finding neighbours",
        "growing a forest",
        "fitting the posterior",
        "estimating from held-out rows",
    ],
}
LINE = re.compile(r"\[(\w+) +(\d+\.\d) s\] (.+)")


@pytest.mark.parametrize("cls", STAGES)
def test_stages_are_written_in_their_order(cls, data, capfd):
    quiet = cls().fit(*data)
    assert capfd.readouterr() == ("", "")
    verbose = cls(verbose=1).fit(*data)
    out, err = capfd.readouterr()
    assert out == ""
    lines = [LINE.fullmatch(line).groups() for line in err.splitlines()]
    assert {name for name, _, _ in lines} == {cls.__name__}
    seconds = [float(found) for _, found, _ in lines]
    assert seconds == sorted(seconds)
    stages = [stage for _, _, stage in lines]
    places = [stages.index(stage) for stage in STAGES[cls]]
    assert places == sorted(places)
    assert verbose._model.to_bytes() == quiet._model.to_bytes()


def test_fits_in_threads_write_whole_lines(data, capfd):
    fits = [
        threading.Thread(target=mmoc.BinaryRelevance(verbose=1, n_jobs=2).fit, args=data),
        threading.Thread(target=mmoc.Lead(verbose=1, n_jobs=2).fit, args=data),
    ]
    for fit in fits:
        fit.start()
    for fit in fits:
        fit.join()
    names = [LINE.fullmatch(line).group(1) for line in capfd.readouterr().err.splitlines()]
    assert set(names) == {"BinaryRelevance", "Lead"}


def test_an_error_in_writing_ends_the_fit(data, monkeypatch):
    class Closed:
        def write(self, text):
            raise OSError("no space left")

    monkeypatch.setattr("sys.stderr", Closed())
    model = mmoc.BinaryRelevance(verbose=1)
    with pytest.raises(OSError, match="no space left"):
        model.fit(*data)
    assert not hasattr(model, "_model")


@pytest.mark.parametrize("verbose", [-1, "much", None, 0.5])
def test_other_values_are_refused(data, verbose):
    with pytest.raises(ValueError, match=f"^verbose must be 0 or 1, not {verbose!r}$"):
        mmoc.BinaryRelevance(verbose=verbose).fit(*data)
