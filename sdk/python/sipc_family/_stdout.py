"""Standard output belongs to the handshake: whatever else is printed goes to standard error, and so to the user's log."""

import os
import sys

COOKIE_KEY, COOKIE_VALUE = "SIPC_FAMILY", "1f6d8c2e"


def _guard():
    """Point standard output at standard error, and return a descriptor of what it was; None if sipc did not start this."""
    if os.environ.get(COOKIE_KEY) != COOKIE_VALUE:
        return None
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    return kept


_kept = _guard()


def started_by_sipc():
    """Whether sipc started this program."""
    return _kept is not None


def greet(line):
    """Write the one line that belongs on standard output."""
    os.write(_kept, (line + "\n").encode())
