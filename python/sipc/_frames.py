"""Rows as messages hold them: from arrays and data frames to blocks of columns."""

import importlib

import numpy as np

from ._errors import DataError, conversion_warning, warn


class Frame:
    """Columns of a message.

    ``rows`` is their length, ``names`` are their names in order, ``named`` says whether these are the caller's own.
    """

    def __init__(self, rows, names, named):
        self.rows, self.names, self.named = rows, names, named
        self.unnamed = False  # of a target: the names of the spec may take the place of these
        self._blocks = []  # (names, kind, arrays)

    def numbers(self, names, matrix):
        """Add columns of floating point numbers, n × len(names)."""
        self._blocks.append((list(names), "number", (np.asarray(matrix, dtype="<f8").T,)))

    def integers(self, name, values):
        """Add a column of whole numbers."""
        self._blocks.append(([name], "integer", (np.asarray(values, dtype="<i8"),)))

    def booleans(self, name, values):
        """Add a column of flags."""
        self._blocks.append(([name], "boolean", (np.asarray(values, dtype="u1"),)))

    def texts(self, name, values):
        """Add a column of texts. None and NaN are gaps."""
        parts = ["" if is_gap(v) else str(v) for v in values]
        encoded = [p.encode("utf-8", "replace") for p in parts]
        offsets = np.zeros(len(encoded) + 1, dtype="<i8")
        np.cumsum([len(e) for e in encoded], out=offsets[1:])
        self._blocks.append(([name], "text", (b"".join(encoded), offsets)))

    def message(self, name, buffers):
        """Return the table as an argument of a message, and add its buffers to a list."""
        blocks = []
        for names, kind, arrays in self._blocks:
            block = {"names": names, "kind": kind, "buffer": len(buffers)}
            if kind == "text":
                block["offsets"] = len(buffers) + 1
            blocks.append(block)
            for a in arrays:
                buffers.append(a if isinstance(a, bytes) else np.ascontiguousarray(a).reshape(-1).view("u1").data if a.size else b"")
        return {"name": name, "rows": int(self.rows), "blocks": blocks, "unnamed": self.unnamed}


def is_frame(X):
    """Report whether X is a data frame, such as one of pandas."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "iloc")


def as_array(X):
    """Return X as an array, unless it is a data frame, one of its columns, a sparse matrix or None."""
    if X is None or is_frame(X) or is_series(X) or hasattr(X, "tocsr"):
        return X
    return np.asarray(X)


CONTAINERS = ("default", "pandas", "polars")


def container(name):
    """Return the name of what a transformer returns its numbers in. Others than CONTAINERS are an error."""
    if name not in CONTAINERS:
        raise ValueError("output config must be in %s, got %r" % (list(CONTAINERS), name))
    return name


def contained(numbers, X, name, columns):
    """Return a matrix as an array, or as a data frame of a library with the names of columns and, in pandas, the index of X."""
    if name == "default":
        return numbers
    try:
        library = importlib.import_module(name)
    except ImportError:
        raise ImportError("Setting output container to %r requires %s to be installed" % (name, name)) from None
    if name == "polars":
        return library.DataFrame(numbers, schema=list(columns), orient="row")
    return library.DataFrame(numbers, index=X.index if is_frame(X) else None, columns=columns)


def is_series(y):
    """Report whether y is a column of a data frame."""
    return hasattr(y, "iloc") and hasattr(y, "dtype") and hasattr(y, "name")


def called(y):
    """Return the name of a target that is a column of a data frame, or a frame of one column; None where there is none."""
    name = y.name if is_series(y) else list(y.columns)[0] if is_frame(y) and len(y.columns) == 1 else None
    return None if name is None else str(name)


def feature_names(X):
    """Return the names of a data frame's columns as an array of objects, or None where they are not all texts or X has none."""
    if not is_frame(X):
        return None
    names = list(X.columns)
    texts = [isinstance(name, str) for name in names]
    if names and all(texts):
        return np.asarray(names, dtype=object)
    if any(texts):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has %s as feature name / column name "
            "types. If you want feature names to be stored and validated, you must convert them all to strings, by using "
            "X.columns = X.columns.astype(str) for example." % sorted({type(name).__name__ for name in names})
        )
    return None


def read(X, estimator, names=None):
    """Return rows as a Frame.

    Parameters
    ----------
    X : array of shape (n, p), or data frame of n rows and p columns
    estimator : str
        Its name, for messages.
    names : sequence of p str, or None
        Names for columns that have none; None calls them x1, x2, …
    """
    if hasattr(X, "tocsr") or hasattr(X, "toarray"):
        raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a dense numpy array.")
    own = feature_names(X)
    if is_frame(X):
        shape_checked(X.shape, estimator)
        return frame_of(X, own if own is not None else default_names(X.shape[1], names), own is not None)
    X = np.asarray(X)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported\n%s\n" % X)
    if X.ndim == 0:
        raise ValueError("Expected 2D array, got scalar array instead:\narray=%s.\nReshape your data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single sample." % X)
    if X.ndim == 1:
        raise ValueError("Expected 2D array, got 1D array instead:\narray=%s.\nReshape your data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single sample." % X)
    if X.ndim > 2:
        raise ValueError("Found array with dim %d. %s expected <= 2." % (X.ndim, estimator))
    shape_checked(X.shape, estimator)
    return array_of(X, default_names(X.shape[1], names))


def shape_checked(shape, estimator):
    """Refuse rows or columns of which there are none."""
    n, p = shape
    if n < 1:
        raise ValueError("Found array with 0 sample(s) (shape=%s) while a minimum of 1 is required by %s." % (tuple(shape), estimator))
    if p < 1:
        raise ValueError("Found array with 0 feature(s) (shape=%s) while a minimum of 1 is required by %s." % (tuple(shape), estimator))


