"""What a family says of itself, what it is asked, and what it sees. The same shapes as those of the Go package plugins."""

from dataclasses import dataclass, field
from typing import Iterator, List, Optional, Sequence, Tuple

from .block import Block, Chunk, Label, Matrix
from .errors import Cancelled

VERSIONS = (1,)
"""The versions of the contract that this package speaks."""

# The kinds of arguments, columns and labels, by the numbers that the contract gives them.
KINDS = {"number": 0, "angle": 1, "count": 2, "text": 3, "choice": 4, "column": 5, "label": 6, "taxonomy": 7, "file": 8}
COLUMNS = {"none": 0, "arguments": 1, "all": 2}
LABELS = {"none": 0, "names": 1, "rows": 2}
BINDS = {"label": 0, "point": 1, "parameter": 2}


@dataclass(frozen=True)
class Arg:
    """An argument of a domain or a map.

    kind is "number", "angle" (Value.number holds radians), "count" (a whole number, or a multiple of the number of rows, such
    as 4n; Value.number holds the count), "text", "choice" (a bare word, one of choices), "column", "label", "taxonomy" or "file".
    default is written as in a spec; empty, the argument must be given, unless it is optional. Numbers lie between least and most,
    inclusive, where least < most; angles in radians. unit is such as "pixels".
    """

    name: str
    kind: str
    doc: str = ""
    default: str = ""
    optional: bool = False
    choices: Sequence[str] = ()
    least: float = 0.0
    most: float = 0.0
    unit: str = ""


@dataclass(frozen=True)
class Bind:
    """One thing that an element of a domain binds: kind is "label", "point" or "parameter" (of the path through the element's
    first point, over [0, 1]). name is used where the spec gives none."""

    name: str
    kind: str
    doc: str = ""

    @classmethod
    def point(cls, name, doc=""):
        """A bind of a point with its label."""
        return cls(name, "point", doc)

    @classmethod
    def label(cls, name, doc=""):
        """A bind of a label."""
        return cls(name, "label", doc)

    @classmethod
    def parameter(cls, name, doc=""):
        """A bind of a path's parameter."""
        return cls(name, "parameter", doc)


@dataclass(frozen=True)
class Needs:
    """What a domain or a map has to see of the data; sipc shows it nothing else. The default is the number of rows alone.

    columns is "none", "arguments" (those that arguments of kind column name) or "all" (and the size of the image). names are
    columns that are needed by their names, besides. labels is "none", "names" or "rows" (the label of each row, too).
    """

    columns: str = "none"
    names: Sequence[str] = ()
    labels: str = "none"


@dataclass(frozen=True)
class Domain:
    """An index set, such as pairs(count = 4n). binds stand in the order in which a tuple binder names them. straight promises that
    points and labels are affine in the path's parameter, so that what f does between nodes is bounded by proof."""

    name: str
    doc: str = ""
    args: Sequence[Arg] = ()
    binds: Sequence[Bind] = ()
    needs: Needs = Needs()
    straight: bool = False


@dataclass(frozen=True)
class Map:
    """A map of points, such as rotate(10deg). One that needs an image needs all columns. Of a differentiable one d/dt is
    available: Session.map is called with derivative set."""

    name: str
    doc: str = ""
    args: Sequence[Arg] = ()
    needs_image: bool = False
    differentiable: bool = False
    needs: Needs = Needs()


@dataclass(frozen=True)
class Definition:
    """A function that is written in the language: source is such as "def implies(a, b) = pos(f(a) - f(b))"."""

    name: str
    source: str
    doc: str = ""


@dataclass(frozen=True)
class Schema:
    """What a family adds to the language. name is that of `use NAME`; version is the family's own, semantic."""

    name: str
    version: str
    doc: str = ""
    domains: Sequence[Domain] = ()
    maps: Sequence[Map] = ()
    definitions: Sequence[Definition] = ()


@dataclass
class Value:
    """An argument as the spec gives it, checked by sipc against its Arg.

    number is that of numbers, of angles in radians, and of counts. text is that of texts and choices, and the name of a column
    or label or the path of a file; index is the column's, among those that are seen, or the label's. edges are pairs
    (child, parent) of labels, content is a file's.
    """

    name: str
    kind: str
    number: float = 0.0
    text: str = ""
    index: int = 0
    edges: List[Tuple[int, int]] = field(default_factory=list)
    content: bytes = b""


