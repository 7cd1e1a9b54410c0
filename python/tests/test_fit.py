"""Fits of classes, numbers and labels, from data frames and arrays."""

import pickle
import warnings

import numpy as np
import pytest

import sipc

pd = pytest.importorskip("pandas")


def test_classes_of_a_data_frame(people):
    X, y, _ = people
    model = sipc.SipcClassifier().fit(X, y)
    assert list(model.classes_) == ["no", "yes"] and model.n_features_in_ == 5
    assert list(model.feature_names_in_) == list(X.columns)
    p = model.predict_proba(X)
    assert p.shape == (120, 2) and np.allclose(p.sum(axis=1), 1)
    assert ((model.decision_function(X) > 0) == (model.predict(X) == "yes")).all()
    assert model.score(X, y) > 0.85
    assert model.spec_.startswith("data { target y : binary(no, yes); standardize }\n")
    assert model.report_["n_train"] == 120 and model.report_["n_test"] == 0 and model.report_["metrics"] == {}


def test_several_classes_and_their_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.array([10, 9, 100])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = sipc.SipcClassifier().fit(X, y)
    assert list(model.classes_) == [9, 10, 100] and model.decision_function(X).shape == (90, 3)
    assert (model.classes_[model.decision_function(X).argmax(axis=1)] == model.predict(X)).all()
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all()
    assert model.score(X, y) > 0.9


def test_a_binary_spec_in_another_order_and_with_rows_of_other_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.where(X[:, 0] > 0, 4, 9)
    y[:10] = 7
    model = sipc.SipcClassifier("data { target digit : binary(9, 4) }\nkernel gaussian\nfeatures nystrom\n").fit(X, y)
    assert list(model.classes_) == [4, 9] and model.report_["n_train"] == 80
    assert ((model.decision_function(X) > 0) == (model.predict(X) == 9)).all()
    assert (model.predict(X)[10:] == y[10:]).mean() > 0.9
    assert np.allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-model.decision_function(X))))


@pytest.mark.parametrize("y", [[0.0, 1.0], [True, False], ["1.5", "x"], [-1, 1]])
def test_classes_keep_their_type(y):
    X = np.arange(20.0).reshape(-1, 1)
    y = np.array(y)[(np.arange(20) > 9).astype(int)]
    model = sipc.SipcClassifier().fit(X, y)
    assert model.classes_.dtype == y.dtype and list(model.classes_) == sorted(set(y.tolist())) and model.score(X, y) == 1


def test_classes_that_are_one_to_the_spec_are_refused():
    with pytest.raises(ValueError, match="classes"):
        sipc.SipcClassifier().fit(np.arange(20.0).reshape(-1, 1), np.array(["1", "01"])[np.arange(20) % 2])


@pytest.mark.parametrize("name", ["NA", "null", "", " ", "?", "n/a"])
def test_classes_that_are_gaps_by_name_are_refused(name):
    X = np.arange(20.0).reshape(-1, 1)
    y = np.array(["yes", name])[(np.arange(20) > 9).astype(int)]
    for spec in (None, sipc.spec(missing="mean")):
        with pytest.raises(ValueError, match="is a gap by its name"):
            sipc.SipcClassifier(spec).fit(X, y)


def test_numbers_counts_and_quantiles(people):
    X, _, amount = people
    model = sipc.SipcRegressor().fit(X, amount)
    assert model.predict(X).shape == (120,) and model.score(X, amount) > 0.8
    counts = np.maximum(0, np.round(amount))
    poisson = sipc.SipcRegressor(sipc.spec(learn="poisson(C = 1)")).fit(X, counts)
    assert (poisson.predict(X) >= 0).all()
    levels = sipc.SipcRegressor(sipc.spec(learn="quantile(0.1, 0.5, 0.9)"), gap=1e-4).fit(X, amount)
    low, middle, high = levels.predict(X).T
    assert (low < high).mean() > 0.9 and ((middle > low) & (middle < high)).mean() > 0.8
    assert levels.score(X, amount) < 0


def test_labels_of_a_matrix_and_of_a_data_frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    cat = X[:, 0] > 0.5
    Y = np.column_stack([cat, cat | (X[:, 1] > 0)]).astype(int)
    spec = sipc.spec(implies=[("cat", "animal")])
    model = sipc.SipcClassifier(spec).fit(X, pd.DataFrame(Y, columns=["cat", "animal"]))
    assert list(model.classes_) == ["cat", "animal"] and model.predict(X).shape == (60, 2) and model.predict_proba(X).shape == (60, 2)
    assert model.score(X, Y) > 0.7
    named = sipc.SipcClassifier("data { target cat, animal : multilabel; standardize }\n" + spec.split("\n", 1)[1]).fit(X, Y)
    assert list(named.classes_) == ["cat", "animal"] and (named.predict_proba(X) == model.predict_proba(X)).all()


