"""What the estimators share: fitting, applying, proving, drawing and keeping."""

import html
import os
import re

import numpy as np

from . import _frames
from ._child import child
from ._conventions import Estimator, seed_of, told_by
from ._errors import DataWarning, GapWarning, SipcError, SipcWarning, UnprovedWarning, in_python, not_fitted, warn
from ._results import Proof, Report, Verdict, curves_of, plot
from ._spec import Spec, has_learner, learner_of, source_of, spec as usual_spec
from ._targets import free_name, refuse_gaps

PARAMETERS = """
    Parameters
    ----------
    spec : str, path or None
        The text of a spec, or the path of a file whose name ends in .inv. It may leave the target and the learner open. None stands for
        ``sipc.spec()``: a gaussian kernel on standardized columns, and no invariance.
    gap : float or None
        The certified gap to reach. None stands for 1e-8, which makes fits equal whose rows mean the same. Where statements are
        required, whose proof costs more than such a gap tells apart, it stands for 1e-4.
    method : {"embed", "warp", "plain", "risk", "dual"} or None
        In place of the spec's.
    columns : sequence of str or None
        Names for the columns of arrays, so that specs may say ``income``. None calls them x1, x2, …
    values : dict or None
        Overrides of the spec's ``let``s, in the language's syntax.
    random_state : int, generator or None
        The seed of every draw. None leaves it to the spec, else it is 0.
    time_limit : float or None
        Seconds after which a fit ends with the best that it has, and a warning.
    memory : int or None
        Bytes that a fit may take. None stands for four fifths of what the machine gives.
    verbose : bool or callable
        True writes progress to standard error. A function is called with the stage, how much is done, and of how much (0 if that is unknown).
        The function must not call sipc itself.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of n_features_in_ str
        Only where X was a data frame whose columns have names.
    spec_ : Spec
        The text that was fitted, completed.
    report_ : Report
        The report: certificate, values of R, warnings, and figures of test rows if ``fit`` got some.
    model_bytes_ : bytes
        The model file, which ``sipc predict`` and all other commands read.
"""


