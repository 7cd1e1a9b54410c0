"""A family that tells the tests what it sees, answers large and small, and fails when it is told to."""

import os
import subprocess
import time

from sipc_family import Arg, Bind, Block, Chunk, Definition, Domain, Family, Label, Map, Needs, Schema, Session, UserError, serve

print("printed before serve")


class Mirror(Family):
    def describe(self):
        return Schema(
            "mirror", "1.2.3", "What it sees.",
            domains=[
                Domain("every", "Every row, so many in a chunk.", [Arg("size", "count", "elements of a chunk", default="100", least=1, most=1e9, unit="rows")],
                       [Bind.point("a", "the row")]),
                Domain("steps", "A path from each row to the next.", binds=[Bind.point("x"), Bind.parameter("t")], needs=Needs("all", labels="rows"), straight=True),
                Domain("kin", "Labels side by side.", binds=[Bind.label("a"), Bind.label("b")], needs=Needs(labels="names")),
                Domain("fail", "Fails.", [Arg("how", "choice", choices=["user", "bug", "exit", "sleep", "spin", "children"])], [Bind.point("a")]),
            ],
            maps=[
                Map("turn", "The points with their sign turned.", differentiable=True, needs=Needs("all", labels="rows")),
                Map("given", "Tells its arguments.", [
                    Arg("n", "number", default="1.5"), Arg("by", "angle", default="10deg"), Arg("word", "choice", default="red", choices=["red", "blue"]),
                    Arg("words", "text", optional=True), Arg("c", "column", optional=True), Arg("l", "label", optional=True),
                    Arg("tree", "taxonomy", optional=True), Arg("data", "file", optional=True),
                ], needs=Needs("arguments", ["x1"], "names")),
            ],
            definitions=[Definition("twice", "def twice(a) = 2 * f(a)", "Twice.")],
        )

    def open(self, data):
        if data.columns == ["refused"]:
            raise UserError("the column refused is refused:\n name another")
        return MirrorSession(data)


class MirrorSession(Session):
    def expand(self, call):
        return getattr(self, call.name)(call)

    def every(self, call):
        size = int(call["size"].number)
        for start in range(0, self.data.n, size):
            yield Chunk.of_rows([range(start, min(start + size, self.data.n))])

    def steps(self, call):
        values, slopes = Block(), Block()
        labels = values.labels = slopes.labels = self.data.labels
        rows = self.data.rows
        for i in range(max(0, self.data.n - 1)):
            a, b = rows.row(i), rows.row(i + 1)
            direction = slopes.new_tangent([v - u for u, v in zip(a, b)])
            for t in call.nodes:
                at = [(1 - t) * u + t * v for u, v in zip(a, b)]
                values.term(1.0, values.new_point(at), label=i if labels else -1)
                values.end()
                slopes.term(1.0, slopes.new_point(at), direction, i if labels else -1)
                slopes.end()
        yield Chunk(max(0, self.data.n - 1), points=[values], derivatives=[slopes] if call.derivative else [])

    def kin(self, call):
        m = len(self.data.label_names)
        yield Chunk(max(0, m - 1), labels=[list(range(m - 1)), list(range(1, m))])

    def fail(self, call):
        how = call["how"].text
        yield Chunk.of_rows([[0]])
        if how == "user":
            raise UserError("fail: choose another how")
        if how == "bug":
            return {}["nothing"]
        if how == "exit":
            os._exit(3)
        if how == "sleep":
            time.sleep(1000)
        if how == "children":
            for _ in range(3):
                subprocess.Popen(["sleep", "1000"])
        while how == "spin":
            call.check()

    def map(self, call):
        if call.name == "given":
            return self.given(call)
        out, at = Block(), call.at
        out.labels, out.label = at.labels, at.label
        out.start, out.coef = at.start, at.coef
        for k in range(len(at.point)):
            x = self.data.point(at, k)
            out.point.append(out.new_point(x if call.derivative else [-v for v in x]))
            out.tangent.append(out.new_tangent([-v for v in x]) if call.derivative else -1)
        return out

    def given(self, call):
        raise UserError(" | ".join(
            [f"{v.name} {v.kind} {v.number:.6g} {v.text!r} {v.index} {v.edges[:2]} {len(v.edges)} {len(v.content)}" for v in call.args]
            + [f"{self.data.columns} {self.data.label_names} {len(self.data.labels)} {self.data.n}", repr(Label([0], [1.0]))]
        ))

    def close(self):
        print("closed")


serve(Mirror())