def test_unnamed_arrays_have_columns_x1_x2():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    free = sipc.SipcRegressor(sipc.spec()).fit(X, X[:, 0] ** 2 - X[:, 1])
    rising = sipc.SipcRegressor(sipc.spec(monotone={"x1": +1}, weight=100)).fit(X, X[:, 0] ** 2 - X[:, 1])
    assert not hasattr(free, "feature_names_in_")
    moved = X + [0.1, 0]
    assert ((rising.predict(moved) - rising.predict(X)) < -1e-3).mean() < 0.1 < ((free.predict(moved) - free.predict(X)) < -1e-3).mean()
    named = sipc.SipcRegressor(sipc.spec(monotone={"income": +1}, weight=100), columns=["income", "debt"]).fit(X, X[:, 0] ** 2 - X[:, 1])
    assert np.allclose(named.predict(X), rising.predict(X))


def test_kinds_of_columns(people):
    X, y, _ = people
    X = X.assign(
        kind=pd.Categorical(np.where(X.children > 1, "a", "b")), amount=pd.array([1, None] * 60, dtype="Int64"), seen=pd.array([True, None] * 60, dtype="boolean")
    )
    with pytest.raises(sipc.DataError, match="NaN"):
        sipc.SipcClassifier().fit(X, y)
    model = sipc.SipcClassifier(sipc.spec(missing="mean")).fit(X, y)
    assert model.score(X, y) > 0.8
    objects = X[["income", "region"]].to_numpy(dtype=object)
    assert sipc.SipcClassifier().fit(objects, y).score(objects, y) > 0.7
    with pytest.raises(sipc.DataError, match="dates") as raised:
        sipc.SipcClassifier().fit(X.assign(day=pd.Timestamp("2020-01-01")), y)
    assert raised.value.column == "day"


def test_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    plain = sipc.SipcClassifier(sipc.spec(learn="logistic(C = 2)")).fit(X, y)
    assert (sipc.SipcClassifier(sipc.spec(learn="logistic(C = 2)")).fit(X, y, np.ones(50)).predict_proba(X) == plain.predict_proba(X)).all()
    doubled = sipc.SipcClassifier(sipc.spec(learn="logistic(C = 1)")).fit(X, y, 2 * np.ones(50))
    assert np.abs(doubled.predict_proba(X) - plain.predict_proba(X)).max() < 1e-6 and "weight sample_weight" in doubled.spec_
    heavy = np.where(y == 1, 50.0, 1.0)
    assert sipc.SipcClassifier().fit(X, y, heavy).predict(X).sum() > sipc.SipcClassifier().fit(X, y).predict(X).sum()
    for bad in (-np.ones(50), np.ones(49), np.ones((50, 1)), np.full(50, np.nan), np.zeros(50)):
        with pytest.raises(ValueError):
            sipc.SipcClassifier().fit(X, y, bad)


def test_weights_are_copies_where_the_width_is_given():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(40, 2)), rng.normal(size=40), rng.integers(1, 4, 40)
    copies = np.repeat(np.arange(40), w)

    def difference(spec):
        return np.abs(sipc.SipcRegressor(spec).fit(X, y, w).predict(X) - sipc.SipcRegressor(spec).fit(X[copies], y[copies]).predict(X)).max()

    assert difference(sipc.spec(kernel="gaussian(width = 1.5)")) < 1e-9 < 1e-6 < difference(sipc.spec())


def test_a_column_called_id_is_warned_of():
    X = pd.DataFrame(np.arange(40.0).reshape(20, 2), columns=["Id", "a"])
    with pytest.warns(sipc.DataWarning, match='column "Id" names the rows') as seen:
        sipc.SipcRegressor().fit(X, X.a)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sipc.SipcRegressor(sipc.spec(columns=["a"])).fit(X, X.a)
        sipc.SipcRegressor(sipc.spec().replace("standardize", "ignore Id; standardize")).fit(X, X.a)
        sipc.SipcRegressor().fit(X.rename(columns={"Id": "number"}), X.a)


def test_gaps_among_texts_are_warned_of_when_they_are_new(people):
    X, _, amount = people
    model = sipc.SipcRegressor().fit(X, amount)
    with pytest.warns(sipc.DataWarning, match="an empty cell"):
        model.predict(X.assign(region=[None] + list(X.region[1:])))
    with pytest.raises(sipc.DataError, match="NaN or a gap"):
        model.predict(X.assign(debt=[np.nan] + list(X.debt[1:])))


def test_pandas_na_is_a_gap():
    X = np.array([[1, 2], [3, pd.NA], [4, 5], [6, 7]], dtype=object)
    with pytest.raises(sipc.DataError, match="NaN or a gap"):
        sipc.SipcRegressor().fit(X, np.arange(4.0))
    sipc.SipcRegressor(sipc.spec(missing="mean")).fit(X, np.arange(4.0))
    rows = np.arange(8.0).reshape(4, 2)
    for model, y in ((sipc.SipcClassifier(), ["a", "b", pd.NA, "a"]), (sipc.SipcRegressor(), [1, 2, pd.NA, 4])):
        with pytest.raises(ValueError, match="y contains NaN"):
            model.fit(rows, np.array(y, dtype=object))
    with pytest.raises(ValueError, match="y contains NaN"):
        sipc.SipcRegressor().fit(rows, pd.Series([1, 2, pd.NA, 4], dtype="Int64"))


