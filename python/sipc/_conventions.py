"""scikit-learn's conventions, without scikit-learn."""

import inspect
import sys


class Estimator:
    """Parameters as scikit-learn's tools read and set them: the arguments of ``__init__``."""

    @classmethod
    def _names(cls):
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep=True):
        """Return the parameters of the estimator by name. ``deep`` is for others; no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params):
        """Set parameters by name, and return the estimator."""
        known = self._names()
        for name, value in params.items():
            if name not in known:
                raise ValueError("Invalid parameter %r for estimator %s. Valid parameters are: %s." % (name, self, known))
            setattr(self, name, value)
        return self

    def __repr__(self):
        usual = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
        changed = ["%s=%r" % (name, value) for name, value in self.get_params().items() if not same(value, usual[name])]
        return "%s(%s)" % (type(self).__name__, ", ".join(changed))

    _multilabel = False  # whether it learns labels, several of which may hold

    # Both kinds of tags are made in this class alone. Version 1.6 refuses a class that has tags of the old kind and none of the new.
    def _more_tags(self):
        """Return the tags that scikit-learn reads before version 1.6."""
        return {"requires_fit": True, "requires_y": True, "poor_score": False, "no_validation": False, "multilabel": self._multilabel}

    def __sklearn_tags__(self):
        """Return the tags that scikit-learn reads from version 1.6 on."""
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

        kind = getattr(self, "_estimator_type", None)
        tags = Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=True),
            transformer_tags=TransformerTags() if hasattr(self, "transform") and kind is None else None,
            classifier_tags=ClassifierTags(multi_label=self._multilabel) if kind == "classifier" else None,
            regressor_tags=RegressorTags() if kind == "regressor" else None,
            input_tags=InputTags(string=False, categorical=False),
        )
        return tags


def same(a, b):
    """Report whether a parameter is its default."""
    return a is b or (type(a) is type(b) and isinstance(a, (str, int, float, bool)) and a == b)


def seed_of(random_state):
    """Return the seed of a random state: None, a whole number from 0 on, or one drawn from a generator."""
    if random_state is None:
        return None
    if hasattr(random_state, "randint"):
        return int(random_state.randint(0, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(0, 2**31 - 1))
    seed = int(random_state)
    if seed < 0 or seed != random_state:
        raise ValueError("random_state is %r, and must be None, a whole number from 0 on, or a generator of NumPy" % (random_state,))
    return seed


def told_by(verbose):
    """Return what is told of progress: a function of stage, done and total, or None."""
    if callable(verbose):
        return verbose
    return write_progress if verbose else None


def write_progress(stage, done, total):
    """Write progress to standard error, a line a message."""
    sys.stderr.write("sipc: %s %d of %d\n" % (stage, done, total) if total else "sipc: %s\n" % stage)
