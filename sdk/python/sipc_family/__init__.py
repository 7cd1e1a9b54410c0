"""Serve a family of invariances to sipc from Python.

A family adds index sets for quantifiers (domains), maps of points, and definitions to the language of specs. Asked with
rows of data, it answers with bounded linear functionals of the unknown function f,

    l(f) = sum of c * f(x, y) + sum of c * Df(x, y)[v]

in blocks. It knows no kernel and no solver, and nothing of it runs inside the solver's loop.

    from sipc_family import Block, Chunk, Domain, Bind, Family, Schema, Session, serve

    class Rows(Family):
        def describe(self):
            return Schema("rows", "1.0.0", "All rows.", domains=[Domain("every", "Every row.", binds=[Bind.point("a")])])

        def open(self, data):
            return RowsSession(data)

    class RowsSession(Session):
        def expand(self, call):
            yield Chunk.of_rows([range(self.data.n)])

    serve(Rows())

It needs grpcio and protobuf; numpy is used where an author hands over its arrays, and not otherwise. `python3 -m sipc_family
bundle` makes one program of a family and this package, which a spec names: use rows from "./sipc-family-rows".
"""

import sys

from . import _stdout  # first: what is printed from here on does not disturb the handshake

try:
    import google.protobuf
    import grpc
except ModuleNotFoundError as missing:
    if missing.name not in ("google", "google.protobuf", "grpc"):
        raise
    says = f"sipc_family needs grpcio for {sys.executable}: pip install grpcio protobuf, or put the python that has it first in PATH"
    if _stdout.started_by_sipc():
        sys.exit(says)  # one line, as sipc shows what it says last
    raise ModuleNotFoundError(says, name=missing.name) from None

from . import faults
from .block import EVALUATION, NO_LABEL, Block, Chunk, Label, Matrix
from .contract import Arg, Bind, Data, Definition, Domain, DomainCall, Family, Map, MapCall, Needs, Schema, Session, Value
from .errors import Cancelled, UserError
from .server import serve

if _stdout.started_by_sipc():
    sys.excepthook = faults.show  # what it says last is what sipc shows

__version__ = "1.0.0"

__all__ = [
    "EVALUATION", "NO_LABEL", "Arg", "Bind", "Block", "Cancelled", "Chunk", "Data", "Definition", "Domain", "DomainCall", "Family",
    "Label", "Map", "MapCall", "Matrix", "Needs", "Schema", "Session", "UserError", "Value", "serve",
]
