"""Specs: common ones from Python, and the proof of any."""

import html
import os
import re

from ._child import child

# The words of the language, which are no names. A test holds them to the program's.
WORDS = frozenset(
    "use include data let kernel features learn method decode seed regularize def invariance measure require expect evaluate augment "
    "target columns types ignore id split missing standardize scale normalize unlabelled gaps weight outside "
    "over of in where and or not from under by max sum mean rms norm top min n deg".split()
)


class Spec(str):
    """The text of a spec: a str that Jupyter shows as code."""

    def check(self, target="y", aim="numbers"):
        """Prove the spec; see :func:`check`."""
        return check(self, target, aim)

    def _repr_html_(self):
        return "<pre>%s</pre>" % html.escape(self)


def quote(name):
    """Return a name of a column or label as a spec writes it."""
    name = str(name)
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name not in WORDS:
        return name
    return '"%s"' % name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")


def is_move(text):
    """Report whether a text is a transformation, as ``swap(a, b)``, and not the name of a column, as ``alcohol (%)``."""
    return re.fullmatch(r"[a-z_]+\(.*\)", text, re.DOTALL) is not None


def spec(
    *,
    monotone=None,
    convex=None,
    invariant=None,
    implies=None,
    excludes=None,
    proved=False,
    weight=1.0,
    label=None,
    kernel=None,
    landmarks="all",
    learn=None,
    standardize=True,
    missing=None,
    columns=None,
    extra=None,
):
    """Return the text of a common spec. What it cannot say, add by ``extra``, or write a spec yourself.

    The text leaves the target open: ``fit`` completes it by y, and ``spec_`` of the fitted model is the whole text.

    Parameters
    ----------
    monotone : dict of str to +1 or -1
        Columns along which f rises (+1) or falls (-1). Of a target of two classes, f is the score of the second.
    convex : dict of str to +1 or -1
        Columns along which f bends upwards (+1) or downwards (-1).
    invariant : sequence of str
        What f must not depend on: a column of numbers (``"distance"``), or a transformation of the language (``"rotate(10deg)"``,
        ``"swap(left, right)"``). A column of texts has no slope: leave it out of ``columns``.
    implies, excludes : sequence of (str, str)
        Labels of which the first implies the second, or that exclude each other. For a target of labels.
    proved : bool
        Whether ``monotone`` and ``convex`` must hold everywhere in the box of the training rows, with a proof. Otherwise breaking them at
        training rows is made costly, by ``weight``. What is required takes a kernel of curves, unless ``kernel`` says otherwise.
    weight : float
        The weight of each invariance.
    label : str or None
        The class or label whose score is meant by f, where the target has several.
    kernel : str or None
        As the language writes it. None stands for ``gaussian``, and for ``pairwise(gaussian)`` where statements are proved or columns bend.
    landmarks : str or int
        Of the features ``nystrom``; "all" loses nothing where rows are few.
    learn : str or None
        The learner as the language writes it, such as ``"svm(C = 1)"``. None stands for ``logistic(C = 10)`` of classes and labels, and
        ``ridge(lambda = 0.1)`` of numbers, which ``fit`` decides.
    standardize : bool
        Whether numeric columns get mean 0 and variance 1.
    missing : {"mean", "mask", "drop"} or None
        What gaps get; None makes them an error.
    columns : sequence of str or None
        The features; None takes all columns.
    extra : str or None
        Further statements, a line each.

    Returns
    -------
    Spec
        A str.

    Examples
    --------
    >>> print(sipc.spec(monotone={"income": +1, "debt": -1}, proved=True))
    data { standardize }
    kernel   pairwise(gaussian)
    features nystrom(landmarks = all)
    require  income_rises = d/d(income) f >= 0 over x in box
    require  debt_falls = d/d(debt) f <= 0 over x in box
    """
    known = set()
    lines, summands = [], []

    def name(text):
        base = re.sub(r"\W", "_", str(text), flags=re.ASCII).strip("_") or "statement"
        if base[0].isdigit() or base in WORDS:
            base = "s_" + base
        own, k = base, 2
        while own in known:
            own, k = "%s_%d" % (base, k), k + 1
        known.add(own)
        return own

    def summand(title, body):
        own = name(title)
        lines.append("invariance %s = %s" % (own, body))
        summands.append(own if weight == 1 else "%r * %s" % (float(weight), own))

    at = "f" if label is None else "f(x, %s)" % quote(label)
    for column, sign in (monotone or {}).items():
        shape(proved, summand, lines, name, column, sign, "d/d(%s) %s" % (quote(column), at), ("rises", "falls"))
    for column, sign in (convex or {}).items():
        slope = "d/d(%s)" % quote(column)
        shape(proved, summand, lines, name, column, sign, "%s %s %s" % (slope, slope, at), ("bends_up", "bends_down"))
    moves = [text for text in invariant or () if is_move(text)]
    for column in (text for text in invariant or () if not is_move(text)):
        summand("free_of_%s" % column, "rms over x of |d/d(%s) %s|" % (quote(column), at))
    if moves:
        moved = "f(t(x))" if label is None else "f(t(x), %s)" % quote(label)
        summand("steady", "rms over x of max over t in {%s} of |%s - %s|" % (", ".join(moves), moved, "f(x)" if label is None else at))
    parts = ["implies(%s, %s)" % (quote(a), quote(b)) for a, b in implies or ()] + ["excludes(%s, %s)" % (quote(a), quote(b)) for a, b in excludes or ()]
    if parts:
        summand("logic", "rms over x of %s" % (parts[0] if len(parts) == 1 else "max {%s}" % ", ".join(parts)))
    if kernel is None:
        kernel = "pairwise(gaussian)" if convex or (proved and monotone) else "gaussian"
    data = []
    if columns is not None:
        data.append("columns " + ", ".join(quote(c) for c in columns))
    if missing is not None:
        data.append("missing " + missing)
    if standardize:
        data.append("standardize")
    head = ["data { %s }" % "; ".join(data), "kernel   " + kernel, "features nystrom(landmarks = %s)" % landmarks]
    if learn is not None:
        head.append("learn    " + learn)
    if summands:
        lines.append("regularize " + ", ".join(summands))
    if extra is not None:
        lines.append(extra.rstrip("\n"))
    return Spec("\n".join(head + lines) + "\n")


