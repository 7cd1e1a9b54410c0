"""Monotone trees for sipc-lab bench signs: python3 trees.py train.csv test.csv sweeps.csv job.json out.json

Two machines, scikit-learn's HistGradientBoosting and XGBoost, with the signs of columns that the job names. Their settings are those of the
least loss over five folds of the training rows. Needs Debian's python3-sklearn, python3-xgboost and python3-pandas."""

import json
import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before scikit-learn reads it

import numpy as np
import pandas
import xgboost
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV, KFold

GRIDS = {
    "sklearn": {"learning_rate": [0.03, 0.1], "max_iter": [100, 300], "max_leaf_nodes": [8, 31], "min_samples_leaf": [8, 20]},
    "xgboost": {"learning_rate": [0.03, 0.1], "n_estimators": [100, 300], "max_depth": [3, 6], "min_child_weight": [1, 8]},
}


def machine(kind, binary, signs):
    if kind == "sklearn":
        make = HistGradientBoostingClassifier if binary else HistGradientBoostingRegressor
        return make(monotonic_cst=signs, random_state=0)
    make = xgboost.XGBClassifier if binary else xgboost.XGBRegressor
    return make(monotone_constraints=tuple(signs), tree_method="hist", n_jobs=1, random_state=0)


def main():
    train, test, sweeps = (pandas.read_csv(path, na_values=["?"]) for path in sys.argv[1:4])
    job = json.load(open(sys.argv[4]))
    target, binary = job["target"], job["positive"] is not None
    numbers = [c for c in train.columns if c != target and pandas.api.types.is_numeric_dtype(train[c])]
    texts = [(c, v) for c in train.columns if c != target and c not in numbers for v in sorted(train[c].unique())]
    signs = [job["signs"].get(c, 0) for c in numbers] + [0] * len(texts)

    def rows(frame):
        x = np.column_stack([frame[numbers].to_numpy(float)] + [(frame[c] == v).to_numpy(float) for c, v in texts])
        for code in job["gaps"]:
            x[x == code] = np.nan
        return x

    y = (train[target] == job["positive"]).to_numpy(int) if binary else train[target].to_numpy(float)
    out = {}
    for kind, grid in GRIDS.items():
        search = GridSearchCV(machine(kind, binary, signs), grid, cv=KFold(5, shuffle=True, random_state=0),
                              scoring="neg_log_loss" if binary else "neg_mean_squared_error")
        began = time.time()
        search.fit(rows(train), y)
        seconds = time.time() - began
        score = (lambda x: search.predict_proba(x)[:, 1]) if binary else search.predict
        out[kind] = {"test": score(rows(test)).tolist(), "sweeps": score(rows(sweeps)).tolist(), "setting": ", ".join(f"{k} = {v}" for k, v in search.best_params_.items()),
                     "seconds": seconds, "last": search.refit_time_}
    json.dump(out, open(sys.argv[5], "w"), default=float)


main()
