"""Measure what a call from Python adds to the program's own time: encoding, the pipe, decoding.

    SIPC_BINARY=./sipc PYTHONPATH=python python3 python/bench_calls.py

Each line has the median of some calls in milliseconds: the whole call, the work that the program reports, and the difference. The command fails
where a call of up to 1000 rows adds more than --most milliseconds.
"""

import argparse
import sys
import time

import numpy as np

import sipc
from sipc import _child


def medians(call, repeats):
    """Return the median milliseconds of a call, and of the work of the program in it."""
    whole, work = [], []
    ask = _child.Child.ask

    def timed(self, *args, **kwargs):
        answer = ask(self, *args, **kwargs)
        work.append(1000 * answer.seconds)
        return answer

    _child.Child.ask = timed
    try:
        for _ in range(repeats):
            began = time.perf_counter()
            call()
            whole.append(1000 * (time.perf_counter() - began))
    finally:
        _child.Child.ask = ask
    return float(np.median(whole)), float(np.median(work)), float(np.median(np.subtract(whole, work)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=30, help="calls of each kind (default 30)")
    parser.add_argument("--most", type=float, default=5.0, help="milliseconds that a call of up to 1000 rows may add (default 5)")
    o = parser.parse_args()
    rng = np.random.default_rng(0)
    failed = False
    print("%-22s %9s %9s %9s" % ("call", "whole", "program", "added"))
    for rows in (1, 100, 1000, 100000):
        X = rng.normal(size=(rows, 10))
        small = rng.normal(size=(100, 10))
        model = sipc.SipcClassifier(sipc.spec(landmarks=50)).fit(small, small[:, 0] > 0)
        calls = [("predict %d rows" % rows, lambda: model.predict_proba(X))]
        if rows == 100:
            calls.append(("fit 100 rows", lambda: sipc.SipcClassifier(sipc.spec(landmarks=50)).fit(X, X[:, 0] > 0)))
        for name, call in calls:
            call()
            whole, work, added = medians(call, o.repeats)
            print("%-22s %9.2f %9.2f %9.2f" % (name, whole, work, added))
            failed = failed or (rows <= 1000 and added > o.most)
    return 1 if failed else 0


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", sipc.SipcWarning)
    sys.exit(main())
