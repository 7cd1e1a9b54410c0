"""Support vector machines on moved copies, for sipc-lab bench copies: python3 copies.py [--share] train clean moved job.json

The first three are the beginnings of names of IDX files. The job has the seed, the number of folds, grids of C and of the kernel's width, as shares
of the median distance, and the copies of each row: the corners of the orbit's axes, or random moves. A machine's setting is that of the most
accurate folds, in which all copies of a row are held out with it. Of ties the first is taken. Each line of output is a machine. Seconds are
processor time, without those that made the copies. Above 3,000 rows and copies the machine gets its Gram matrix, computed once for each width.
With --share it always does, and its name says so. Of one setting nothing is chosen, and no matrix is shared. Needs Debian's python3-sklearn."""

import gzip
import json
import os
import resource
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy reads it

import numpy as np
from scipy import ndimage
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC

LARGE = 3000  # rows and copies, above which Gram matrices are shared
ANGLE, SCALE, SHIFT = np.deg2rad(15), 0.1, 2.0  # of the orbit, both ways


def read(prefix):
    images = gzip.open(prefix + "-images-idx3-ubyte.gz").read()
    labels = gzip.open(prefix + "-labels-idx1-ubyte.gz").read()
    y = np.frombuffer(labels, np.uint8, offset=8)
    return np.frombuffer(images, np.uint8, offset=16).reshape(len(y), 28, 28).astype(float), y


def move(image, angle, scale, dx, dy):
    """The image turned, then scaled, then shifted about its middle, interpolated once."""
    middle = np.array([13.5, 13.5])
    cos, sin = np.cos(angle), np.sin(angle)
    back = np.array([[cos, sin], [-sin, cos]]) / (1 + scale)
    return ndimage.affine_transform(image, back, middle - back @ (middle + (dy, dx)), order=1)


def axes(_):
    return [(s * ANGLE, 0, 0, 0) for s in (1, -1)] + [(0, s * SCALE, 0, 0) for s in (1, -1)] + \
        [(0, 0, s * SHIFT, 0) for s in (1, -1)] + [(0, 0, 0, s * SHIFT) for s in (1, -1)]


def drawn(many):
    return lambda rng: rng.uniform(-1, 1, (many, 4)) * (ANGLE, SCALE, SHIFT, SHIFT)


MACHINES = {"no copies": (lambda _: [], False), "8 copies": (axes, False), "24 random copies": (drawn(24), False), "64 random copies": (drawn(64), False),
            "24 random copies averaged": (drawn(24), True)}


def spent():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def main():
    share = sys.argv[1] == "--share"
    *sets, job = sys.argv[1 + share:]
    job = json.load(open(job))
    (x, y), clean, moved = map(read, sets)
    n = len(x)
    settings = [(c, width) for width in job["widths"] for c in job["strengths"]]
    known = {}
    for name in job["machines"]:
        moves, mean = MACHINES[name]
        rng = np.random.default_rng([job["seed"], len(moves(np.random.default_rng(0)))])
        all_rows = np.stack([x] + [np.stack(c) for c in zip(*[[move(r, *m) for m in moves(rng)] for r in x])])
        copies = all_rows.reshape(len(all_rows), n, -1) / 255
        folds = np.array_split(rng.permutation(n), job["folds"])
        some = copies[0][:2000]
        median = np.median(euclidean_distances(some)[np.triu_indices(len(some), 1)])

        flat, of = copies.reshape(len(copies) * n, -1), np.tile(np.arange(n), len(copies))
        shared = {}

        def gram(width):
            if (share or len(flat) > LARGE) and len(settings) > 1 and width not in shared:
                shared.clear()
                g = euclidean_distances(flat, squared=True)
                g *= -1 / (2 * (width * median) ** 2)
                shared[width] = np.exp(g, out=g)
            return shared.get(width)

        def fit(rows, c, width):
            at, g = np.flatnonzero(np.isin(of, rows)), gram(width)
            machine = SVC(C=c, gamma=1 / (2 * (width * median) ** 2), kernel="rbf" if g is None else "precomputed", cache_size=2000)
            return machine.fit(flat[at] if g is None else g[np.ix_(at, at)], y[of[at]])

        def held_out(machine, rows, held, width):
            g = gram(width)
            return machine.predict(flat[held] if g is None else g[np.ix_(held, np.flatnonzero(np.isin(of, rows)))])

        def right(machine, width, images, truth, rng):
            def against(images):
                x = images.reshape(len(images), -1) / 255
                return x if machine.kernel == "rbf" else np.exp(euclidean_distances(x, flat, squared=True) / (-2 * (width * median) ** 2))
            if not mean:
                return np.mean(machine.predict(against(images)) == truth)
            sums = machine.decision_function(against(images))
            for _ in range(24):
                turned = np.stack([move(r, *m) for r, m in zip(images, drawn(len(images))(rng))])
                sums = sums + machine.decision_function(against(turned))
            decided = (sums > 0).astype(int) if sums.ndim == 1 else sums.argmax(1)
            return np.mean(machine.classes_[decided] == truth)

        began = spent()
        if len(copies) not in known:  # the mean takes the machine as it is
            best = (-1, *settings[0])
            for c, width in settings if len(settings) > 1 else []:
                score = 0
                for held in folds:
                    rows = np.setdiff1d(np.arange(n), held)
                    score += np.sum(held_out(fit(rows, c, width), rows, held, width) == y[held])
                if score > best[0]:
                    best = (score, c, width)
            chosen = spent()
            machine = fit(np.arange(n), *best[1:])
            known[len(copies)] = (machine, best, chosen - began, spent() - chosen)
        machine, best, choose, last = known[len(copies)]
        test = np.random.default_rng([job["seed"], 1])
        print(json.dumps({
            "fit": name + share * ", shared", "clean": right(machine, best[2], *clean, test), "moved": right(machine, best[2], *moved, test),
            "seconds": choose + last, "last": last, "setting": f"width = {best[2]} * median, C = {best[1]}"}), flush=True)


main()
