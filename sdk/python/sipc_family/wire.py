"""Translates between the contract and its messages: large arrays go in parts."""

from . import messages
from .block import Block, Label, Matrix, packed, unpacked
from .contract import (
    BINDS, COLUMNS, KINDS, LABELS, Arg, Bind, Data, Definition, Domain, DomainCall, Map, MapCall, Needs, Value, kind_number,
)
from .faults import WrongAnswer, described, expect

PART_SIZE = 1 << 20
"""Bounds the bytes of arrays in one message."""

MAX_MESSAGE = 64 << 20
"""The largest message that either side takes."""

_KIND_NAMES = {number: name for name, number in KINDS.items()}


def schema_message(schema):
    """The schema as a message."""
    out = messages.Schema(name=schema.name, version=schema.version, doc=schema.doc)
    for d in _each(schema.domains, Domain, "domains of the Schema"):
        domain = out.domains.add(name=d.name, doc=d.doc, straight=d.straight)
        _add_args(domain, d)
        _set_needs(domain, d)
        for b in _each(d.binds, Bind, f"binds of {d.name}"):
            domain.binds.add(name=b.name, kind=kind_number(BINDS, b.kind, f"{d.name}'s {b.name}"), doc=b.doc)
    for m in _each(schema.maps, Map, "maps of the Schema"):
        of_points = out.maps.add(name=m.name, doc=m.doc, needs_image=m.needs_image, differentiable=m.differentiable)
        _add_args(of_points, m)
        _set_needs(of_points, m)
    for d in _each(schema.definitions, Definition, "definitions of the Schema"):
        out.definitions.add(name=d.name, doc=d.doc, source=d.source)
    return out


def _each(of, kind, name):
    """The elements of a list, which must be of that kind."""
    if isinstance(of, str) or not hasattr(type(of), "__iter__"):
        raise WrongAnswer(f"{name} must be a list of {kind.__name__}s, not {described(of)}")
    for element in of:
        yield expect(element, kind, f"{name} must be {kind.__name__}s")


def _add_args(message, of):
    for a in _each(of.args, Arg, f"args of {of.name}"):
        message.args.add(
            name=a.name, kind=kind_number(KINDS, a.kind, f"{of.name}'s {a.name}"), doc=a.doc, default=a.default,
            optional=a.optional, choices=a.choices, min=a.least, max=a.most, unit=a.unit,
        )


def _set_needs(message, of):
    expect(of.needs, Needs, f"needs of {of.name} must be a Needs")
    message.needs.columns = kind_number(COLUMNS, of.needs.columns, f"what {of.name} needs of columns")
    message.needs.labels = kind_number(LABELS, of.needs.labels, f"what {of.name} needs of labels")
    message.needs.names.extend(of.needs.names)


class _Pieces:
    """Puts arrays together from their pieces."""

    def __init__(self):
        self.pieces = {}

    def add(self, message, *fields):
        """Take the pieces of a part."""
        for f in fields:
            if raw := getattr(message, f):
                self.pieces.setdefault(f, []).append(raw)

    def array(self, kind, f):
        """The array of a field; it is asked for once."""
        return unpacked(kind, b"".join(self.pieces.pop(f, ())))

    def labels(self):
        """The labels that were laid out as sizes, indices and values."""
        sizes = self.array("i", "label_sizes")
        indices, values = self.array("i", "label_indices"), self.array("d", "label_values")
        out, at = [], 0
        for size in sizes:
            out.append(Label(indices[at:at + size], values[at:at + size]))
            at += size
        if at != len(indices) or at != len(values):
            raise ValueError(f"labels have {at} entries, but {len(indices)} indices and {len(values)} values came")
        return out


def receive_data(parts):
    """The data set that comes in parts."""
    head, pieces = None, _Pieces()
    for part in parts:
        if part.HasField("head"):
            head = part.head
        pieces.add(part, "rows", "label_sizes", "label_indices", "label_values")
    rows = pieces.array("d", "rows")
    if head is None or head.rows * head.columns != len(rows):
        raise ValueError("the data come without their head, or with other numbers than it says")
    return Data(
        rows=Matrix(head.rows, head.columns, rows), columns=list(head.column_names),
        offset=unpacked("d", head.offset), scale=unpacked("d", head.scale),
        height=head.height, width=head.width, label_names=list(head.label_names), labels=pieces.labels(),
    )


