"""Says what went wrong in a family's own code, and where: in the author's file, not in this package or what it calls."""

import linecache
import os
import sys
import traceback

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_HOME = sys.path[0]  # of the family's files: the program's archive, or the folder of its main file
_LONGEST = 200  # of an exception's text in a headline, which has a place after it

_program = None  # the name of the file that run runs


class WrongAnswer(TypeError):
    """A family's method answers with what it must not."""


def expect(value, kind, says):
    """The value, which must be of that kind; else WrongAnswer: says, and what came instead."""
    if not isinstance(value, kind):
        raise WrongAnswer(f"{says}, not {described(value)}")
    return value


def described(value):
    """The kind of a value, with its article: an int, a Chunk, None."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__} itself"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def headline(error, trace, asked=None):
    """One line on an exception in a call of the family: its kind, its text, and the place in the author's own file. asked is the
    method that was called, or the generator that it returned: it stands in where no line of the author's raised the exception."""
    text = _shortened(" ".join(_text(error).split()))
    if not isinstance(error, WrongAnswer):
        text = f"{type(error).__name__}: {text}".rstrip(": ")
    place = _last_own(trace) or _asked_at(asked) or _last(trace)
    return f"{text} ({place[0]}, line {place[1]})" if place else text


def show(kind, error, trace):
    """Write an exception that nobody caught to standard error: from the first line of the author's on, or in one line where a module
    is missing. It is meant for sys.excepthook."""
    if isinstance(error, ModuleNotFoundError):
        place = _last_own(trace)
        sys.stderr.write((f"{place[0]}, line {place[1]}: " if place else "") + _text(error) + "\n")
        return
    print_trace(kind, error, trace)


def print_trace(kind, error, trace):
    """Write an exception to standard error, from the first line of the author's on."""
    own = trace
    while own is not None and not _is_own(own.tb_frame.f_code.co_filename):
        own = own.tb_next
    if own is None and not isinstance(error, SyntaxError):  # which names its place itself
        own = trace
    traceback.print_exception(kind, error, own)


def run(name, namespace):
    """Run the family's file, which a bundle holds beside its __main__.py, as the main program: what goes wrong in it is said with the
    file's own name and lines."""
    from importlib.util import decode_source

    global _program
    _program = name
    sys.excepthook = show
    path = os.path.join(os.path.dirname(namespace["__file__"]), FOLDER, name)
    raw = namespace["__loader__"].get_data(path)
    code = compile(raw, name, "exec", dont_inherit=True)
    text = decode_source(raw)
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(code, namespace)


def keep_lines():
    """Read the lines of the author's modules, which a trace shows: the archive that they come from is gone once the family serves."""
    for module in list(sys.modules.values()):
        filename = getattr(module, "__file__", None)
        if isinstance(filename, str) and _is_own(filename) and module.__name__ != "__main__":
            linecache.getlines(filename, module.__dict__)


FOLDER = "__main__.d"
"""The folder of the family's file in a bundle; nothing can be imported from a folder of that name."""


def _text(error):
    """What an exception says; of a module that is missing, which Python lacks it, and what to do."""
    text = str(error)
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return text
    text += f" in {sys.executable}"
    top = error.name.partition(".")[0]
    if top in sys.modules:  # a part of it is missing
        return text
    return (
        f"{text}: pip install {top}, or put the python that has it first in PATH; "
        "a file of the family's own is named to `sipc_family bundle`"
    )


def _shortened(text):
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _is_own(filename):
    """Whether a file is the author's."""
    if filename == _program:
        return True
    path = os.path.abspath(filename)
    return path.startswith(os.path.abspath(_HOME) + os.sep) and not path.startswith(_HERE)


def _lines(trace):
    """The places of a trace, the innermost first."""
    places = []
    while trace is not None:
        places.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return reversed(places)


def _named(filename, line):
    return os.path.basename(filename), line


def _last_own(trace):
    """The innermost place of a trace that is the author's, None where there is none."""
    return next((_named(*at) for at in _lines(trace) if _is_own(at[0])), None)


def _last(trace):
    """The innermost place of a trace."""
    return next((_named(*at) for at in _lines(trace)), None)


def _asked_at(asked):
    """Where the author's method begins, or where a generator of the author's stands."""
    frame = getattr(asked, "gi_frame", None)
    code = getattr(asked, "gi_code", None) or getattr(asked, "__code__", None)
    if code is None or not _is_own(code.co_filename):
        return None
    return _named(code.co_filename, frame.f_lineno if frame is not None else code.co_firstlineno)
