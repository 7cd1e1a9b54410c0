"""Wheels of all platforms, without the programs of the others."""

import base64
import csv
import email
import hashlib
import importlib.util
import io
import os
import zipfile

import pytest

import sipc

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build_wheel.py")

# What the platform compatibility tags of the Python Packaging User Guide say of each: the program has no library to look for, needs macOS 12
# at least, as programs of Go 1.25 do, and a Windows of that processor.
EXPECTED = {
    "linux/amd64": "manylinux2014_x86_64",
    "linux/arm64": "manylinux2014_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("build_wheel", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(script, tmp_path, platform, folder="dist"):
    binary = tmp_path / "program"
    binary.write_bytes(b"the program of " + platform.encode())
    return script.build(str(binary), platform, str(tmp_path / folder))


@pytest.mark.parametrize("platform", sorted(EXPECTED))
def test_wheels(script, tmp_path, platform):
    path = build(script, tmp_path, platform)
    stem = "sipc-%s" % sipc.__version__
    assert os.path.basename(path) == "%s-py3-none-%s.whl" % (stem, EXPECTED[platform])
    with zipfile.ZipFile(path) as archive:
        entries = {e.filename: e for e in archive.infolist()}
        contents = {name: archive.read(name) for name in entries}
    about = email.message_from_bytes(contents[stem + ".dist-info/WHEEL"])
    assert about["Wheel-Version"] == "1.0" and about["Root-Is-Purelib"] == "false" and about.get_all("Tag") == ["py3-none-" + EXPECTED[platform]]
    meta = email.message_from_bytes(contents[stem + ".dist-info/METADATA"])
    assert meta["Name"] == "sipc" and meta["Version"] == sipc.__version__ and "numpy>=1.20" in meta.get_all("Requires-Dist")
    name = "sipc/bin/sipc" + (".exe" if platform.startswith("windows") else "")
    assert contents[name] == b"the program of " + platform.encode() and "sipc/__init__.py" in contents
    for entry in entries.values():
        mode = entry.external_attr >> 16
        assert entry.create_system == 3 and mode & 0o170000 == 0o100000  # a plain file of Unix, whose mode pip keeps
        assert mode & 0o777 == (0o755 if entry.filename == name else 0o644)


def test_records(script, tmp_path):
    path = build(script, tmp_path, "linux/amd64")
    with zipfile.ZipFile(path) as archive:
        record = [n for n in archive.namelist() if n.endswith(".dist-info/RECORD")]
        rows = list(csv.reader(io.StringIO(archive.read(record[0]).decode("utf-8"))))
        assert sorted(r[0] for r in rows) == sorted(archive.namelist()) and [r[0] for r in rows if r[1:] == ["", ""]] == record
        for name, digest, size in rows:
            if name in record:
                continue
            data = archive.read(name)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() and int(size) == len(data)


def test_the_same_input_makes_the_same_bytes(script, tmp_path):
    paths = [build(script, tmp_path, "darwin/arm64", folder) for folder in ("a", "b")]
    first, second = (open(p, "rb").read() for p in paths)
    assert first == second


def test_tags_are_those_that_pip_knows():
    """Where pip lists the tags of a platform, ours is among those of a machine that can run the program."""
    tags = pytest.importorskip("pip._vendor.packaging.tags")
    for processor in ("x86_64", "arm64"):
        assert "macosx_12_0_" + processor in tags.mac_platforms((12, 6), processor)
        assert "macosx_12_0_" + processor not in tags.mac_platforms((11, 0), processor)


def test_other_platforms(script, tmp_path):
    assert os.path.basename(build(script, tmp_path, "manylinux_2_28_ppc64le")).endswith("-py3-none-manylinux_2_28_ppc64le.whl")
    with pytest.raises(ValueError, match="is no platform"):
        build(script, tmp_path, "plan9/amd64")
