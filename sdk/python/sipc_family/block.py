"""Blocks of functionals, and chunks of a domain's elements."""

import sys
from array import array
from dataclasses import dataclass, field
from typing import List, Optional, Sequence

NO_LABEL = -1
"""Stands in Block.label for terms of a function of x alone."""

EVALUATION = -1
"""Stands in Block.tangent for terms without a derivative."""

if array("i").itemsize != 4 or array("d").itemsize != 8:
    raise ImportError("sipc_family needs C integers of 4 bytes and doubles of 8")


def packed(kind, numbers):
    """Numbers as little-endian bytes of int32 (kind "i") or float64 ("d"): of a list, an array, a numpy array."""
    if hasattr(numbers, "astype"):  # of numpy
        return memoryview(numbers.astype("<i4" if kind == "i" else "<f8").tobytes())
    if not (isinstance(numbers, array) and numbers.typecode == kind):
        numbers = array(kind, numbers)
    if sys.byteorder == "big":
        numbers = array(kind, numbers)
        numbers.byteswap()
    return memoryview(numbers).cast("B")


def unpacked(kind, raw):
    """The array that packed made bytes of."""
    numbers = array(kind)
    numbers.frombytes(raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


class Matrix:
    """A dense, row-major matrix of float64: element (i, j) is data[i*cols + j]."""

    def __init__(self, rows=0, cols=0, data=None):
        self.rows, self.cols = rows, cols
        self.data = array("d") if data is None else data

    def __len__(self):
        return self.rows

    def row(self, i):
        """Row i as a list of numbers."""
        return list(self.data[i * self.cols:(i + 1) * self.cols])

    def column(self, j):
        """Column j as a list of numbers."""
        return list(self.data[j::self.cols])

    def numpy(self):
        """The matrix as a numpy array of shape (rows, cols) that shares its memory; do not change it."""
        import numpy

        return numpy.frombuffer(self.data, dtype=numpy.float64).reshape(self.rows, self.cols)

    def append(self, row):
        """Add a row, and return its index. The first row sets the number of columns of an empty matrix."""
        row = array("d", row)
        if self.rows == 0:
            self.cols = len(row)
        elif len(row) != self.cols:
            raise ValueError(f"a row of {len(row)} numbers in a matrix of {self.cols} columns")
        self.data.extend(row)
        self.rows += 1
        return self.rows - 1

    @classmethod
    def of(cls, rows):
        """The matrix of an iterable of rows, or of a numpy array of two dimensions."""
        if hasattr(rows, "reshape"):
            return cls(rows.shape[0], rows.shape[1], array("d", packed("d", rows.reshape(-1)).tobytes()))
        out = cls()
        for row in rows:
            out.append(row)
        return out


@dataclass(frozen=True)
class Label:
    """A sparse vector y over the labels: a one-hot class, a set of labels, or what lies between two. Indices ascend."""

    index: Sequence[int]
    value: Sequence[float]


class Block:
    """A list of bounded linear functionals of f.

    Functional i is the sum of the terms k in range(start[i], start[i+1]); term k is coef[k] * f(x, y) where tangent[k] is
    EVALUATION, and coef[k] * Df(x, y)[v], a derivative in x alone, otherwise. x is row point[k] of the data where that is
    not negative, and row -1-point[k] of points otherwise; v is row tangent[k] of tangents; y is labels[label[k]], absent
    where label[k] is NO_LABEL. f is linear in y: a derivative in y is an evaluation at y's.

    Build it term by term, with term and end, or set the attributes: lists, arrays and numpy arrays will do.
    """

    def __init__(self):
        self.start = array("i")
        self.coef = array("d")
        self.point = array("i")
        self.tangent = array("i")
        self.label = array("i")
        self.points = Matrix()
        self.tangents = Matrix()
        self.labels: List[Label] = []

    def __len__(self):
        return max(0, len(self.start) - 1)

    def term(self, coef, point, tangent=EVALUATION, label=NO_LABEL):
        """Add a term to the functional under construction; see end."""
        if len(self.start) == 0:
            self.start.append(0)
        self.coef.append(coef)
        self.point.append(point)
        self.tangent.append(tangent)
        self.label.append(label)

    def end(self):
        """Close the functional under construction. Without a term it is the zero functional."""
        if len(self.start) == 0:
            self.start.append(0)
        self.start.append(len(self.coef))

    def new_point(self, row):
        """Add a point by value, and return the number by which terms name it."""
        return -1 - self.points.append(row)

    def new_tangent(self, row):
        """Add a tangent, and return the number by which terms name it."""
        return self.tangents.append(row)

    def new_label(self, label):
        """Add a label, and return the number by which terms name it."""
        self.labels.append(label)
        return len(self.labels) - 1

    @classmethod
    def of_rows(cls, rows):
        """The functionals f(x, y), one for each of these rows of the data: each has its row's own label, which sipc adds
        where the family does not ask to see labels."""
        out = cls()
        rows = array("i", rows)
        out.start = array("i", range(len(rows) + 1)) if len(rows) else array("i")
        out.coef = array("d", [1.0]) * len(rows)
        out.point = rows
        out.tangent = array("i", [EVALUATION]) * len(rows)
        out.label = array("i", [NO_LABEL]) * len(rows)
        return out


@dataclass
class Chunk:
    """A run of consecutive elements of a domain.

    labels[k][e] is the label that element e binds to the k-th bind of a label. points[k] holds the functionals "f at the
    point that the k-th bind of a point is bound to": one per element, or, where the domain binds a parameter, one per element
    and node, nodes fastest. derivatives[k] holds those of points[k] along the path; it is empty unless they were asked for.
    """

    count: int
    labels: List[Sequence[int]] = field(default_factory=list)
    points: List[Block] = field(default_factory=list)
    derivatives: List[Block] = field(default_factory=list)

    @classmethod
    def of_rows(cls, places, labels: Optional[List[Sequence[int]]] = None):
        """The chunk whose k-th point is bound, in element e, to row places[k][e] of the data."""
        places = [list(rows) for rows in places]
        labels = labels or []
        counts = {len(x) for x in places} | {len(x) for x in labels}
        if len(counts) != 1:
            raise ValueError(f"the places of a chunk hold {sorted(counts)} elements: they must hold as many each")
        return cls(counts.pop(), list(labels), [Block.of_rows(rows) for rows in places])
