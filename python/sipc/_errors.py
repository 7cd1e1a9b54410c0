"""Errors and warnings."""

import html
import re
import sys
import warnings


class SipcError(Exception):
    """An error of the program or of a call.

    Attributes
    ----------
    kind : str
        What is wrong: protocol, call, spec, data, model, unprovable, memory, time, cancelled or failed.
    code : str or None
        The code of a diagnostic, such as "E401". ``sipc explain E401`` prints its page.
    marked : str or None
        The source with the place marked, why it is wrong, and how to mend it.
    diagnostics : list of dict
        All diagnostics, each with code, severity, summary, place (``at``) and fixes.
    """

    def __init__(self, message, kind="failed", code=None, marked=None, diagnostics=(), column=None):
        super().__init__(message)
        self.kind, self.code, self.marked, self.diagnostics, self.column = kind, code, marked or None, list(diagnostics), column

    def __reduce__(self):
        return type(self), (self.args[0], self.kind, self.code, self.marked, self.diagnostics, self.column)

    def __str__(self):
        return self.args[0] if not self.marked else self.marked.rstrip("\n")

    @property
    def place(self):
        """(file, line, column) of the first error; None where no place is meant. Lines and columns count from 1, and 0 means the whole."""
        for d in self.diagnostics:
            if d.get("severity") == "error" and d.get("at"):
                return d["at"]["file"], d["at"]["line"], d["at"]["column"]
        return None

    def _repr_html_(self):
        return "<pre style='white-space:pre-wrap'>%s</pre>" % html.escape(str(self))


class CallError(SipcError, ValueError):
    """An argument cannot be used."""


class SpecError(SipcError, ValueError):
    """A spec or a statement has errors. ``str`` shows the marked source."""


class DataError(SipcError, ValueError):
    """The columns cannot be used. ``column`` names the one that is meant, where there is one."""

    def __str__(self):
        return self.args[0]


class UnprovableError(SipcError, ValueError):
    """Nothing can be proved of the model: it keeps no statement, or its kernel or features are none that proofs know."""


class MemoryLimitError(SipcError, MemoryError):
    """The work would take more memory than it may. Nothing was begun."""


class TimeLimitError(SipcError, TimeoutError):
    """The time was over before there was a result."""


class ChildError(SipcError, RuntimeError):
    """The program cannot be started, ended, or failed at its work."""


class SipcWarning(UserWarning):
    """Worth saying. ``code`` and ``marked`` are those of a diagnostic of the spec, else None."""

    def __init__(self, message, code=None, marked=None):
        super().__init__(message)
        self.code, self.marked = code, marked or None


class DataWarning(SipcWarning):
    """Rows hold what no training row does, or lie where nothing is proved."""


class GapWarning(SipcWarning):
    """The fit ended before it reached the gap that was asked for."""


class UnprovedWarning(SipcWarning):
    """A statement that the spec requires is not proved of the fitted function."""


_KINDS = {
    "call": CallError,
    "spec": SpecError,
    "data": DataError,
    "unprovable": UnprovableError,
    "memory": MemoryLimitError,
    "time": TimeLimitError,
}


# What the program says of its flags, as Python says it.
_FLAGS = (
    (r"write one behind the model, sipc prove MODEL '([^']*)'", r'write one, as model.prove("\1")'),
    (r"--set overrides", "values= overrides"),
    (r"The value of --set is", "A value of values= is"),
    (r"--set '(\w+)=([^']*)'", r"values={'\1': '\2'}"),
    (r"--set (\w+)=([^\s`.]+)", r"values={'\1': '\2'}"),
    (r"--set (\w+)", r"values['\1']"),
    (r"Write --(method|seed|gap) (\S+) to sipc run", lambda m: "Give the estimator %s=%s" % ({"seed": "random_state"}.get(m[1], m[1]), m[2])),
    (r"--time-limit\b", "time_limit"),
    (r"--gap\b", "gap"),
    (r"--memory\b", "memory"),
)


def in_python(text):
    """Return what the program says, with arguments in place of flags. What is no text stays as it is."""
    if not isinstance(text, str):
        return text
    for flag, words in _FLAGS:
        text = re.sub(flag, words, text)
    return text


def error_of(fault):
    """Return the exception of an error in an answer."""
    kind = fault.get("kind", "failed")
    message = in_python(fault.get("message", ""))
    if fault.get("code") == "E507":
        message = "Input contains NaN or a gap: " + message
    return _KINDS.get(kind, ChildError)(
        message, kind, fault.get("code"), in_python(fault.get("rendered")), fault.get("diagnostics") or (), fault.get("column")
    )


def warn(message, category=None):
    """Warn at the line outside of this package that called it."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "sipc":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def not_fitted(estimator):
    """Return the error of an estimator that is not fitted: scikit-learn's own where that is loaded."""
    text = "This %s instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator." % type(estimator).__name__
    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is not None:
        return exceptions.NotFittedError(text)
    return NotFittedError(text)


class NotFittedError(ValueError, AttributeError):
    """The estimator is not fitted yet."""


def conversion_warning():
    """Return the class of the warning about a y that is a column: scikit-learn's own where that is loaded."""
    exceptions = sys.modules.get("sklearn.exceptions")
    return exceptions.DataConversionWarning if exceptions is not None else SipcWarning
