"""Data of the tests, small and made by seed."""

import numpy as np
import pytest


@pytest.fixture
def people():
    """A data frame of 120 people, whether each pays, and how much."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X = pandas.DataFrame(
        {
            "income": rng.normal(50, 20, 120),
            "debt": rng.gamma(2, 3, 120),
            "children": rng.integers(0, 5, 120),
            "owner": rng.random(120) < 0.5,
            "region": rng.choice(["north", "süd", "far, east"], 120),
        }
    )
    score = X.income - 3 * X.debt + 5 * X.owner + rng.normal(0, 8, 120)
    return X, np.where(score > 30, "yes", "no"), score.to_numpy()
