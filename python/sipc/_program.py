"""Where the program is, and what it is."""

import os
import shutil
import stat

from ._errors import ChildError

_NAME = "sipc.exe" if os.name == "nt" else "sipc"


def program():
    """Return the path of the program ``sipc``.

    It is the one inside the package, as wheels have it, else the one that the variable SIPC_BINARY names, else the first on the path.

    Raises
    ------
    ChildError
        There is none.
    """
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", _NAME)
    if os.path.isfile(own):
        if not os.access(own, os.X_OK):  # some tools unpack wheels without modes
            os.chmod(own, os.stat(own).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        return own
    named = os.environ.get("SIPC_BINARY")
    if named:
        if os.path.isfile(named) and os.access(named, os.X_OK):
            return named
        raise ChildError("SIPC_BINARY is %s, which is no program" % named)
    found = shutil.which("sipc")
    if found is None:
        raise ChildError("the program sipc is not found: install a wheel that holds it, set SIPC_BINARY to its path, or put it on PATH")
    return found


def version():
    """Return what the program says of itself: a dict of ``program``, ``protocol``, ``go`` and ``blas``."""
    from ._child import child

    return child().ask("version", {}).result