def shape(proved, summand, lines, name, column, sign, slope, words):
    """Add a statement about the sign of a slope, or an invariance that makes breaking it costly."""
    if sign not in (1, -1):
        raise ValueError("the sign of %s is %r, and must be +1 or -1" % (column, sign))
    up = sign > 0
    title = "%s_%s" % (column, words[0 if up else 1])
    if proved:
        lines.append("require  %s = %s %s 0 over x in box" % (name(title), slope, ">=" if up else "<="))
    else:
        summand(title, "rms over x of pos(%s%s)" % ("-" if up else "", slope))


class Checked:
    """What was proved of a spec: its completed text (``spec``), ``method``, the proof of convexity (``explanation``), and its warnings."""

    def __init__(self, result):
        self.spec = Spec(result["spec"])
        self.task, self.method = result["task"], result["method"]
        self.explanation, self.warnings, self.marked = result["explanation"], result["diagnostics"], result["rendered"]

    def __repr__(self):
        return (self.marked + "\n" if self.marked else "") + self.explanation

    def _repr_html_(self):
        return "<pre>%s</pre>" % html.escape(repr(self))


def check(text, target="y", aim="numbers", classes=()):
    """Prove a spec convex without data.

    Parameters
    ----------
    text : str or path
        The spec, or the path of a file whose name ends in .inv.
    target : str or sequence of str
        The columns of the target, where the spec leaves it open.
    aim : {"numbers", "classes", "labels"} or None
        What is learnt, where the spec leaves it open. None leaves the spec as it is.
    classes : sequence of str
        The classes of the target; two make it binary.

    Returns
    -------
    Checked
        Its text is the proof.

    Raises
    ------
    SpecError
        The spec has errors. The text of the exception is the marked source.
    """
    args = source_of(text)
    if not has_learner(args["spec"]):
        args["spec"] += learner_of(aim)
    args.update(aim=aim or "", classes=[str(c) for c in classes], target=[target] if isinstance(target, str) else list(target))
    return Checked(child().ask("check", args).result)


def source_of(text):
    """Return the arguments of a message that say what a spec is: its text, its name and the folder of the files that it names."""
    if isinstance(text, os.PathLike) or (isinstance(text, str) and "\n" not in text and text.endswith(".inv")):
        path = os.path.abspath(os.fspath(text))
        with open(path, encoding="utf-8") as file:
            return {"spec": file.read(), "name": os.path.basename(path), "folder": os.path.dirname(path)}
    if not isinstance(text, str):
        raise TypeError("spec must be the text of a spec, the path of a file ending in .inv, or None, and not %r" % (text,))
    return {"spec": str(text), "name": "spec.inv", "folder": os.getcwd()}


def has_learner(text):
    """Report whether a spec says what is learnt by."""
    return re.search(r"^\s*learn\b", text, re.MULTILINE) is not None


def learner_of(aim):
    """Return the usual learner, as a line of a spec."""
    return {"classes": "learn    logistic(C = 10)\n", "labels": "learn    logistic(C = 10)\n", "numbers": "learn    ridge(lambda = 0.1)\n"}.get(aim, "")
