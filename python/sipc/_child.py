"""The process that does the work: one for the interpreter, started when it is first needed.

docs/stdio.md describes the messages. The process is started anew where it died, ends with the interpreter, and is never shared with a forked
process, which starts its own.
"""

import atexit
import json
import os
import subprocess
import threading

import numpy as np

from ._errors import ChildError, error_of
from ._program import program

PROTOCOL = 1

_KINDS = {"f8": "<f8", "i8": "<i8", "u1": "u1"}


class Answer:
    """A result: a dict, and arrays by name. Of several arrays of one name ``arrays`` has the last and ``each`` all, in order."""

    def __init__(self, header, buffers):
        self.result, self.seconds = header.get("result"), header.get("seconds", 0.0)
        self.each = []
        self.arrays = {}
        for a in header.get("arrays", ()):
            array = np.frombuffer(buffers[a["buffer"]], dtype=_KINDS[a["kind"]]).reshape(a["shape"])
            self.each.append((a["name"], array))
            self.arrays[a["name"]] = array


class Gone(Exception):
    """The process ended before it answered."""


class Child:
    """A process of ``sipc serve --stdio``. Calls of several threads wait for one another; a call from within another one is an error."""

    def __init__(self):
        self._lock = threading.RLock()
        self._process = None
        self._id = 0
        self._busy = False  # seen set by the thread that holds the lock: it calls from within a call

    def ask(self, op, args, buffers=(), hear=None):
        """Send a request and return its Answer.

        Parameters
        ----------
        op : str
        args : dict
        buffers : sequence of bytes-like objects
        hear : callable or None
            Called with each message that comes before the answer, a dict.

        Raises
        ------
        SipcError
            The program answers with an error, or cannot be started. Or the call comes from within another one, as from its progress function.
        """
        with self._lock:
            if self._busy:
                raise ChildError(
                    "a call of sipc is at work, and the function that hears of it calls sipc again; let it keep what it hears, and call sipc when the first call is over"
                )
            self._busy = True
            try:
                return self._asked(op, args, buffers, hear)
            finally:
                self._busy = False

    def _asked(self, op, args, buffers, hear):
        """Send a request, again where the process has died since the last one, and return the answer."""
        for last in (False, True):
            fresh = self._start()
            try:
                return self._converse(op, args, buffers, hear)
            except Gone as gone:
                status = self._end()
                if last or fresh:
                    raise ChildError("the program sipc ended in the middle of its work, with status %s: %s" % (status, gone)) from None

    def _start(self):
        """Start the process unless it runs; report whether it is new."""
        if self._process is not None and self._process.poll() is None:
            return False
        self._end()
        options = {"start_new_session": True}  # an interrupt of the terminal is not meant for it: calls are cancelled by message
        if os.name == "nt":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        path = program()
        try:
            self._process = subprocess.Popen([path, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        except OSError as error:
            raise ChildError("%s cannot be started: %s" % (path, error)) from error
        return True

    def _converse(self, op, args, buffers, hear):
        self._id += 1
        number = self._id
        message = message_of(number, op, args, buffers)
        sent = False
        try:
            self._send(message, buffers)
            sent = True
            while True:
                header, blobs = self._receive()
                if header["id"] != number:
                    continue  # of a call that was given up
                if header["kind"] in ("result", "error"):
                    break
                if hear is not None:
                    hear(header)
        except Gone:
            raise
        except BaseException:  # an interrupt, or an exception of whoever hears
            self._give_up(number, sent)
            raise
        if header["kind"] == "error":
            raise error_of(header["error"])
        return Answer(header, blobs)

    def _send(self, header, buffers):
        pipe = self._process.stdin
        try:
            pipe.write(header)
            for b in buffers:
                pipe.write(b)
            pipe.flush()
        except OSError as error:
            raise Gone(str(error)) from None

    def _receive(self):
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise Gone("no answer came")
        try:
            header = json.loads(line)
        except ValueError:
            raise Gone("what came is no answer: %r" % line[:80]) from None
        blobs = []
        for size in header["buffers"]:
            blob = self._process.stdout.read(size)
            if len(blob) != size:
                raise Gone("the answer is cut off")
            blobs.append(blob)
        return header, blobs

    def _give_up(self, number, sent):
        """Cancel a call that is interrupted, and wait until the process has ended it. A second interrupt ends the process."""
        try:
            if not sent:  # a message of which a part is written spoils what follows
                raise Gone("interrupted")
            self._send(message_of(0, "cancel", {"id": number}), ())
            while True:
                header, _ = self._receive()
                if header["id"] == number and header["kind"] in ("result", "error"):
                    return
        except BaseException:
            self._end(kill=True)

    def _end(self, kill=False):
        """End the process and return its status."""
        process, self._process = self._process, None
        if process is None:
            return None
        if kill:
            process.kill()
        try:
            process.stdin.close()
        except OSError:
            pass
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        return process.returncode

    def close(self):
        """End the process in good order. The next call starts another."""
        with self._lock:
            self._end()

    def forget(self):
        """Let go of a process that belongs to the interpreter from which this one was forked."""
        process, self._process, self._lock, self._busy = self._process, None, threading.RLock(), False
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            try:
                os.close(pipe.fileno())  # without a flush: what is buffered is the other interpreter's
            except (OSError, ValueError):
                pass
        process.returncode = 0  # so that nobody waits for it here
        _orphans.append(process)


def message_of(number, op, args, buffers=()):
    """Return the header of a request as it is sent. Numbers that are not finite are a ValueError."""
    header = {"sipc": PROTOCOL, "id": number, "op": op, "args": args, "buffers": [memoryview(b).nbytes for b in buffers]}
    return json.dumps(header, allow_nan=False).encode("utf-8") + b"\n"


_orphans = []  # whose pipes must not be flushed when they are collected
_child = Child()


def child():
    """Return the process of this interpreter."""
    return _child


atexit.register(_child.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_child.forget)
