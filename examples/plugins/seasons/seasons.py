"""The family seasons: what comes back with a period.

    invariance daily = rms over (now, later) in seasons(hour, period = 24) of |f(now) - f(later)|

says that f hardly changes when a column goes on by one period: by a day where the column counts hours. The points need not be rows: f is
tied to what it will say about times for which there are no data yet, and so a kernel that knows nothing of days goes on as they do.
"""

from sipc_family import Arg, Bind, Block, Chunk, Domain, Family, Needs, Schema, Session, UserError, serve

IN_CHUNK = 4096
"""How many elements are handed over at a time."""

MOST = 10_000_000
"""How many elements there may be."""


class Seasons(Family):
    def describe(self):
        return Schema(
            "seasons", "1.0.0", "What comes back with a period: f hardly changes when a column goes on by one.",
            domains=[Domain(
                "seasons",
                "Each row, moved by so many periods of a column, beside the same moved by one period more; the rows themselves first.",
                args=[
                    Arg("column", "column", "the column that goes on, such as the hour or the day"),
                    Arg("period", "number", "after how much it comes back", least=1e-9, most=1e12, unit="the column's own"),
                    Arg("ahead", "count", "how many periods to look ahead", default="1", least=1, most=100000, unit="periods"),
                ],
                binds=[Bind.point("now", "the row, some periods on"), Bind.point("later", "the same, one period further on")],
                needs=Needs("all", labels="rows"),  # new points need all columns, and the rows' labels where there are some
            )],
        )

    def open(self, data):
        return SeasonsSession(data)


class SeasonsSession(Session):
    def expand(self, call):
        j, ahead = call["column"].index, int(call["ahead"].number)
        step = call["period"].number / (self.data.scale[j] if len(self.data.scale) else 1.0)
        if self.data.n * ahead > MOST:
            raise UserError(f"seasons: {self.data.n} rows looking {ahead} periods ahead are more than {MOST} elements; give a smaller ahead")
        elements = ((row, k) for k in range(ahead) for row in range(self.data.n))
        pending = []
        for element in elements:
            pending.append(element)
            if len(pending) == IN_CHUNK:
                call.check()
                yield self.chunk(pending, j, step)
                pending = []
        if pending:
            yield self.chunk(pending, j, step)

    def chunk(self, elements, j, step):
        """The chunk of some elements (row, k): the row moved by k periods, and by k + 1."""
        now, later = Block(), Block()
        now.labels = later.labels = self.data.labels
        for row, k in elements:
            label = row if self.data.labels else -1
            if k == 0:
                now.term(1.0, row, label=label)
            else:
                now.term(1.0, now.new_point(self.moved(row, j, k * step)), label=label)
            now.end()
            later.term(1.0, later.new_point(self.moved(row, j, (k + 1) * step)), label=label)
            later.end()
        return Chunk(len(elements), points=[now, later])

    def moved(self, row, j, by):
        """A row whose column j is moved, in prepared units."""
        x = self.data.rows.row(row)
        x[j] += by
        return x


if __name__ == "__main__":
    serve(Seasons())
