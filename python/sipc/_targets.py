"""Targets as messages hold them: classes by name, numbers, and labels."""

import numpy as np

from . import _frames


def free_name(name, taken):
    """Return a name that no column has."""
    own, k = name, 2
    while own in taken:
        own, k = "%s_%d" % (name, k), k + 1
    return own


def numbers_frame(y, rows):
    """Return a target of numbers."""
    frame = _frames.Frame(len(y), ["y"], False)
    frame.numbers([free_name("y", rows.names)], y.reshape(-1, 1))
    return frame


def labels_y(y):
    """Return a target of labels with their names: (n × m of 0 and 1, names or None, None)."""
    names = _frames.feature_names(y)
    y = y.to_numpy() if _frames.is_frame(y) else np.asarray(y)
    if y.ndim != 2 or not np.isin(y, (0, 1)).all():
        raise ValueError("a y of labels has 0 and 1 alone, a column for each label")
    return y.astype("u1"), None if names is None else [str(n) for n in names], None


def labels_frame(y, names, rows):
    """Return a target of labels. Labels without a name are called y1, y2, …, unless the spec names as many."""
    unnamed = names is None
    names = ["y%d" % (k + 1) for k in range(y.shape[1])] if unnamed else names
    frame = _frames.Frame(len(y), names, not unnamed)
    for k, name in enumerate(names):
        frame.booleans(free_name(name, rows.names) if unnamed else name, y[:, k])
    frame.unnamed = unnamed
    return frame


def class_name(c):
    """Return a class as the data of a spec write it."""
    if isinstance(c, (bool, np.bool_)):
        return str(bool(c))
    if isinstance(c, (float, np.floating)):
        return str(int(c)) if c == int(c) and abs(c) < 1e15 else repr(float(c))
    return str(c)


# The texts that data hold for a gap, besides none at all. A test holds them to the program's.
GAPS = ("na", "n/a", "nan", "null", "?")


def refuse_gaps(classes):
    """Refuse classes whose names are read as gaps."""
    for c in classes:
        if class_name(c).strip().lower() in ("",) + GAPS:
            raise ValueError(
                'the class %r is a gap by its name, as "", %s are; give it another name, such as y = np.where(y == %r, "none", y)' % (str(c), ", ".join(GAPS), str(c))
            )


def class_key(name):
    """Return what is the same of two names of one class: classes that are numbers are compared as numbers."""
    name = name.strip()
    try:
        return float(name)
    except ValueError:
        return name


def numbers_of(labels):
    """Return classes as numbers if all are whole numbers, else as texts."""
    try:
        return np.array([int(label) for label in labels])
    except ValueError:
        return np.array(labels)
