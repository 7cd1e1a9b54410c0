"""Proofs, curves and what Jupyter shows."""

import pickle
import sys

import numpy as np
import pytest

import sipc


@pytest.fixture(scope="module")
def proved():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=50) > 0, "yes", "no")
    return sipc.SipcClassifier(sipc.spec(monotone={"x1": +1}, proved=True, kernel="additive(gaussian)")).fit(X, y), X


def test_what_is_required_is_proved(proved):
    model, X = proved
    verdicts = model.prove()
    assert verdicts and verdicts[0].answer == "proved" and verdicts[0].margin > 0 and "proved" in repr(verdicts)
    assert model.proved_at(X).all() and model.proved_at(X).dtype == bool
    with pytest.warns(sipc.DataWarning, match="nothing is proved there"):
        assert not model.proved_at(X + 100).any()


def test_further_statements(proved):
    model, X = proved
    verdicts = model.prove("d/d(x1) f <= 0 over x in box", "f(x) <= 1000 over x in rows", X=X)
    assert verdicts[0].answer == "refuted" and verdicts[0].at and not verdicts
    assert [v.answer for v in verdicts[1:]] == ["proved"] * 50  # a verdict for each row
    assert "refuted" in verdicts._repr_html_()
    with pytest.raises(sipc.SpecError) as raised:
        model.prove("d/d(x3) f >= 0 over x in box")
    assert raised.value.place == ("statement 1", 1, 5)
    with pytest.raises(sipc.UnprovableError, match="keep no statement"):
        sipc.SipcRegressor().fit(X, X[:, 0]).prove()
    with pytest.raises(sipc.UnprovableError):
        sipc.SipcRegressor().fit(X, X[:, 0]).proved_at(X)


def test_faults_of_statements_are_told_in_python(proved):
    model, X = proved
    with pytest.raises(sipc.SpecError, match="^statement 1: a number beyond"):
        model.prove("f <= 1e300 over x in box")
    with pytest.raises(sipc.SpecError, match="^large: a number beyond"):
        model.prove("large = f <= 1e300 over x in box")
    with pytest.raises(sipc.SpecError, match="^statement 2 is empty"):
        model.prove("f <= 1 over x in box", " ")
    with pytest.raises(sipc.UnprovableError) as raised:
        sipc.SipcRegressor().fit(X, X[:, 0]).prove()
    assert 'model.prove("f(x) >= 0 over x in box")' in str(raised.value) and "sipc prove" not in str(raised.value)


def test_curves_are_the_model(proved):
    model, X = proved
    first, second = model.curves()
    assert first.column == "x1" and not first.partial and set(first.values) == {"proved", "free"} and len(first.at) == len(first.values["proved"])
    assert (np.diff(first.values["proved"]) > -1e-9).all()
    rest = model.decision_function(X) - np.interp(X[:, 0], first.at, first.values["proved"]) - np.interp(X[:, 1], second.at, second.values["proved"])
    assert np.ptp(rest) < 0.01 * np.ptp(model.decision_function(X))
    partial = sipc.SipcRegressor().fit(X, X[:, 0]).curves(points=10)
    assert partial[0].partial and len(partial[0].at) == 11 and list(partial[0].values) == ["f"] and "x1" in repr(partial[0])


def test_plot(proved):
    model, _ = proved
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = model.plot()
    assert [a.get_xlabel() for a in axes.ravel()] == ["x1", "x2"] and len(axes.ravel()[0].get_lines()) == 2
    assert model.plot(["x2"]).ravel()[0].get_xlabel() == "x2"
    with pytest.raises(ValueError, match="no curve of x9"):
        model.plot(["x9"])
    with pytest.raises(ValueError, match="as many axes"):
        model.plot(axes=axes.ravel()[:1])


def test_curves_name_the_target_of_the_fit(people):
    pandas = pytest.importorskip("pandas")
    X, _, amount = people
    model = sipc.SipcRegressor().fit(X, pandas.Series(amount, name="price"))
    assert {c.of for c in model.curves(points=5)} == {"price"} == {c.of for c in pickle.loads(pickle.dumps(model)).curves(points=5)}
    assert {c.of for c in model.fit(X, amount).curves(points=5)} == {"y"}
    counts = sipc.SipcRegressor(sipc.spec(learn="poisson(C = 1)")).fit(X, pandas.Series(np.round(np.maximum(amount, 0)), name="visits"))
    assert {c.of for c in counts.curves(points=5)} == {"the log rate of visits"}
    own = sipc.SipcRegressor("data { target cost : real }\nkernel gaussian\nfeatures nystrom\n").fit(X, pandas.Series(amount, name="price"))
    assert {c.of for c in own.curves(points=5)} == {"cost"}


def test_plot_without_matplotlib(proved, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="matplotlib, which is not installed"):
        proved[0].plot()


def test_curves_of_texts(people):
    X, y, _ = people
    model = sipc.SipcClassifier(sipc.spec(kernel="additive(gaussian)")).fit(X, y)
    region = [c for c in model.curves() if c.column == "region"][0]
    assert region.levels[:3] == ["far, east", "north", "süd"] and len(region.at) == 0 and "levels" in repr(region)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert [t.get_text() for t in model.plot(["region"]).ravel()[0].get_xticklabels()] == region.levels


def test_what_jupyter_shows(proved):
    model, X = proved
    for text in (model._repr_html_(), model.report_._repr_html_(), model.spec_._repr_html_(), sipc.SipcClassifier()._repr_html_()):
        assert text.startswith("<") and "x in box" in text or "kernel" in text or "required" in text
    assert "&gt;= 0" in model._repr_html_() and "SipcClassifier" in model._repr_html_()
    steady = sipc.SipcRegressor(sipc.spec(invariant=["x1"])).fit(X, X[:, 1])
    assert steady.witnesses()["invariances"][0]["name"] == "free_of_x1" and "free_of_x1" in repr(steady.witnesses())