def test_figures_of_test_rows(people):
    X, y, _ = people
    model = sipc.SipcClassifier().fit(X[:80], y[:80], test=(X[80:], y[80:]))
    assert model.report_["n_train"] == 80 and model.report_["n_test"] == 40
    assert model.report_["metrics"]["accuracy"] == pytest.approx(model.score(X[80:], y[80:]))


def test_models_travel(people, tmp_path):
    X, y, amount = people
    for model in (sipc.SipcClassifier().fit(X, y), sipc.SipcRegressor().fit(X, amount)):
        copy = pickle.loads(pickle.dumps(model))
        assert (copy.predict(X) == model.predict(X)).all() and copy.model_bytes_ == model.model_bytes_
        model.save(tmp_path / "m.sipc")
        loaded = sipc.load(tmp_path / "m.sipc")
        assert type(loaded) is type(model) and (loaded.predict(X) == model.predict(X)).all() and [p.name for p in tmp_path.iterdir()] == ["m.sipc"]
    (tmp_path / "m.sipc").write_bytes(b"sipc model 1")
    with pytest.raises(sipc.SipcError, match="model"):
        sipc.load(tmp_path / "m.sipc")


def test_columns_are_found_by_name(people):
    X, y, _ = people
    model = sipc.SipcClassifier().fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"debt": "debts"}))
    with pytest.raises(ValueError, match="same order"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="4 features, but SipcClassifier is expecting 5"):
        model.predict(X.to_numpy()[:, :4])
    with pytest.warns(UserWarning, match="valid feature names"):
        assert (model.predict(X.to_numpy()) == model.predict(X)).all()


def test_progress_and_limits(people, capfd):
    X, y, _ = people
    told = []
    sipc.SipcClassifier(verbose=lambda stage, done, total: told.append(stage)).fit(X, y)
    assert told
    sipc.SipcClassifier(verbose=True).fit(X, y)
    assert "sipc: " in capfd.readouterr().err
    rng = np.random.default_rng(0)
    many = rng.normal(size=(900, 5))
    slow = sipc.SipcRegressor(sipc.spec(extra="invariance i = max over x of |d/d(x1) f|\nregularize i"), gap=1e-12, time_limit=0.2)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            slow.fit(many, many[:, 0] ** 2)
            assert any(issubclass(w.category, sipc.GapWarning) and "time limit" in str(w.message) for w in seen)
        except sipc.TimeLimitError as error:
            assert "time limit" in str(error)
    with pytest.raises(sipc.MemoryLimitError):
        sipc.SipcRegressor("kernel gaussian\nfeatures fourier(count = 1000000)\n", memory=64 << 20).fit(many, many[:, 0])


def test_rows_outside_of_the_training_range_are_warned_of_at_the_call():
    X = np.arange(20.0).reshape(-1, 1)
    model = sipc.SipcRegressor().fit(X, X.ravel())
    with pytest.warns(sipc.DataWarning, match="outside the training range") as seen:
        model.predict(X + 100)
    assert seen[0].filename == __file__


def test_the_seed_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    spec = "kernel gaussian(width = 1)\nfeatures fourier(count = 20)\n"
    fits = [sipc.SipcRegressor(spec, random_state=s).fit(X, X[:, 0]).predict(X) for s in (1, 1, 2, np.random.RandomState(5), np.random.default_rng(5))]
    assert (fits[0] == fits[1]).all() and not (fits[0] == fits[2]).all()
    with pytest.raises(ValueError, match="random_state"):
        sipc.SipcRegressor(random_state=-1).fit(X, X[:, 0])


def test_probabilities_keep_implications(tmp_path):
    """No label is more probable than one that it implies, probabilities agree with what is decided, and the program says the same of rows."""
    import csv
    import os
    import subprocess

    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    cat = (X[:, 0] + 0.8 * rng.normal(size=60) > 0.5).astype(int)
    animal = np.maximum(cat, (X[:, 1] + 0.8 * rng.normal(size=60) > 0.5).astype(int))
    rows = rng.normal(size=(200, 2))
    for learn in ("svm(probabilities = on)", "logistic(C = 1)"):
        spec = "kernel gaussian(width = 2)\nfeatures nystrom\ninvariance logic = rms over x of implies(y1, y2)\nregularize 0.01 * logic\nlearn %s\n" % learn
        model = sipc.SipcClassifier(spec).fit(X, np.column_stack([cat, animal]))
        p = model.predict_proba(rows)
        assert (p[:, 0] <= p[:, 1]).all() and ((p > 0.5) == (model.predict(rows) == 1)).all()
        model.save(tmp_path / "model.sipc")
        np.savetxt(tmp_path / "rows.csv", rows, "%.17g", ",", header="x1,x2", comments="")
        subprocess.run([sipc.program(), "predict", "model.sipc", "rows.csv", "--out", "out.csv"], cwd=tmp_path, check=True, capture_output=True)
        with open(os.path.join(tmp_path, "out.csv"), newline="") as file:
            told = [[float(row["probability:y1"]), float(row["probability:y2"])] for row in csv.DictReader(file)]
        assert (np.array(told) == p).all()
