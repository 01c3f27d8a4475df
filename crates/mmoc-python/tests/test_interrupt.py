"""Ctrl-C stops a long fit, and no thread continues."""

import subprocess
import sys

import pytest

FIT = """
import _thread, os, resource, signal, sys, threading, time
import numpy as np, mmoc

def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 300))
Y = (X[:, :150] @ rng.normal(size=(150, 150)) + rng.normal(size=(4000, 150)) > 4).astype(int)
sent = []
# Background jobs of a shell ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)

def press():
    time.sleep(float(sys.argv[2]))
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

model = getattr(mmoc, sys.argv[1])()
threading.Thread(target=press, daemon=True).start()
try:
    model.fit(X, Y)
except KeyboardInterrupt:
    delay = time.monotonic() - sent[0]
    before = processor_seconds()
    time.sleep(0.5)
    print(delay, processor_seconds() - before, hasattr(model, "_model"))
"""


@pytest.mark.parametrize("name", ["MaxMarginOutputCoding", "CalibratedLabelRanking", "Lead"])
@pytest.mark.parametrize("after", ["0.5", "2"])
def test_an_interrupt_ends_a_fit_that_would_take_minutes(name, after):
    run = subprocess.run(
        [sys.executable, "-c", FIT, name, after], capture_output=True, text=True, check=True, timeout=100
    )
    delay, used_after, fitted = run.stdout.split()
    print(f"{name}: stopped {float(delay):.3f} s after the signal")
    # On an idle machine it takes about a second.
    assert float(delay) < 10
    assert float(used_after) < 0.4, "the work continues after the interrupt"
    assert fitted == "False"
