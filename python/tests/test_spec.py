"""Specs from Python, their proofs and their errors."""

import itertools
import pickle

import numpy as np
import pytest

import sipc
from sipc import _spec


def test_what_a_monotone_proved_spec_says():
    text = sipc.spec(monotone={"income": +1, "debt": -1}, proved=True)
    assert text == (
        "data { standardize }\nkernel   pairwise(gaussian)\nfeatures nystrom(landmarks = all)\n"
        "require  income_rises = d/d(income) f >= 0 over x in box\nrequire  debt_falls = d/d(debt) f <= 0 over x in box\n"
    )
    assert str(sipc.check(text)).count("income") >= 1


PARTS = {
    "monotone": {"income": +1, "living area": -1},
    "convex": {"debt": +1, "over": -1},
    "invariant": ["region code", "swap(income, debt)", "move(income, 1)"],
    "weight": 0.5,
    "missing": "mask",
    "columns": ["income", "living area", "debt", "over", "region code"],
    "kernel": "gaussian(width = 2)",
}


@pytest.mark.parametrize("names", [n for k in (1, 2, 7) for n in itertools.combinations(PARTS, k)])
def test_every_spec_is_proved(names):
    checked = sipc.check(sipc.spec(**{n: PARTS[n] for n in names}), target="the price")
    assert checked.task == "real" and 'target "the price" : real' in checked.spec
    assert checked._repr_html_().startswith("<pre>")


def test_labels_and_classes():
    logic = sipc.spec(implies=[("cat", "animal"), ("dog", "animal")], excludes=[("cat", "dog"), ("not", "a b")])
    assert sipc.check(logic, target=["cat", "dog", "animal", "not", "a b"], aim="labels").task == "multilabel"
    late = sipc.spec(monotone={"debt": +1}, invariant=["age", "move(age, 1)"], label="late")
    assert "f(x, late)" in late and sipc.check(late, target="state", aim="classes", classes=["paid", "late", "lost"]).task == "class"


def test_a_column_with_parentheses_is_no_transformation():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.normal(size=(40, 3)), columns=["alcohol (%)", "left", "right"])
    text = sipc.spec(invariant=["alcohol (%)", "swap(left, right)"], weight=1e6)
    assert '|d/d("alcohol (%)") f|' in text and "t in {swap(left, right)}" in text
    model = sipc.SipcRegressor(text).fit(X, X["alcohol (%)"] + X.left)
    assert np.abs(model.predict(X.assign(**{"alcohol (%)": 0.0})) - model.predict(X)).max() < 0.01


def test_names_are_told_apart():
    text = sipc.spec(monotone={"a b": 1, "a_b": 1, "1st": -1, "end": 1, "rms": 1})
    assert sipc.check(text).method == "risk" and "invariance a_b_rises_2" in text and '"rms"' in text


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"monotone": {"a": 2}}, ValueError),
        ({"monotone": {"a": 1}, "unknown": 1}, TypeError),
    ],
)
def test_wrong_arguments(arguments, error):
    with pytest.raises(error):
        sipc.spec(**arguments)


def test_errors_mark_the_source():
    with pytest.raises(sipc.SpecError) as raised:
        sipc.SipcRegressor("kernel gausian\nfeatures nystrom\n").fit(np.arange(9.0).reshape(3, 3), [1.0, 2.0, 3.0])
    e = raised.value
    assert isinstance(e, ValueError) and e.code == "E306" and e.place == ("spec.inv", 2, 8)
    assert "2 | kernel gausian" in str(e) and "^^^^^^^" in e.marked and "Did you mean gaussian?" in str(e)
    assert e.diagnostics[0]["fixes"][0]["title"] and "gausian" in e._repr_html_()
    assert str(pickle.loads(pickle.dumps(e))) == str(e)
    with pytest.raises(sipc.SpecError, match="not convex|E4"):
        sipc.check(sipc.spec(extra="invariance i = rms over x of pos(1 - |f|)\nregularize i"))


def test_specs_from_files(tmp_path, monkeypatch):
    (tmp_path / "pairs.csv").write_text("a,b\n1,2\n3,4\n")
    path = tmp_path / "near.inv"
    path.write_text("kernel gaussian\nfeatures nystrom\ninvariance i = rms over (a, b) in graph(\"pairs.csv\") of |f(a) - f(b)|\nregularize i\nlearn ridge\n")
    X = np.arange(12.0).reshape(6, 2)
    for given in (path, str(path)):
        assert sipc.SipcRegressor(given).fit(X, X[:, 0]).report_["regularizer"][0]["functionals"] == 2
    monkeypatch.chdir(tmp_path)
    assert sipc.SipcRegressor(path.read_text()).fit(X, X[:, 0]).report_["spec"] == str(tmp_path / "spec.inv")
    with pytest.raises(FileNotFoundError):
        sipc.SipcRegressor("nowhere.inv").fit(X, X[:, 0])
    with pytest.raises(TypeError, match="spec must be"):
        sipc.SipcRegressor(7).fit(X, X[:, 0])


def test_values_override_lets():
    X = np.arange(20.0).reshape(10, 2)
    spec = "let w = 1\nkernel gaussian\nfeatures nystrom\ninvariance i = smooth(x1)\nregularize w * i\nlearn ridge\n"
    assert sipc.SipcRegressor(spec, values={"w": 7}).fit(X, X[:, 0]).report_["regularizer"][0]["weight"] == 7
    with pytest.raises(ValueError, match="aim|numbers"):
        sipc.SipcClassifier("data { target y : real }\n" + spec).fit(X, X[:, 0] > 5)


def test_arguments_are_named_as_python_does():
    X = np.arange(20.0).reshape(10, 2)
    with pytest.raises(sipc.SpecError, match=r"values\['zz'\]") as raised:
        sipc.SipcRegressor(values={"zz": 3}).fit(X, X[:, 0])
    assert "--" not in str(raised.value).replace("-->", "")
    with pytest.raises(sipc.SpecError, match="is not a value") as raised:
        sipc.SipcRegressor("let w = 1\n" + sipc.spec(), values={"w": "a b"}).fit(X, X[:, 0])
    assert """values={'w': '"a b"'}""" in str(raised.value) and "--set" not in str(raised.value)
    with pytest.raises(sipc.TimeLimitError, match="allow more by time_limit, or"):
        sipc.SipcRegressor(time_limit=1e-6).fit(X, X[:, 0])


def test_the_quoting_of_names():
    for name in ("area", "living area", "d", "f", "x", "n", "über", 'with "quotes"', "a\\b", "tab\there", *sorted(_spec.WORDS)):
        checked = sipc.check("data { columns %s, other }\nkernel linear\nfeatures nystrom\nlearn ridge\n" % _spec.quote(name), target="target y")
        assert checked.method == "plain", name