class _Call:
    """What calls of domains and maps share."""

    def __getitem__(self, name):
        """The argument of that name; KeyError where the call does not give it."""
        for value in self.args:
            if value.name == name:
                return value
        raise KeyError(name)

    def get(self, name):
        """The argument of that name, None where the call does not give it."""
        return next((value for value in self.args if value.name == name), None)

    @property
    def cancelled(self):
        """Whether the answer is no longer wanted."""
        return self.active is not None and not self.active()

    def check(self):
        """Raise Cancelled where the answer is no longer wanted. Call it inside long loops, so that Ctrl-C acts at once."""
        if self.cancelled:
            raise Cancelled()


@dataclass
class DomainCall(_Call):
    """Asks for the elements of a domain.

    args are every argument that has a value, defaults filled in. seed is the only source of randomness. nodes are the values in
    [0, 1] of the path's parameter at which functionals are wanted, where the domain binds one: which elements there are must
    not depend on them. derivative asks for the derivative along the path beside the value.
    """

    name: str
    args: List[Value] = field(default_factory=list)
    seed: int = 0
    nodes: Sequence[float] = ()
    derivative: bool = False
    active: Optional[object] = field(default=None, repr=False)


@dataclass
class MapCall(_Call):
    """Asks where a map takes the points of the functionals of at, which are evaluations only; with derivative, for the
    derivative along the map's parameter at the identity."""

    name: str
    args: List[Value] = field(default_factory=list)
    at: Block = field(default_factory=Block)
    derivative: bool = False
    active: Optional[object] = field(default=None, repr=False)


@dataclass
class Data:
    """What a family sees of the data set: columns and labels that it did not ask for are not there.

    rows is n x p, prepared features of the columns that are seen; raw = offset[j] + scale[j] * prepared. height and width are
    those of an image, row-major, 0 where the features are a table. labels has one Label per row where the rows' labels are
    seen, and is empty otherwise; label_names is empty where f is a function of x alone, or where labels are not seen.
    """

    rows: Matrix
    columns: List[str] = field(default_factory=list)
    offset: Sequence[float] = ()
    scale: Sequence[float] = ()
    height: int = 0
    width: int = 0
    label_names: List[str] = field(default_factory=list)
    labels: List[Label] = field(default_factory=list)

    @property
    def n(self):
        """The number of rows, also where no column is seen."""
        return self.rows.rows

    def raw(self, j, prepared):
        """A prepared value of column j as the data file has it."""
        if len(self.scale):
            prepared = prepared * self.scale[j]
        return prepared + self.offset[j] if len(self.offset) else prepared

    def prepared(self, j, raw):
        """What raw undoes."""
        if len(self.offset):
            raw = raw - self.offset[j]
        return raw / self.scale[j] if len(self.scale) else raw

    def point(self, at, k):
        """The coordinates of term k of a block: a row of the data, or a new point that the block brings."""
        i = at.point[k]
        return self.rows.row(i) if i >= 0 else at.points.row(-1 - i)


class Session:
    """A family bound to a data set. Its methods may be called from several threads."""

    def __init__(self, data: Data):
        self.data = data

    def expand(self, call: DomainCall) -> Iterator[Chunk]:
        """Enumerate a domain: yield chunks of a few megabytes as they are ready, in an order that depends on nothing but the
        call and the data."""
        raise NotImplementedError(f"the family has no domain {call.name}")

    def map(self, call: MapCall) -> Block:
        """Answer each functional l of call.at with f -> l(f o t), or, with call.derivative, with the derivative of that. A family
        that does not see all columns and the rows' labels answers term by term: the block has the call's start."""
        raise NotImplementedError(f"the family has no map {call.name}")

    def close(self) -> None:
        """Release what the session holds."""


class Family:
    """Extends the language. Its methods may be called from several threads."""

    def describe(self) -> Schema:
        """What the family adds to the language. It needs no data and always answers the same."""
        raise NotImplementedError("a family describes itself")

    def open(self, data: Data) -> Session:
        """Bind the family to a data set, which stays unchanged while the session is open."""
        raise NotImplementedError("a family is opened with data")


def kind_number(kinds, kind, of):
    """The contract's number of a kind."""
    if kind not in kinds:
        raise ValueError(f"{of} is of unknown kind {kind!r}; it is one of {', '.join(kinds)}")
    return kinds[kind]
