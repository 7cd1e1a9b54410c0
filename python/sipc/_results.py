"""What fits and proofs report, as Python and Jupyter show it."""

import html

import numpy as np


class Report(dict):
    """The report of a fit: the JSON object of ``sipc run --json``. Its text is the table that ``sipc run`` prints."""

    def __init__(self, values, text):
        super().__init__(values)
        self.text = text

    def __repr__(self):
        return self.text

    def __reduce__(self):
        return Report, (dict(self), self.text)

    def _repr_html_(self):
        return "<pre>%s</pre>" % html.escape(self.text)


class Verdict(dict):
    """The verdict of a statement. ``answer`` is proved, refuted or open; ``margin`` is a lower bound of the difference of both sides."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __bool__(self):
        return self["answer"] == "proved"


class Proof(list):
    """Verdicts, one for each statement. It is true if all are proved."""

    def __init__(self, verdicts, text):
        super().__init__(verdicts)
        self.text = text

    def __bool__(self):
        return all(self)

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        colours = {"proved": "#2a7f3f", "refuted": "#b3261e"}
        rows = "".join(
            "<tr><td style='text-align:left'>%s</td><td style='color:%s'>%s</td><td>%s</td></tr>"
            % (html.escape(v["text"]), colours.get(v["answer"], "inherit"), v["answer"], "" if v.get("margin") is None else "%.3g" % v["margin"])
            for v in self
        )
        return "<table><tr><th>statement</th><th>verdict</th><th>by at least</th></tr>%s</table>" % rows


class Curve:
    """Functions of one column.

    Attributes
    ----------
    column : str
    at : array of shape (k,)
        Numbers in units of the data; none of a column of texts.
    levels : list of l str
        Categories, or gaps.
    values : dict of str to array of shape (k + l,)
        Of each function its values at the numbers, then at the levels. A function called free is the same without what is required.
    partial : bool
        Whether this is a mean of f over rows; else f is the sum of such curves, of surfaces and of a constant.
    of : str
        What the curve is the effect on.
    """

    def __init__(self, told, at, values):
        self.column, self.of, self.partial = told["column"], told["of"], told["partial"]
        self.at, self.levels = np.array(at), list(told["levels"] or ())
        self.values = {name: np.array(row) for name, row in zip(told["functions"], values)}

    def __repr__(self):
        what = "%d points" % len(self.at) if len(self.at) else "%d levels" % len(self.levels)
        return "<Curve of %s: %s of %s>" % (self.column, what, ", ".join(self.values))


def curves_of(answer):
    """Return the curves of an answer."""
    arrays = [array for _, array in answer.each]
    return [Curve(told, arrays[2 * k], arrays[2 * k + 1]) for k, told in enumerate(answer.result["curves"])]


def plot(curves, axes=None):
    """Draw curves with matplotlib, and return the array of axes."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot draws with matplotlib, which is not installed; curves() returns the same numbers") from None
    if axes is None:
        across = min(3, len(curves))
        down = -(-len(curves) // across)
        _, axes = pyplot.subplots(down, across, figsize=(4.2 * across, 3.2 * down), squeeze=False, constrained_layout=True)
    flat = np.asarray(axes, dtype=object).ravel()
    if len(flat) < len(curves):
        raise ValueError("%d curves need as many axes, and there are %d" % (len(curves), len(flat)))
    for ax, curve in zip(flat, curves):
        for name, values in curve.values.items():
            style = "--" if name.endswith(("free", "plain")) else "-"
            if len(curve.at):
                ax.plot(curve.at, values[: len(curve.at)], style, label=name)
            else:
                ax.plot(range(len(curve.levels)), values, "o" + style, label=name)
        if not len(curve.at):
            ax.set_xticks(range(len(curve.levels)))
            ax.set_xticklabels(curve.levels)
        ax.set_xlabel(curve.column)
        ax.set_ylabel(curve.of)
        if len(curve.values) > 1:
            ax.legend()
    for ax in flat[len(curves) :]:
        ax.set_visible(False)
    return axes
