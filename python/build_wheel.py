#!/usr/bin/env python3
"""Build a wheel of the package sipc that holds the program for one platform. The standard library is enough.

    go build -trimpath -ldflags='-s -w' -o sipc ./cmd/sipc
    python3 python/build_wheel.py --platform linux/amd64 --binary sipc --out dist
"""

import argparse
import base64
import hashlib
import io
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))

# The tags of the platforms that Go names. The program for Linux needs no library, so that it runs on any. Since Go 1.25 programs need macOS 12.
TAGS = {
    "linux/amd64": "manylinux2014_x86_64",
    "linux/arm64": "manylinux2014_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

SUMMARY = "Teach a classifier what must not matter: estimators for specs of invariances, with proofs"


def version():
    """Return the version of the package."""
    with open(os.path.join(HERE, "sipc", "__init__.py"), encoding="utf-8") as file:
        return re.search(r'^__version__ = "([^"]+)"', file.read(), re.MULTILINE).group(1)


def metadata(number):
    """Return the file METADATA."""
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (
        "Metadata-Version: 2.1\nName: sipc\nVersion: %s\nSummary: %s\nHome-page: https://github.com/sipc-ml/sipc\nRequires-Python: >=3.8\n"
        "Requires-Dist: numpy>=1.20\nProvides-Extra: plot\nRequires-Dist: matplotlib; extra == \"plot\"\n"
        "Description-Content-Type: text/markdown\n\n%s" % (number, SUMMARY, readme)
    )


def wheel(tag):
    """Return the file WHEEL."""
    return "Wheel-Version: 1.0\nGenerator: build_wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-%s\n" % tag


def contents(binary, tag, number):
    """Return the files of a wheel without its RECORD: (name, bytes, mode), in order."""
    files = []
    package = os.path.join(HERE, "sipc")
    for name in sorted(os.listdir(package)):
        if name.endswith(".py"):
            with open(os.path.join(package, name), "rb") as file:
                files.append(("sipc/" + name, file.read(), 0o644))
    with open(binary, "rb") as file:
        files.append(("sipc/bin/sipc" + (".exe" if tag.startswith("win") else ""), file.read(), 0o755))
    info = "sipc-%s.dist-info/" % number
    files.append((info + "METADATA", metadata(number).encode("utf-8"), 0o644))
    files.append((info + "WHEEL", wheel(tag).encode("utf-8"), 0o644))
    return files


def digest(data):
    """Return the digest of a file as RECORD has it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode("ascii").rstrip("=")


def build(binary, platform, out):
    """Write a wheel and return its path. The same input makes the same bytes, and the file appears whole or not at all."""
    tag = TAGS.get(platform, platform)
    if not re.fullmatch(r"[A-Za-z0-9_.]+", tag):
        raise ValueError("%s is no platform: write a tag of wheels, or one of %s" % (platform, ", ".join(TAGS)))
    number = version()
    files = contents(binary, tag, number)
    record = "sipc-%s.dist-info/RECORD" % number
    lines = ["%s,%s,%d" % (name, digest(data), len(data)) for name, data, _ in files] + [record + ",,"]
    files.append((record, ("\n".join(lines) + "\n").encode("utf-8"), 0o644))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "sipc-%s-py3-none-%s.whl" % (number, tag))
    aside = path + ".part"
    try:
        with open(aside, "wb") as file:
            file.write(packed.getvalue())
        os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.remove(aside)
    return path


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--platform", required=True, help="a tag of wheels such as manylinux2014_x86_64, or one of " + ", ".join(TAGS))
    parser.add_argument("--binary", required=True, help="the program for that platform")
    parser.add_argument("--out", required=True, help="the folder of the wheel")
    o = parser.parse_args(arguments)
    try:
        print(build(o.binary, o.platform, o.out))
    except (OSError, ValueError) as error:
        print("error: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