def default_names(count, names):
    """Return the names of columns that have none."""
    if names is None:
        return ["x%d" % (j + 1) for j in range(count)]
    names = [str(name) for name in names]
    if len(names) != count:
        raise ValueError("columns names %d columns, and X has %d" % (len(names), count))
    return names


def array_of(X, names):
    """Return the columns of an array."""
    frame = Frame(X.shape[0], list(names), False)
    kind = X.dtype.kind
    if kind in "fiu":
        frame.numbers(names, finite(whole(X)))
    elif kind == "b":
        frame.numbers(names, X)
    elif kind in "OUS":
        for j, name in enumerate(names):
            add_objects(frame, name, X[:, j])
    else:
        raise ValueError("columns of the type %s are not read; make them numbers or texts" % X.dtype)
    return frame


def whole(X):
    """Return numbers as float64, unless whole numbers would lose digits."""
    if X.dtype.kind in "iu" and X.dtype.itemsize == 8 and X.size and (X.max() > 2**53 or X.min() < -(2**53)):
        raise DataError("whole numbers beyond 2^53 lose digits as numbers; make their column one of texts, or leave it out", "data", "E506")
    return X.astype("<f8", copy=False)


def finite(X):
    """Refuse infinite numbers. Gaps are left to the spec."""
    if not np.isfinite(X.sum()) and np.isinf(X).any():
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
    return X


def add_objects(frame, name, values):
    """Add a column of objects: numbers if all are, else texts."""
    try:
        numbers = np.array([np.nan if is_gap(v) else float(v) for v in values], dtype="<f8") if not holds_texts(values) else None
    except ValueError:
        numbers = None
    if numbers is None:
        frame.texts(name, values)
    else:
        frame.numbers([name], finite(numbers.reshape(-1, 1)))


def is_gap(v):
    """Report whether a value is None, NaN, or pandas' NaT or NA, which is equal to nothing and unequal to nothing."""
    if v is None or type(v).__name__ == "NAType":
        return True
    different = v != v
    return isinstance(different, (bool, np.bool_)) and bool(different)


def holds_texts(values):
    """Report whether some values are texts."""
    return any(isinstance(v, (str, bytes)) for v in values)


def frame_of(X, names, named):
    """Return the columns of a data frame."""
    frame = Frame(X.shape[0], list(names), named)
    kinds = [kind_of(dtype) for dtype in X.dtypes]
    if set(kinds) == {"number"} and len({str(d) for d in X.dtypes}) == 1:
        frame.numbers(names, finite(X.to_numpy(dtype="<f8")))
        return frame
    for j, (name, kind) in enumerate(zip(names, kinds)):
        column = X.iloc[:, j]
        if kind == "date":
            raise DataError(
                'column "%s" holds dates; make them numbers, such as days since the first: (X[%r] - X[%r].min()).dt.days' % (name, name, name), "data", "E506", column=name
            )
        if kind == "text":
            frame.texts(name, column.astype(object).where(~column.isna(), None).to_numpy())
        elif kind == "object":
            add_objects(frame, name, column.where(~column.isna(), None).to_numpy())
        elif kind == "complex":
            raise ValueError("Complex data not supported\n%s\n" % column)
        elif kind == "boolean" and not column.isna().any():
            frame.booleans(name, column.to_numpy(dtype=bool))
        elif kind == "integer" and not column.isna().any():
            whole(column.to_numpy(dtype=np.int64))
            frame.integers(name, column.to_numpy(dtype=np.int64))
        else:
            frame.numbers([name], finite(column.to_numpy(dtype="float64", na_value=np.nan).reshape(-1, 1)))
    return frame


def kind_of(dtype):
    """Return what a column of a type holds."""
    name = str(dtype)
    kind = getattr(dtype, "kind", "O")
    if name == "category" or name.startswith("string"):
        return "text"
    if kind in "mM" or name.startswith(("datetime", "period", "timedelta")):
        return "date"
    return {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "c": "complex"}.get(kind, "object")


def column_y(y, estimator):
    """Return y as an array of one dimension."""
    if y is None:
        raise ValueError(
            "This %s estimator requires y to be passed, but the target y is None." % estimator
        )
    if hasattr(y, "tocsr") or hasattr(y, "toarray"):
        raise TypeError("A sparse y was passed, but dense data is required.")
    y = y.to_numpy() if is_series(y) or is_frame(y) else np.asarray(y)
    if y.dtype.kind == "c":
        raise ValueError("Complex data not supported\n%s\n" % y)
    if y.ndim == 2 and y.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for example using ravel().",
            conversion_warning(),
        )
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError("y should be a 1d array, got an array of shape %s instead." % (y.shape,))
    return y


def finite_y(y):
    """Refuse targets that are not finite numbers."""
    if y.dtype.kind == "O" and any(is_gap(v) for v in y):
        raise ValueError("Input y contains NaN.")
    y = y.astype("<f8")
    if np.isnan(y).any():
        raise ValueError("Input y contains NaN.")
    if np.isinf(y).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    return y


def weights_of(sample_weight, rows):
    """Return weights as an array of n numbers; None of none, and where all are 1."""
    if sample_weight is None:
        return None
    w = np.asarray(sample_weight, dtype="<f8")
    if w.ndim == 0:
        w = np.full(rows, float(w))
    if w.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(w) != rows:
        raise ValueError("sample_weight.shape == %s, expected %s!" % (w.shape, (rows,)))
    if not np.isfinite(w).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if (w < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    return w


def same_length(X, y):
    """Refuse a y of another length than X."""
    if X.rows != len(y):
        raise ValueError("Found input variables with inconsistent numbers of samples: %s" % [int(X.rows), len(y)])
