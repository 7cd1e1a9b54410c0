"""Helps to test a family: a smooth random function on which blocks are evaluated as the contract says, and tables to try it on."""

import math
import random
from array import array

from .block import EVALUATION, NO_LABEL, Block, Label, Matrix
from .contract import Data


class Function:
    """A smooth random function f(x, y) = sum_c y_c sum_k a_ck sin(<w_k, x> + b_k). Without a label it is that of y = (1, 0, ...).
    It varies by about one over a distance of one."""

    def __init__(self, features, labels=0, seed=1):
        r = random.Random(seed)
        scale = 1 / math.sqrt(max(1, features))
        self.waves = [[r.gauss(0, scale) for _ in range(features)] for _ in range(5)]
        self.phases = [r.uniform(0, 2 * math.pi) for _ in self.waves]
        self.heads = [[r.gauss(0, 1) for _ in self.waves] for _ in range(max(1, labels))]

    def at(self, x, y=None):
        """f(x, y)."""
        return self._sum(y, [math.sin(_dot(w, x) + b) for w, b in zip(self.waves, self.phases)])

    def along(self, x, v, y=None):
        """Df(x, y)[v], the derivative in x along v."""
        return self._sum(y, [math.cos(_dot(w, x) + b) * _dot(w, v) for w, b in zip(self.waves, self.phases)])

    def _sum(self, y, wave):
        if y is None:
            return _dot(self.heads[0], wave)
        return sum(v * _dot(self.heads[c], wave) for c, v in zip(y.index, y.value))

    def values(self, block, data):
        """The value of every functional of a block at f."""
        out = []
        for i in range(len(block)):
            total = 0.0
            for k in range(block.start[i], block.start[i + 1]):
                y = None if block.label[k] == NO_LABEL else block.labels[block.label[k]]
                x = data.point(block, k)
                if block.tangent[k] == EVALUATION:
                    total += block.coef[k] * self.at(x, y)
                else:
                    total += block.coef[k] * self.along(x, block.tangents.row(block.tangent[k]), y)
            out.append(total)
        return out


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def table(rows, features, labels=0, seed=1):
    """Data of standard normal features x0, x1, ..., and, where labels > 0, one of that many classes each."""
    r = random.Random(seed)
    return Data(
        rows=Matrix(rows, features, _numbers(r, rows * features)),
        columns=[f"x{j}" for j in range(features)],
        label_names=[f"class{c}" for c in range(labels)],
        labels=[Label([r.randrange(labels)], [1.0]) for _ in range(rows)] if labels else [],
    )


def _numbers(r, count):
    return array("d", (r.gauss(0, 1) for _ in range(count)))


def evaluations(data):
    """The block of f(x, y), one functional for each row of data with its label."""
    out = Block.of_rows(range(data.n))
    if data.labels:
        out.labels = list(data.labels)
        out.label = list(range(data.n))
    return out
