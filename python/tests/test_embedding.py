"""Embeddings."""

import numpy as np
import pytest

import sipc


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return X, (X[:, 0] > 0).astype(int)


def test_invariance_brings_rows_together(rows):
    X, y = rows
    free = sipc.SipcEmbedding(sipc.spec()).fit(X, y)
    steady = sipc.SipcEmbedding(sipc.spec(invariant=["x1"], weight=10)).fit(X, y)
    moved = X + [0.05, 0, 0]
    far = [np.linalg.norm(m.transform(moved) - m.transform(X), axis=1).mean() for m in (free, steady)]
    assert far[1] < far[0] / 3
    assert free.transform(X).shape == (40, len(free.get_feature_names_out()))


def test_inner_products_are_the_kernel_of_the_norm_in_any_order_of_rows(rows):
    X, y = rows
    order = np.random.default_rng(1).permutation(40)
    spec = sipc.spec(invariant=["x1"])
    weight = np.ones(40)
    weight[5:10] = 0
    products = []
    for at in (np.arange(40), order):
        m = sipc.SipcEmbedding(spec).fit(X[at], y[at], weight[at])
        products.append(m.transform(X) @ m.features(X).T / m.report_["scale"])
    kept = sipc.SipcEmbedding(spec).fit(np.delete(X, range(5, 10), 0), np.delete(y, range(5, 10)))
    products.append(kept.transform(X) @ kept.features(X).T / kept.report_["scale"])
    assert np.allclose(products[0], products[0].T, atol=1e-6)
    for other in products[1:]:
        assert np.allclose(products[0], other, atol=1e-6)


def test_targets_of_embeddings(rows):
    X, y = rows
    assert sipc.SipcEmbedding().fit(X, X[:, 1]).report_["task"] == "real"
    assert sipc.SipcEmbedding().fit(X, y).report_["task"] == "binary"
    labels = np.column_stack([y, 1 - y])
    m = sipc.SipcEmbedding("kernel gaussian\nfeatures nystrom\ninvariance i = rms over x of implies(y1, y2)\nregularize i\nmethod embed\n").fit(X, labels)
    assert m.transform(X).shape == (40, len(m.get_feature_names_out()))
    with pytest.raises(ValueError, match="makes no embeddings"):
        sipc.SipcEmbedding(method="risk").fit(X, y).transform(X)
