"""scikit-learn's tools with the estimators."""

import numpy as np
import pytest

import sipc

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier, is_regressor  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402


def test_parameters():
    model = sipc.SipcClassifier("text", gap=1e-3, random_state=4)
    copy = clone(model)
    assert copy.get_params() == model.get_params() and copy is not model and copy.set_params(gap=1).gap == 1
    assert repr(model) == "SipcClassifier(gap=0.001, random_state=4, spec='text')"
    with pytest.raises(ValueError, match="Invalid parameter 'gaps'"):
        model.set_params(gaps=1)
    assert is_classifier(model) and is_regressor(sipc.SipcRegressor()) and not is_classifier(sipc.SipcEmbedding())
    with pytest.raises(ValueError, match="not fitted yet"):
        model.predict([[1.0]])


def test_pipelines(people):
    X, y, _ = people
    numbers = X[["income", "debt"]]
    spec = sipc.spec(monotone={"income": +1})
    model = make_pipeline(StandardScaler(), sipc.SipcClassifier(spec, columns=["income", "debt"]))
    assert cross_val_score(model, numbers, y, cv=3).mean() > 0.8
    embedded = make_pipeline(StandardScaler(), sipc.SipcEmbedding(sipc.spec(invariant=["x1"])), LogisticRegression()).fit(numbers, y)
    assert embedded.score(numbers, y) > 0.5
    split = ColumnTransformer([("numbers", StandardScaler(), ["income", "debt"])], remainder="passthrough")
    assert make_pipeline(split, sipc.SipcClassifier()).fit(X, y).score(X, y) > 0.8


@pytest.mark.filterwarnings("ignore::sipc.SipcWarning")
def test_grids(people):
    X, y, amount = people
    search = GridSearchCV(sipc.SipcClassifier(), {"spec": [sipc.spec(learn="logistic(C = %g)" % c) for c in (0.01, 10)]}, cv=3, n_jobs=2, scoring="roc_auc").fit(X, y)
    assert "C = 10" in search.best_params_["spec"] and search.best_score_ > 0.85
    values = {"values": [{"l": "1000"}, {"l": "0.1"}]}
    spec = "let l = 1\n" + sipc.spec(learn="ridge(lambda = l)")
    assert GridSearchCV(sipc.SipcRegressor(spec), values, cv=3).fit(X, amount).best_params_ == {"values": {"l": "0.1"}}


def test_tags_of_either_version():
    from sklearn import __version__

    tags = sipc.SipcClassifier()._more_tags()
    assert tags["requires_y"] and tags["multilabel"] and not sipc.SipcRegressor()._more_tags().get("multilabel")
    if tuple(int(v) for v in __version__.split(".")[:2]) >= (1, 6):
        own = sipc.SipcClassifier().__sklearn_tags__()
        assert own.estimator_type == "classifier" and own.target_tags.required and own.classifier_tags.multi_label


# The tags of scikit-learn 1.6 to 1.8, by its source: of each class the fields that must be given, and the others with their defaults.
TAGS = {
    "InputTags": (
        (),
        dict(one_d_array=False, two_d_array=True, three_d_array=False, sparse=False, categorical=False, string=False, dict=False)
        | dict(positive_only=False, allow_nan=False, pairwise=False),
    ),
    "TargetTags": (("required",), dict(one_d_labels=False, two_d_labels=False, positive_only=False, multi_output=False, single_output=True)),
    "TransformerTags": ((), dict(preserves_dtype=("float64",))),
    "ClassifierTags": ((), dict(poor_score=False, multi_class=True, multi_label=False)),
    "RegressorTags": ((), dict(poor_score=False)),
    "Tags": (
        ("estimator_type", "target_tags"),
        dict(transformer_tags=None, classifier_tags=None, regressor_tags=None, array_api_support=False, no_validation=False)
        | dict(non_deterministic=False, requires_fit=True, _skip_test=False, input_tags=None),
    ),
}


def test_tags_of_1_6_by_stand_ins(monkeypatch):
    """Version 1.6 is not here: stand-ins of its classes take what the estimators say, and nothing that these do not have."""
    import dataclasses

    import sklearn.utils

    for name, (needed, usual) in TAGS.items():
        fields = list(needed) + [(f, object, dataclasses.field(default=d)) for f, d in usual.items()]
        monkeypatch.setattr(sklearn.utils, name, dataclasses.make_dataclass(name, fields), raising=False)
    kinds = (sipc.SipcClassifier, sipc.SipcRegressor, sipc.SipcEmbedding)
    classifier, regressor, embedding = (c().__sklearn_tags__() for c in kinds)
    assert classifier.classifier_tags.multi_label and classifier.target_tags.required and classifier.transformer_tags is None
    assert regressor.estimator_type == "regressor" and regressor.regressor_tags is not None and regressor.classifier_tags is None
    assert embedding.estimator_type is None and embedding.transformer_tags is not None and embedding.input_tags.two_d_array
    for kind in kinds:  # 1.6 takes a class that has _more_tags and not __sklearn_tags__ for one of the old kind, and 1.7 refuses it
        for c in kind.mro():
            assert "_more_tags" not in vars(c) or "__sklearn_tags__" in vars(c)


def test_set_output(people):
    """Embeddings come as data frames where one asks for them, as those of scikit-learn's transformers do."""
    pd = pytest.importorskip("pandas")
    X, y, _ = people
    numbers = X[["income", "debt"]].set_index(np.arange(120) * 2)
    spec = sipc.spec(invariant=["debt"])
    plain = sipc.SipcEmbedding(spec).fit(numbers, y)
    array = plain.transform(numbers)
    assert type(array) is np.ndarray
    asked = clone(sipc.SipcEmbedding(spec).set_output(transform="pandas")).fit(numbers, y)
    frame = asked.transform(numbers)
    assert isinstance(frame, pd.DataFrame) and list(frame.columns) == list(plain.get_feature_names_out(["income", "debt"]))
    assert (frame.index == numbers.index).all() and (frame.to_numpy() == array).all()
    assert isinstance(asked.fit_transform(numbers, y), pd.DataFrame) and type(asked.set_output(transform="default").transform(numbers)) is np.ndarray
    pipe = make_pipeline(StandardScaler(), sipc.SipcEmbedding(sipc.spec(invariant=["debt"]))).set_output(transform="pandas").fit(numbers, y)
    assert list(pipe.transform(numbers).columns) == list(pipe.get_feature_names_out())
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(plain.transform(numbers), pd.DataFrame)
    with pytest.raises(ValueError, match="output config must be in"):
        plain.set_output(transform="lists")
    with pytest.raises(ValueError, match="input_features is not equal"):
        plain.get_feature_names_out(["income", "age"])


def test_numpy_alone_is_required(tmp_path):
    """The package imports neither scikit-learn nor pandas nor matplotlib by itself."""
    import subprocess
    import sys

    code = (
        "import sys, numpy as np, sipc\n"
        "sipc.SipcClassifier().fit(np.arange(20.0).reshape(10, 2), np.arange(10) > 4).predict_proba([[1.0, 2.0]])\n"
        "print([m for m in ('sklearn', 'pandas', 'matplotlib') if m in sys.modules])\n"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
