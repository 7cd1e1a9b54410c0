"""The estimators: SipcClassifier, SipcRegressor and SipcEmbedding."""

import sys

import numpy as np

from . import _frames
from ._base import PARAMETERS, _Sipc
from ._child import child
from ._errors import not_fitted
from ._targets import class_key, class_name, free_name, labels_frame, labels_y, numbers_frame, numbers_of


class SipcClassifier(_Sipc):
    __doc__ = (
        """A classifier that keeps what its spec declares, of classes or of labels.

    Two classes make a binary target: f is the score of the second class in sorted order. Several classes, and labels, have a score each. A y of
    shape (n, m) with 0 and 1 is one of labels.
"""
        + PARAMETERS
        + """    classes_ : array
        The classes in sorted order, or the names of labels.
"""
    )

    _estimator_type = "classifier"
    _multilabel = True

    def _read_target(self, y):
        """Return y with its names: (array, names or None, classes or None)."""
        y = _frames.as_array(y)
        if y is not None and len(y.shape) == 2 and y.shape[1] > 1:
            return labels_y(y)
        y = _frames.column_y(y, type(self).__name__)
        if y.dtype.kind == "f":
            y = _frames.finite_y(y)
            if (y != np.floor(y)).any():
                raise ValueError("Unknown label type: continuous. A classifier learns classes; SipcRegressor learns numbers.")
        elif y.dtype.kind == "O" and any(_frames.is_gap(v) for v in y):
            raise ValueError("Input y contains NaN.")
        classes, codes = np.unique(y, return_inverse=True)
        return codes, None, classes

    def _aim(self, target):
        return "labels" if target[0].ndim == 2 else "classes"

    def _class_names(self, target):
        return [] if target[2] is None else [class_name(c) for c in target[2]]

    def _target_frame(self, target, rows):
        y, names, classes = target
        if classes is None:
            return labels_frame(y, names, rows)
        frame = _frames.Frame(len(y), ["y"], False)
        texts = np.array([class_name(c) for c in classes], dtype=object)
        frame.texts(free_name("y", rows.names), texts[y])
        return frame

    def _learn_labels(self, target):
        labels = self._about["labels"]
        classes = None if target is None else target[2]
        if self._about["task"] == "multilabel" or target is not None and classes is None:
            self.classes_, self._order = np.asarray(labels, dtype=object), np.arange(len(labels))
            return
        if classes is None:  # of a model file
            classes = numbers_of(labels)
        by = {class_key(class_name(c)): c for c in classes}
        found = [by.get(class_key(label)) for label in labels]
        if len(by) < len(classes) or any(c is None for c in found):
            raise ValueError("some classes are one to the spec: %s become %s" % (list(classes), labels))
        found = np.array(found, dtype=np.asarray(classes).dtype)
        self._order = np.argsort(found, kind="stable")
        self.classes_ = found[self._order]

    def decision_function(self, X):
        """Return scores.

        Parameters
        ----------
        X : array of shape (n, p), or data frame

        Returns
        -------
        array of shape (n,) for two classes, positive for the second; else of shape (n, m), one for each class or label
        """
        return self._scores(self._predicted(X))

    def _scores(self, arrays):
        scores = arrays["scores"]
        if self._about["task"] == "multilabel":
            return scores.copy()
        if len(self.classes_) > 2:
            return scores[:, self._order]
        if scores.shape[1] == 2:  # a score for each
            return scores[:, self._order[1]] - scores[:, self._order[0]]
        return scores[:, 0] if self._order[0] == 0 else -scores[:, 0]

    def predict(self, X):
        """Return classes of shape (n,), or labels of shape (n, m) as 0 and 1.

        Parameters
        ----------
        X : array of shape (n, p), or data frame
        """
        decided = self._predicted(X)["decided"]
        if self._about["task"] == "multilabel":
            return decided.astype(int)
        place = np.empty(len(self._order), dtype=int)
        place[self._order] = np.arange(len(self._order))
        return self.classes_[place[decided]]

    @property
    def predict_proba(self):
        """Return probabilities of shape (n, m): of classes in the order of ``classes_``, or of each label alone.

        It is there unless the learner of the fitted spec gives none, as ``svm`` without ``probabilities = on``.
        """
        if self.__sklearn_is_fitted__() and not self._about["probabilities"]:
            raise AttributeError("the learner of the spec gives no probabilities; take logistic, or svm(probabilities = on)")
        return self._probabilities

    @property
    def predict_log_proba(self):
        """Return the logarithms of ``predict_proba``."""
        probabilities = self.predict_proba

        def logarithms(X):
            with np.errstate(divide="ignore"):
                return np.log(probabilities(X))

        return logarithms

    def _probabilities(self, X):
        return self._predicted(X)["probabilities"][:, self._order]

    def score(self, X, y, sample_weight=None):
        """Return the accuracy: the share of rows whose class, or whose labels all, are decided rightly.

        Parameters
        ----------
        X : array of shape (n, p), or data frame
        y : array of shape (n,) or (n, m)
        sample_weight : array of shape (n,) or None
        """
        decided = self.predict(X)
        if decided.ndim == 2:
            right = (np.asarray(y) == decided).all(axis=1)
        else:
            right = np.asarray(y).ravel() == decided
        return float(np.average(right, weights=sample_weight))


