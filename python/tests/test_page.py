"""The Python of docs/python.md runs as it stands there, from the first line to the last."""

import os
import re
import shutil

import numpy as np
import pytest

import sipc

pytest.importorskip("sklearn")
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "python.md")
HOUSES = os.path.join(HERE, "..", "..", "examples", "houses", "houses.csv")


def blocks(kind):
    """Return the fenced blocks of the page of a kind."""
    with open(PAGE, encoding="utf-8") as file:
        return re.findall(r"^```%s\n(.*?)^```$" % kind, file.read(), re.DOTALL | re.MULTILINE)


@pytest.mark.filterwarnings("ignore::sipc.SipcWarning")
def test_page(people, tmp_path, monkeypatch, capsys):
    (tmp_path / "examples" / "houses").mkdir(parents=True)
    shutil.copy(HOUSES, tmp_path / "examples" / "houses")
    monkeypatch.chdir(tmp_path)
    X, paid, amount = people
    names = {"people": X.assign(paid=np.where(paid == "yes", "yes", "no")), "amount": amount}
    programs = blocks("python")
    assert len(programs) >= 5
    for program in programs:
        if program.startswith(">>> "):
            line, _, text = program.partition("\n")
            capsys.readouterr()
            exec(compile(line[4:], PAGE, "exec"), names)
            assert capsys.readouterr().out.rstrip("\n") == text.rstrip("\n")
        else:
            exec(compile(program, PAGE, "exec"), names)
    verdicts = names["model"].prove()
    assert verdicts and len(verdicts) == 2  # of the proved example
    names["model"].save("model.sipc")
    assert (sipc.load("model.sipc").predict(names["X"]) == names["model"].predict(names["X"])).all()


def test_the_error_of_the_page(people):
    X, _, amount = people
    shown = [b for b in blocks("") if b.startswith(">>>")]
    assert len(shown) == 1
    line, _, text = shown[0].partition("\n")
    with pytest.raises(sipc.SpecError) as caught:
        eval(line[4:], {"sipc": sipc, "X": X[["income", "debt"]], "amount": amount})
    told = "sipc.SpecError: " + re.sub(r"--> .*spec\.inv", "--> spec.inv", str(caught.value))
    assert told.startswith(text.rstrip("\n"))  # a line follows that names the page of the error
