"""scikit-learn's own checks of estimators."""

import warnings

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import sipc  # noqa: E402

# Checks that are skipped, by estimator and name, with the reason.
SKIPPED = {
    ("SipcEmbedding", "check_sample_weights_invariance", "zeros"): "the check shuffles rows, and the basis of embeddings follows the order of rows: "
    "inner products agree, as test_embedding.py checks, and coordinates do not",
}


@parametrize_with_checks([sipc.SipcClassifier(), sipc.SipcRegressor(), sipc.SipcEmbedding(sipc.spec(invariant=["x1"]))])
def test_conventions(estimator, check):
    keywords = getattr(check, "keywords", {})
    name = getattr(check, "func", check).__name__
    reason = SKIPPED.get((type(estimator).__name__, name, keywords.get("kind")))
    if reason:
        pytest.skip(reason)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sipc.SipcWarning)
        check(estimator)


def test_few_checks_are_skipped():
    assert len(SKIPPED) <= 3
