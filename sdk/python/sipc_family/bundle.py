"""Makes one program of a family and this package: a zip archive that Python runs.

sipc runs a private copy of a program, whose digest it pins, from a directory of its own: what the program imports must be
installed, or be in the program. The archive holds the family's file and a main program that runs it under its own name, the
modules beside it that are named, and this package.
The same files give the same bytes, and so the same digest.
"""

import io
import os
import sys
import tempfile
import zipfile

from .faults import FOLDER

_TIME = (1980, 1, 1, 0, 0, 0)
_PACKAGE_FILES = (".py", ".binpb")


def bundle(source, out, modules=(), python="/usr/bin/env python3"):
    """Write the program out, which runs the file source; modules are files or packages that it imports, besides. The program
    appears whole or not at all."""
    archive = io.BytesIO()
    archive.write(f"#!{python}\n".encode())
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as z:
        name = os.path.basename(source)
        _put(z, "__main__.py", f'__import__("sipc_family.faults").faults.run({name!r}, globals())\n'.encode())
        _write(z, f"{FOLDER}/{name}", source)
        for module in modules:
            _add(z, module)
        _add(z, os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.dirname(os.path.abspath(out))
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as f:
        try:
            f.write(archive.getvalue())
            f.flush()
            os.chmod(f.name, 0o755)
            os.replace(f.name, out)
        except BaseException:
            os.unlink(f.name)
            raise


def _add(z, path):
    """Add a file, or a package with all that is in it."""
    base = os.path.basename(path.rstrip("/"))
    if not os.path.isdir(path):
        _write(z, base, path)
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(files):
            if name.endswith(_PACKAGE_FILES):
                full = os.path.join(folder, name)
                _write(z, os.path.join(base, os.path.relpath(full, path)), full)


def _write(z, name, path):
    with open(path, "rb") as f:
        _put(z, name, f.read())


def _put(z, name, content):
    info = zipfile.ZipInfo(name.replace(os.sep, "/"), _TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    z.writestr(info, content)


def main(arguments):
    """The command line: bundle SOURCE -o OUT [MODULE …]."""
    import argparse

    parser = argparse.ArgumentParser(prog="python3 -m sipc_family", description="Tools for families written in Python.")
    commands = parser.add_subparsers(dest="command", required=True)
    b = commands.add_parser("bundle", help="make one program of a family and this package")
    b.add_argument("source", help="the family's file, which calls serve")
    b.add_argument("modules", nargs="*", help="files and packages that it imports, besides")
    b.add_argument("-o", "--out", required=True, help="the program, such as sipc-family-NAME")
    b.add_argument("--python", default="/usr/bin/env python3", help="what runs it")
    o, more = parser.parse_known_args(arguments)  # modules behind the options count as unknown
    if unknown := [a for a in more if a.startswith("-")]:
        b.error(f"unknown: {' '.join(unknown)}")
    try:
        bundle(o.source, o.out, o.modules + more, o.python)
    except OSError as error:
        sys.exit(f"{error.filename or o.source}: {error.strerror}")
