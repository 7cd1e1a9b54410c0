"""Scores the rows of a CSV file by a model file of sipc, with NumPy alone: python3 read_model.py MODEL DATA.

It knows methods plain, risk and dual with nystrom features of a gaussian kernel. docs/models.md describes the file."""
import csv, hashlib, json, sys
import numpy as np


def load(path):
    """Returns the header of a model file, with arrays in the place of their references."""
    first, header, blob = open(path, "rb").read().split(b"\n", 2)
    digest = hashlib.sha256(header + b"\n").hexdigest()
    if first.decode("utf-8", "replace") not in (f"sipc model {version} {digest}" for version in (11, 12, 13)):
        sys.exit(f"{path}: this is not a whole model file of version 11 to 13")

    def filled(v):
        if isinstance(v, dict) and set(v) == {"type", "offset", "shape"}:
            return np.frombuffer(blob, v["type"], int(np.prod(v["shape"])), v["offset"]).reshape(v["shape"])
        if isinstance(v, dict):
            return {k: filled(x) for k, x in v.items()}
        return [filled(x) for x in v] if isinstance(v, list) else v
    return filled(json.loads(header))


def prepared(p, rows):
    """Returns the prepared rows (rows × columns): numbers and texts in the order of the features, masks behind all."""
    columns, masks = [], []
    for f in p["features"]:
        cells = [row[f["name"]].strip() for row in rows]
        if f.get("text"):
            columns += [[float(c == text) for c in cells] for text in f["categories"]]
            continue
        raw = np.array([np.nan if c.lower() in ("", "na", "n/a", "nan", "null", "?") else float(c) for c in cells])
        plain, coded = np.isnan(raw), np.isin(raw, p.get("gaps", []))
        masks += ([plain] if f.get("mask") else []) + [raw == code for code in f.get("codes", [])]
        low, high = next((t["bounds"] for t in p.get("types", []) if t["column"] == f["name"] and "bounds" in t), (f["low"], f["high"]))
        raw = np.clip(raw, low, high) if p.get("outside") == "clip" else raw
        columns.append((np.where(plain | coded, f["fill"], raw) - f["offset"]) / f["scale"])
    x = np.array(columns + masks, float).T
    length = np.linalg.norm(x, axis=1, keepdims=True) if p.get("normalize") else 1
    return x / np.where(length == 0, 1, length)


def scores(m, x):
    """Returns f(x) (rows × labels): the kernel at the landmarks times the coefficients, and the biases."""
    features, fit = m["features"], m["fit"]
    known = m["method"] in ("plain", "risk", "dual") and "landmarks" in features and "at" not in features and "closure" not in m
    if not known or features["kernel"]["kind"] != "gaussian" or "sets" in fit or "odds" in fit or any("weights" in f for f in m["preparation"]["features"]):
        sys.exit("this reader knows plain, risk and dual on gaussian landmarks alone, without words, derivatives, log odds and closures")
    a = m.get("coefficients", features["whiten"] @ (m["scale"] * fit["weights"]).T)
    square = ((x[:, None, :] - features["landmarks"][None]) ** 2).sum(axis=2)
    return np.exp(-square / (2 * features["kernel"]["width"] ** 2)) @ a + fit["bias"]


if __name__ == "__main__":
    model = load(sys.argv[1])
    table = list(csv.DictReader(open(sys.argv[2], newline="", encoding="utf-8")))
    np.savetxt(sys.stdout, scores(model, prepared(model["preparation"], table)), "%.17g", ",")
