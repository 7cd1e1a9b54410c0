"""A family that does what SIPC_TEST_WRONG says, which it should not."""

import json
import os

wrong = os.environ["SIPC_TEST_WRONG"]
if wrong == "module":
    import no_such_module

import wrong_helper
from sipc_family import Bind, Block, Chunk, Domain, Family, Map, Needs, Schema, Session, serve

if wrong == "top":
    json.loads("not at all")


class Wrong(Family):
    def describe(self):
        if wrong == "schema":
            return None
        if wrong == "domains":
            return Schema("wrong", "1.0.0", domains=Domain("all"))
        return Schema("wrong", "1.0.0", "It answers wrong.", [Domain("all", "All rows.", binds=[Bind.point("a")])], [Map("same", "The same points.", needs=Needs("all"))])

    def open(self, data):
        return None if wrong == "no session" else Answers(data)


class Answers(Session):
    def expand(self, call):
        return None if wrong == "return" else self.yielded()

    def yielded(self):
        yield 7 if wrong == "yield" else Chunk.of_rows([[0]])
        if wrong == "two lines":
            raise ValueError("the first line\nthe second line")
        if wrong == "elsewhere":
            json.loads("not at all")
        if wrong == "helper":
            wrong_helper.helps({})
        if wrong == "part":
            yield Chunk(1, points=Block())
        if wrong == "late module":
            import no_such_module
        if wrong == "coef":
            block = Block()
            block.coef = ["a"]
            yield Chunk(1, points=[block])

    def map(self, call):
        if wrong == "map":
            return None
        return call.at


if wrong != "serve":
    serve(Wrong())