def receive_call(parts):
    """The head of a call, its arguments, and the pieces of its block."""
    head, args, at = None, {}, _Pieces()
    for part in parts:
        if part.HasField("head"):
            head = part.head
        if part.HasField("arg"):
            args.setdefault(part.arg.arg, _Pieces()).add(part.arg, "edges", "content")
        if part.HasField("at"):
            at.add(part.at, *_FIELDS)
    if head is None:
        raise ValueError("a call comes without its head")
    return head, [_value(v, args.get(i, _Pieces())) for i, v in enumerate(head.args)], at


def _value(v, more):
    edges = unpacked("i", v.edges + b"".join(more.pieces.get("edges", ())))
    return Value(
        name=v.name, kind=_KIND_NAMES.get(v.kind, str(v.kind)), number=v.number, text=v.text, index=v.index,
        edges=list(zip(edges[0::2], edges[1::2])), content=v.content + b"".join(more.pieces.get("content", ())),
    )


def domain_call(head, args, active):
    """A call of Expand."""
    return DomainCall(head.name, args, head.seed, unpacked("d", head.nodes), head.derivative, active)


def map_call(head, args, at, features, active):
    """A call of Map, for data of that many features."""
    b = Block()
    b.start, b.coef = at.array("i", "starts"), at.array("d", "coefs")
    b.point, b.tangent, b.label = (at.array("i", f) for f in ("point_numbers", "tangent_numbers", "label_numbers"))
    points = at.array("d", "points")
    b.points = Matrix(len(points) // features if features else 0, features, points)
    b.labels = at.labels()
    return MapCall(head.name, args, b, head.derivative, active)


_FIELDS = (
    "starts", "coefs", "point_numbers", "tangent_numbers", "label_numbers", "points", "tangents", "label_sizes", "label_indices",
    "label_values",
)


def block_parts(block, make):
    """The parts of a block; make wraps one in its message, and says whether it is the block's last."""
    part, used = messages.BlockPart(), 0
    for name, raw in zip(_FIELDS, _arrays(block)):
        at = 0
        while at < len(raw):
            if PART_SIZE - used < 8:
                yield make(part)
                part, used = messages.BlockPart(), 0
            piece = raw[at:at + (PART_SIZE - used) // 8 * 8]
            setattr(part, name, bytes(piece))
            used += len(piece)
            at += len(piece)
    part.last = True
    yield make(part)


def _arrays(b):
    """The arrays of a block as bytes, in the order of _FIELDS."""
    indices = [i for y in b.labels for i in y.index]
    values = [v for y in b.labels for v in y.value]
    return (
        packed("i", b.start), packed("d", b.coef), packed("i", b.point), packed("i", b.tangent), packed("i", b.label),
        packed("d", b.points.data), packed("d", b.tangents.data),
        packed("i", [len(y.index) for y in b.labels]), packed("i", indices), packed("d", values),
    )


def chunk_parts(chunk):
    """The parts of a chunk: each is held back until it is known whether it is the last."""
    waiting = None
    for part in _chunk_parts(chunk):
        if waiting is not None:
            yield waiting
        waiting = part
    waiting.last = True
    yield waiting


def _chunk_parts(chunk):
    points, derivatives = (list(_each(of, Block, f"{name} of a Chunk"))
                           for name, of in (("points", chunk.points), ("derivatives", chunk.derivatives)))
    head = messages.ChunkPart()
    head.head.count = chunk.count
    head.head.labels, head.head.points, head.head.derivatives = len(chunk.labels), len(points), len(derivatives)
    yield head
    for place, labels in enumerate(chunk.labels):
        raw = packed("i", labels)
        for at in range(0, len(raw), PART_SIZE):
            part = messages.ChunkPart()
            part.labels.place, part.labels.labels = place, bytes(raw[at:at + PART_SIZE])
            yield part
    for kind, blocks in (("points", points), ("derivatives", derivatives)):
        for place, block in enumerate(blocks):
            yield from block_parts(block, _placed(kind, place))


def _placed(kind, place):
    def make(block):
        part = messages.ChunkPart()
        target = getattr(part, kind)
        target.place = place
        target.block.CopyFrom(block)
        return part

    return make
