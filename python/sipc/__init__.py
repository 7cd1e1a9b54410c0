"""Estimators that respect what a spec declares: invariances, proved convex, and statements that hold everywhere.

    >>> import sipc
    >>> model = sipc.SipcClassifier(sipc.spec(monotone={"income": +1}, proved=True))
    >>> model.fit(X, y).predict_proba(X)            # X is a DataFrame, or an array whose columns are x1, x2, …
    >>> model.prove("d/d(income) f >= 0 over x in box")

The estimators follow scikit-learn's conventions, and need NumPy alone. One process of the program ``sipc`` serves the whole interpreter.
"""

from ._errors import (
    ChildError,
    DataError,
    DataWarning,
    GapWarning,
    MemoryLimitError,
    SipcError,
    SipcWarning,
    SpecError,
    TimeLimitError,
    UnprovableError,
    UnprovedWarning,
)
from ._estimators import SipcClassifier, SipcEmbedding, SipcRegressor, load
from ._program import program, version
from ._spec import Spec, check, spec

__version__ = "0.1.0"

__all__ = [
    "ChildError",
    "DataError",
    "DataWarning",
    "GapWarning",
    "MemoryLimitError",
    "SipcClassifier",
    "SipcEmbedding",
    "SipcError",
    "SipcRegressor",
    "SipcWarning",
    "Spec",
    "SpecError",
    "TimeLimitError",
    "UnprovableError",
    "UnprovedWarning",
    "check",
    "load",
    "program",
    "spec",
    "version",
]