class SipcRegressor(_Sipc):
    __doc__ = (
        """A regressor that keeps what its spec declares: of numbers, counts (``learn poisson``) or quantiles (``learn quantile``).
"""
        + PARAMETERS
    )

    _estimator_type = "regressor"

    def _read_target(self, y):
        y = _frames.column_y(y, type(self).__name__)
        return _frames.finite_y(y), None, None

    def _aim(self, target):
        return "numbers"

    def _class_names(self, target):
        return []

    def _target_frame(self, target, rows):
        return numbers_frame(target[0], rows)

    def predict(self, X):
        """Return numbers of shape (n,): predictions, or expected counts; of a quantile learner (n, m), one for each level.

        Parameters
        ----------
        X : array of shape (n, p), or data frame
        """
        arrays = self._predicted(X)
        if self._about["task"] == "quantiles":
            return arrays["scores"].copy()
        return arrays["decided"].copy()

    def score(self, X, y, sample_weight=None):
        """Return R²: 1 less the squared errors over those of the mean. Of quantiles, less the mean pinball loss.

        Parameters
        ----------
        X : array of shape (n, p), or data frame
        y : array of shape (n,)
        sample_weight : array of shape (n,) or None
        """
        y, guess = np.asarray(y, dtype=float).ravel(), self.predict(X)
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        if guess.ndim == 2:
            levels = np.array([float(level) for level in self._about["labels"]])
            over = y[:, None] - guess
            return -float(np.average(np.maximum(levels * over, (levels - 1) * over).mean(axis=1), weights=w))
        spread = np.sum(w * (y - np.average(y, weights=w)) ** 2)
        error = np.sum(w * (y - guess) ** 2)
        return float(1 - error / spread) if spread > 0 else float(error == 0)


class SipcEmbedding(_Sipc):
    __doc__ = (
        """A transformer: rows become embeddings in which what the spec declares to be the same lies close together.

    Inner products of an embedding with the features φ of another row are the kernel of the spec's norm. Any linear learner on embeddings then
    respects the spec. y may be classes, numbers, or labels; embeddings depend on it only where R sees labels.
"""
        + PARAMETERS
    )

    def _read_target(self, y):
        y = _frames.as_array(y)
        if y is not None and len(y.shape) == 1:
            values = np.asarray(y)
            if values.dtype.kind == "f" and (values != np.floor(values)).any():
                return _frames.finite_y(values), None, None
        return SipcClassifier._read_target(self, y)

    def _aim(self, target):
        if target[2] is not None:
            return "classes"
        return "labels" if target[0].ndim == 2 else "numbers"

    def _class_names(self, target):
        return [] if target[2] is None else [class_name(c) for c in target[2]]

    def _target_frame(self, target, rows):
        if target[2] is None and target[0].ndim == 1:
            return numbers_frame(target[0], rows)
        return SipcClassifier._target_frame(self, target, rows)

    def transform(self, X):
        """Return embeddings of shape (n, d), or (n, m · m · d) where each of m labels has its own.

        Parameters
        ----------
        X : array of shape (n, p), or data frame

        Returns
        -------
        array, or what :meth:`set_output` chose
        """
        args, buffers = self._rows_of(X)
        return _frames.contained(self._ask("embed", args, buffers).arrays["embeddings"].copy(), X, self._container(), self.get_feature_names_out())

    _sklearn_auto_wrap_output_keys = frozenset(["transform"])  # scikit-learn looks for it

    def set_output(self, *, transform=None):
        """Choose what ``transform`` and ``fit_transform`` return, as scikit-learn does from version 1.2 on.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None
            "default" is an array, and "pandas" a data frame with the index of X. None changes nothing.

        Returns
        -------
        self
        """
        if transform is not None:
            self._sklearn_output_config = {"transform": _frames.container(transform)}
        return self

    def _container(self):
        """Return what embeddings are returned in: what set_output chose, else what scikit-learn is set to if it is there."""
        config = sys.modules.get("sklearn")
        usual = config.get_config().get("transform_output", "default") if config else "default"
        return _frames.container(getattr(self, "_sklearn_output_config", {}).get("transform", usual))

    def features(self, X):
        """Return the features φ(x) of rows, of shape (n, d).

        Parameters
        ----------
        X : array of shape (n, p), or data frame
        """
        args, buffers = self._rows_of(X)
        return self._ask("embed", dict(args, features=True), buffers).arrays["embeddings"].copy()

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit, and return the embeddings of the same rows."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of embeddings: e1, e2, …

        Parameters
        ----------
        input_features : sequence of str or None
            The names of the columns of X, which are only compared with those of the fit.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if input_features is not None:
            known = getattr(self, "feature_names_in_", None)
            if known is not None and list(input_features) != list(known):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(input_features) != self.n_features_in_:
                raise ValueError("input_features should have length equal to number of features (%d), got %d" % (self.n_features_in_, len(input_features)))
        return np.array(["e%d" % (k + 1) for k in range(self._about["per_row"] * self._about["dim"])], dtype=object)


def load(path, columns=None):
    """Return a fitted estimator of a model file that ``sipc run --out`` or ``save`` wrote.

    Parameters
    ----------
    path : str or path
    columns : sequence of str or None
        Names for the columns of arrays, in their order; None takes those of the model, in its order.

    Returns
    -------
    SipcClassifier or SipcRegressor
    """
    with open(path, "rb") as file:
        data = file.read()
    about = child().ask("load", {}, (data,)).result
    kind = SipcClassifier if about["task"] in ("binary", "class", "multilabel") else SipcRegressor
    names = list(about["features"] if columns is None else columns)
    model = kind(about["spec"], columns=names)
    model._keep(about, data, None)
    model.n_features_in_ = len(names)
    if names != _frames.default_names(len(names), None):
        model.feature_names_in_ = np.asarray(names, dtype=object)
    return model
