"""The process behind the estimators."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import sipc
from sipc import _child

X = np.arange(40.0).reshape(20, 2)
y = np.arange(20) > 9


def process():
    return _child.child()._process


def test_one_process_serves_all_calls():
    model = sipc.SipcClassifier().fit(X, y)
    first = process().pid
    for _ in range(3):
        model.predict(X)
        sipc.SipcRegressor().fit(X, X[:, 0])
    assert process().pid == first


def test_a_process_that_died_is_started_anew():
    model = sipc.SipcClassifier().fit(X, y)
    before, first = model.predict_proba(X), process().pid
    os.kill(first, signal.SIGKILL)
    process().wait()
    assert (model.predict_proba(X) == before).all() and process().pid != first
    os.kill(process().pid, signal.SIGSTOP)  # it dies in the middle of a call
    threading.Timer(0.3, os.kill, (process().pid, signal.SIGKILL)).start()
    assert (model.predict_proba(X) == before).all()


def test_a_model_that_was_released_is_loaded_again():
    model = sipc.SipcClassifier().fit(X, y)
    before = model.predict_proba(X)
    _child.child().ask("release", {"model": model._about["model"]})
    assert (model.predict_proba(X) == before).all()


def test_threads_wait_for_one_another():
    models, expected = [], sipc.SipcClassifier().fit(X, y).predict_proba(X)

    def work():
        models.append(sipc.SipcClassifier().fit(X, y).predict_proba(X))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(models) == 8 and all((m == expected).all() for m in models)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_starts_its_own():
    model = sipc.SipcClassifier().fit(X, y)
    expected, own = model.predict_proba(X), process().pid
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            same = (model.predict_proba(X) == expected).all() and process().pid != own
            os.write(write, b"%d" % process().pid)
            _child.child().close()
            code = 0 if same else 2
        finally:
            os._exit(code)
    os.close(write)
    other = int(os.read(read, 20))
    os.close(read)
    assert os.waitpid(pid, 0)[1] == 0 and other != own
    assert process().pid == own and (model.predict_proba(X) == expected).all()


def test_an_interrupt_cancels_the_call_and_the_process_lives_on():
    rng = np.random.default_rng(0)
    many = rng.normal(size=(1200, 5))
    slow = sipc.SipcRegressor(sipc.spec(extra="invariance i = max over x of |d/d(x1) f|\nregularize i"), gap=1e-13)
    sipc.SipcClassifier().fit(X, y)
    first = process().pid
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.time()
    with pytest.raises(KeyboardInterrupt):
        slow.fit(many, many[:, 0] ** 2)
    assert time.time() - began < 20
    assert sipc.SipcClassifier().fit(X, y).score(X, y) == 1 and process().pid == first


def test_an_exception_of_whoever_hears_ends_the_call():
    first = sipc.version() and process().pid

    def stop(stage, done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sipc.SipcClassifier(verbose=stop).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(sipc.SipcWarning):
            sipc.SipcRegressor("kernel laplacian\nfeatures nystrom\ninvariance i = smooth(x1)\nregularize i\n").fit(X, X[:, 0])
    with pytest.raises(ValueError):
        sipc.SipcRegressor(gap=float("nan")).fit(X, X[:, 0])
    assert sipc.SipcClassifier().fit(X, y).score(X, y) == 1 and process().pid == first


def test_a_call_from_within_a_call_is_an_error():
    model, heard = sipc.SipcClassifier().fit(X, y), []
    first = process().pid

    def hear(stage, done, total):
        with pytest.raises(sipc.ChildError, match="calls sipc again"):
            model.predict(X)
        heard.append(stage)

    assert sipc.SipcClassifier(verbose=hear).fit(X, y).score(X, y) == 1 and heard
    with pytest.raises(sipc.ChildError, match="calls sipc again"):
        sipc.SipcClassifier(verbose=lambda stage, done, total: model.predict(X)).fit(X, y)
    assert (model.predict(X) == y).all() and process().pid == first


def test_the_process_ends_with_the_interpreter():
    code = "import numpy as np, sipc\nfrom sipc import _child\nsipc.version()\nprint(_child.child()._process.pid)\n"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    deadline = time.time() + 5
    while time.time() < deadline:
        try:
            os.kill(int(out.stdout), 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the process is still there")
    assert out.stderr == ""


def run_without(code, **env):
    keep = {k: v for k, v in os.environ.items() if k != "SIPC_BINARY"}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(keep, **env))


def test_where_the_program_is_looked_for(tmp_path):
    ask = "import sipc; print(sipc.version()['protocol'])"
    missing = run_without(ask, PATH=str(tmp_path))
    assert missing.returncode and "the program sipc is not found" in missing.stderr
    wrong = run_without(ask, SIPC_BINARY=str(tmp_path / "none"))
    assert wrong.returncode and "which is no program" in wrong.stderr
    (tmp_path / "sipc").symlink_to(os.environ["SIPC_BINARY"])
    assert run_without(ask, PATH=str(tmp_path)).stdout == "1\n"
    false = tmp_path / "false"
    false.write_text("#!/bin/sh\nexit 3\n")
    false.chmod(0o755)
    ended = run_without(ask, SIPC_BINARY=str(false))
    assert "ended in the middle of its work, with status 3" in ended.stderr


def test_faults_of_the_protocol_are_errors_of_their_kind():
    with pytest.raises(ValueError, match='no operation "fits"'):
        _child.child().ask("fits", {})
    with pytest.raises(ValueError, match="unknown field"):
        _child.child().ask("fit", {"speck": 1})