class _Sipc(Estimator):
    """What the estimators share."""

    def __init__(
        self, spec=None, *, gap=None, method=None, columns=None, values=None, random_state=None, time_limit=None, memory=None, verbose=False
    ):
        self.spec = spec
        self.gap = gap
        self.method = method
        self.columns = columns
        self.values = values
        self.random_state = random_state
        self.time_limit = time_limit
        self.memory = memory
        self.verbose = verbose

    # Fitting.

    def _read_fitted(self, X, y, sample_weight, name):
        """Return rows, target and weights of a fit as frames, with rows of the weight 0 left out."""
        own = type(self).__name__
        rows = _frames.read(X, own, self.columns)
        target = self._read_target(y)
        _frames.same_length(rows, target[0])
        weight = _frames.weights_of(sample_weight, rows.rows)
        if weight is not None and (weight == 0).any():
            keep = np.flatnonzero(weight)
            if not len(keep):
                raise ValueError("%s: every row has the weight 0" % name)
            X = X.iloc[keep] if _frames.is_frame(X) else np.asarray(X)[keep]
            rows, weight = _frames.read(X, own, self.columns), weight[keep]
            target = (target[0][keep],) + target[1:]
        if weight is not None and (weight == 1).all():
            weight = None
        return rows, target, weight

    def _rows_message(self, name, read, buffers):
        """Return rows as arguments of a message."""
        rows, target, weight = read
        message = {"table": rows.message(name, buffers), "target": self._target_frame(target, rows).message("y", buffers)}
        if weight is not None:
            column = _frames.Frame(len(weight), ["sample_weight"], True)
            column.numbers([free_name("sample_weight", rows.names)], weight.reshape(-1, 1))
            message["weight"] = column.message("sample_weight", buffers)
        return message

    def fit(self, X, y=None, sample_weight=None, *, test=None):
        """Fit a model to all rows.

        Parameters
        ----------
        X : array of shape (n, p), or data frame of n rows and p columns
            Numbers, flags, or texts, which are categories. Gaps are NaN or None; the spec says what they get.
        y : array of shape (n,), or for labels of shape (n, m)
            The target. Labels are 0 and 1, a column each; the columns of a data frame name them.
        sample_weight : array of shape (n,) or None
            A row of the weight w counts as w equal rows; one of the weight 0 is left out. Except for the width of a kernel that says none,
            as the default ``gaussian``: it is a median over the rows as they are. ``gaussian(width = 1.5)`` keeps the promise.
        test : (X, y) or (X, y, sample_weight) or None
            Rows on which ``report_`` has figures. They have no part in the fit.

        Returns
        -------
        self

        Raises
        ------
        SpecError
            The spec has errors, or does not suit the columns. Its text marks the place.
        DataError, ValueError
            The rows cannot be used.
        """
        told = told_by(self.verbose)
        read = self._read_fitted(X, y, sample_weight, "X")
        self._check_fit(read)
        source = source_of(usual_spec() if self.spec is None else self.spec)
        if read[1][2] is not None and not re.search(r"\bunlabelled\b|\bmissing\s+drop\b", source["spec"]):
            refuse_gaps(read[1][2])
        aim = self._aim(read[1])
        if not has_learner(source["spec"]):
            source["spec"] = source["spec"].rstrip("\n") + "\n" + learner_of(aim)
        buffers = []
        args = dict(source, aim=aim, gap=usual_gap(source["spec"]) if self.gap is None else float(self.gap), progress=told is not None, **self._rows_message("X", read, buffers))
        args["classes"] = self._class_names(read[1])
        args["set"] = {str(k): str(v) for k, v in (self.values or {}).items()}
        if test is not None:
            args["test"] = self._rows_message("X_test", self._read_fitted(*tuple(test) + (None,) * (3 - len(test)), name="X_test"), buffers)
        for name, value in (("method", self.method), ("seed", seed_of(self.random_state)), ("seconds", self.time_limit), ("memory", self.memory)):
            if value is not None:
                args[name] = value
        answer = child().ask("fit", args, buffers, hearer(told))
        self._keep(answer.result, answer.arrays["model"].tobytes(), read[1])
        if self._about["target"] == [free_name("y", read[0].names)]:  # the spec has no name of its own
            self._about["called"] = _frames.called(y)
        self.n_features_in_ = len(read[0].names)
        if read[0].named:
            self.feature_names_in_ = np.asarray(read[0].names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.report_ = Report(answer.result["report"], answer.result["text"])
        self._warn_of(answer.result)
        self._warn_of_identifiers(read[0].names, source["spec"])
        return self

    def _keep(self, about, data, target):
        """Keep a fitted model."""
        self.spec_ = Spec(about["spec"])
        self.model_bytes_ = data
        self._about = {k: about[k] for k in ("model", "task", "labels", "target", "features", "method", "embeds", "dim", "per_row", "probabilities", "required")}
        self._learn_labels(target)

    def _warn_of(self, result):
        if result.get("missed"):
            warn(GapWarning(in_python(result["missed"])))
        if result.get("unproved"):
            warn(UnprovedWarning(in_python(result["unproved"])))

    def _warn_of_identifiers(self, names, text):
        """Warn of columns that are no features for their name alone, unless the spec chooses columns."""
        if re.search(r"(?:^|[{;])\s*(?:columns|ignore|id)\b", text, re.MULTILINE):
            return
        for name in names:
            if name.lower() == "id" and name not in self._about["features"]:
                warn(DataWarning('column "%s" names the rows by its name, and is no feature; rename it if it should be one, or leave it out' % name))

    def _check_fit(self, read):
        """Refuse what no fit can use, where scikit-learn has words for it."""
        codes, _, classes = read[1]
        if classes is not None and len(np.unique(codes)) < 2:
            raise ValueError("%s learns two classes at least, and y holds one class: %r" % (type(self).__name__, classes[codes[0]]))
        if read[0].rows < 2:
            raise ValueError("Found array with 1 sample(s), n_samples = 1, while a minimum of 2 is required by %s." % type(self).__name__)

    def _learn_labels(self, target):
        """Set what a fit knows of classes."""

    # Applying.

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_bytes_")

    def _ask(self, op, args, buffers=(), told=None):
        """Ask about the fitted model, which the process may have forgotten."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        args = dict(args, model=self._about["model"])
        try:
            return child().ask(op, args, buffers, hearer(told, DataWarning))
        except SipcError as error:
            if error.kind != "model":
                raise
        child().ask("load", {}, (self.model_bytes_,))
        return child().ask(op, args, buffers, hearer(told, DataWarning))

    def _rows_of(self, X):
        """Return the arguments of a message about rows to which the model is applied, and their buffers."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        own = type(self).__name__
        self._check_names(_frames.feature_names(X))
        names = getattr(self, "feature_names_in_", self.columns)
        X = _frames.as_array(X)
        if names is not None and len(X.shape) == 2 and X.shape[1] != len(names):
            names = None  # the error below says so
        rows = _frames.read(X, own, names)
        if len(rows.names) != self.n_features_in_ and not rows.named:
            raise ValueError("X has %d features, but %s is expecting %d features as input" % (len(rows.names), own, self.n_features_in_))
        buffers = []
        return {"table": rows.message("X", buffers)}, buffers

    def _check_names(self, names):
        """Compare the names of columns with those of the fit, as scikit-learn does."""
        own, known = type(self).__name__, getattr(self, "feature_names_in_", None)
        if known is None and names is None:
            return
        if names is None:
            warn("X does not have valid feature names, but %s was fitted with feature names" % own, UserWarning)
            return
        if known is None:
            warn("X has feature names, but %s was fitted without feature names" % own, UserWarning)
            return
        if len(names) == len(known) and (names == known).all():
            return
        message = ["The feature names should match those that were passed during fit."]
        for title, some in (
            ("Feature names unseen at fit time:", sorted(set(names) - set(known))),
            ("Feature names seen at fit time, yet now missing:", sorted(set(known) - set(names))),
        ):
            if some:
                message += [title] + ["- %s" % name for name in some[:5]] + (["- ..."] if len(some) > 5 else [])
        if len(message) == 1:
            message.append("Feature names must be in the same order as they were in fit.")
        raise ValueError("\n".join(message) + "\n")

    def _predicted(self, X, **asked):
        args, buffers = self._rows_of(X)
        return self._ask("predict", dict(args, **asked), buffers).arrays

    def proved_at(self, X):
        """Report at which rows all that the model was fitted to keep is proved.

        The verdicts are those of the fit; :meth:`prove` decides them again.

        Parameters
        ----------
        X : array of shape (n, p), or data frame

        Returns
        -------
        array of n bool

        Raises
        ------
        UnprovableError
            The model was fitted to keep nothing.
        """
        proved = self._predicted(X, proved=True).get("proved")
        if proved is None:
            return np.array(self.prove(), dtype=bool)  # which says why not
        return proved.astype(bool)

    def prove(self, *statements, X=None, cells=0):
        """Decide whether the model keeps statements, everywhere on their regions.

        Parameters
        ----------
        *statements : str
            As behind ``require`` in a spec: ``"d/d(income) f >= 0 over x in box"``. None decides those that the spec requires.
        X : array of shape (n, p), data frame or None
            Rows over which ``x in rows`` and ``others = rows`` range.
        cells : int
            Bounds the work for each statement; 0 stands for 20,000.

        Returns
        -------
        Proof
            A list of verdicts, true if all are proved. Each has ``answer``, ``margin``, and if refuted the point ``at``.

        Raises
        ------
        SpecError
            A statement has errors.
        UnprovableError
            Nothing can be proved of this model.
        """
        args, buffers = self._rows_of(X) if X is not None else ({}, [])
        args.update(statements=list(statements), cells=int(cells))
        answer = self._ask("prove", args, buffers, told_by(self.verbose))
        return Proof([Verdict(v) for v in answer.result["statements"]], answer.result["text"])

    def curves(self, X=None, points=0):
        """Return the curves of the model, one for each column.

        They are the model itself if its kernel is additive. Of a pairwise kernel they are the parts of single columns. Otherwise they are
        partial dependence: means of f over rows.

        Parameters
        ----------
        X : array of shape (n, p), data frame or None
            Rows over which means are taken; None stands for the training rows that the model keeps.
        points : int
            About how many points a curve has; 0 stands for 200, or fewer where each takes a mean.

        Returns
        -------
        list of Curve
        """
        args, buffers = self._rows_of(X) if X is not None else ({}, [])
        curves = curves_of(self._ask("curves", dict(args, points=int(points)), buffers))
        if self._about.get("called"):
            target, called = self._about["target"][0], self._about["called"]
            names = {target: called, "the log rate of " + target: "the log rate of " + called}
            for curve in curves:
                curve.of = names.get(curve.of, curve.of)
        return curves

    def plot(self, columns=None, axes=None, X=None):
        """Draw curves with matplotlib.

        Parameters
        ----------
        columns : sequence of str or None
            Those to draw; None draws all.
        axes : array of axes or None
            Where to draw; None makes a figure.
        X : array of shape (n, p), data frame or None
            As in :meth:`curves`.

        Returns
        -------
        array of axes

        Raises
        ------
        ImportError
            matplotlib is not installed.
        """
        curves = self.curves(X)
        if columns is not None:
            by = {c.column: c for c in curves}
            lacking = [c for c in columns if c not in by]
            if lacking:
                raise ValueError("there is no curve of %s; there are those of %s" % (", ".join(map(str, lacking)), ", ".join(by)))
            curves = [by[c] for c in columns]
        return plot(curves, axes)

    def witnesses(self):
        """Return what each invariance comes to at the fit, and which rows and members pull most: a Report, as ``sipc explain --model``."""
        answer = self._ask("report", {})
        return Report(answer.result["witnesses"], answer.result["text"])

    # Keeping.

    def save(self, path):
        """Write the model file, which the program and :func:`load` read. It appears whole or not at all."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        path = os.fspath(path)
        aside = "%s.%d.part" % (path, os.getpid())
        try:
            with open(aside, "wb") as file:
                file.write(self.model_bytes_)
            os.replace(aside, path)
        except BaseException:
            if os.path.exists(aside):
                os.remove(aside)
            raise

    def _repr_html_(self):
        parts = ["<b>%s</b>" % html.escape(repr(self).split("(")[0])]
        if self.__sklearn_is_fitted__():
            parts.append(self.spec_._repr_html_())
            if hasattr(self, "report_"):
                parts.append(self.report_._repr_html_())
        else:
            parts.append("<pre>%s</pre>" % html.escape(str(usual_spec() if self.spec is None else self.spec)))
        return "".join(parts)


def usual_gap(text):
    """Return the gap that a spec is fitted to where nobody says otherwise."""
    return 1e-4 if re.search(r"^\s*require\b", text, re.MULTILINE) else 1e-8


def hearer(told, category=SipcWarning):
    """Return what hears the messages that come before an answer: warnings become Python's, progress is told on."""

    def hear(message):
        if message["kind"] == "warning":
            w = message["warning"]
            if w["text"].startswith("the column proved takes"):
                return  # as proved_at says
            warn(category(in_python(w["text"]), w.get("code"), in_python(w.get("rendered"))))
        elif message["kind"] == "progress" and told is not None:
            p = message["progress"]
            told(p["stage"], p["done"], p["total"])

    return hear
