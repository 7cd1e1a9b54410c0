"""Serves a family to sipc: the handshake, the connection, the calls."""

import base64
import os
import signal
import sys
import threading
from concurrent import futures

import grpc

from . import _stdout, faults, messages, wire
from .block import Block, Chunk
from .certificate import new_certificate, pem
from .contract import VERSIONS, Schema, Session
from .errors import Cancelled, UserError

_LONGEST_ERROR = 4096
_THREADS = 16


def serve(family):
    """Serve the family to sipc, which started this program, until sipc ends it. It does not return.

    Started by hand, the program says what it is and exits with status 2.
    """
    if not _stdout.started_by_sipc():
        _introduce(family)
    threading.Thread(target=_end_with_sipc, daemon=True).start()
    version = _negotiate(os.environ.get("PLUGIN_PROTOCOL_VERSIONS", ""))
    client = os.environ.get("PLUGIN_CLIENT_CERT", "")
    if not client:
        sys.exit("sipc sends no certificate in PLUGIN_CLIENT_CERT: this program takes no connection without one")
    key, certificate = new_certificate()
    server = grpc.server(futures.ThreadPoolExecutor(_THREADS), options=[
        ("grpc.max_receive_message_length", wire.MAX_MESSAGE), ("grpc.max_send_message_length", wire.MAX_MESSAGE),
        ("grpc.so_reuseport", 0),
    ])
    server.add_generic_rpc_handlers(handlers(family))
    socket = os.path.join(os.environ.get("PLUGIN_UNIX_SOCKET_DIR", "."), f"family-{os.getpid()}")
    credentials = grpc.ssl_server_credentials([(key, pem("CERTIFICATE", certificate))], client.encode(), require_client_auth=True)
    if not server.add_secure_port("unix:" + socket, credentials):
        sys.exit(f"the socket {socket} cannot be listened on")
    server.start()
    faults.keep_lines()
    _stdout.greet(f"1|{version}|unix|{socket}|grpc|{base64.b64encode(certificate).decode().rstrip('=')}|{min(VERSIONS)}-{max(VERSIONS)}")
    server.wait_for_termination()


def _introduce(family):
    """Tell who starts the program by hand what it is."""
    name = _described(family).name
    sys.stderr.write(
        f'This program is the family "{name}" of invariances. sipc runs it for specs that say\n\n    use {name} from "{sys.argv[0]}"\n\n'
    )
    sys.exit(2)


def _negotiate(offered):
    """The newest version of the contract that both sides speak; without one, our own newest, which sipc refuses."""
    known = [v for v in VERSIONS if str(v) in offered.split(",")]
    if not known:
        sys.stderr.write(f"this family speaks version {', '.join(map(str, VERSIONS))} of the contract; sipc offers {offered or 'none'}\n")
    return max(known or VERSIONS)


def _end_with_sipc():
    """End this process and its children when sipc is gone: then standard input ends."""
    while os.read(0, 4096):
        pass
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


class _Sessions:
    """The sessions that are open, by number."""

    def __init__(self):
        self.lock, self.last, self.open = threading.Lock(), 0, {}

    def add(self, session, features):
        with self.lock:
            self.last += 1
            self.open[self.last] = session, features
            return self.last

    def get(self, number):
        with self.lock:
            if number not in self.open:
                raise _NoSession(number)
            return self.open[number]

    def remove(self, number):
        found = self.get(number)
        with self.lock:
            self.open.pop(number, None)
        return found


class _NoSession(Exception):
    """A call names a session that is not open."""


def handlers(family):
    """The handlers of the family's service, and of the health service that the handshake asks for."""
    s = _Service(family)
    family_methods = {
        "Describe": _handler(grpc.unary_unary_rpc_method_handler, s.describe, messages.DescribeRequest),
        "Open": _handler(grpc.stream_unary_rpc_method_handler, s.open, messages.DataPart),
        "Expand": _handler(grpc.stream_stream_rpc_method_handler, s.expand, messages.CallPart),
        "Map": _handler(grpc.stream_stream_rpc_method_handler, s.map, messages.CallPart),
        "Close": _handler(grpc.unary_unary_rpc_method_handler, s.close, messages.CloseRequest),
    }
    serving = grpc.unary_unary_rpc_method_handler(lambda request, context: b"\x08\x01")  # HealthCheckResponse{SERVING}
    return (
        grpc.method_handlers_generic_handler(messages.SERVICE, family_methods),
        grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": serving}),
    )


def _handler(make, behaviour, request):
    return make(behaviour, request_deserializer=request.FromString, response_serializer=_serialize)


def _serialize(message):
    return b"" if message is None else message.SerializeToString()  # None: of a call that nobody waits for any more


class _Service:
    """Answers the calls of family.proto from a family."""

    def __init__(self, family):
        self.family, self.sessions = family, _Sessions()

    def describe(self, request, context):
        with _Judge(context) as judge:
            judge.asked = self.family.describe
            return wire.schema_message(_described(self.family))

    def open(self, parts, context):
        with _Judge(context) as judge:
            data = wire.receive_data(parts)
            judge.asked = self.family.open
            session = faults.expect(self.family.open(data), Session, "open must return a Session")
            return messages.OpenReply(session=self.sessions.add(session, data.rows.cols))

    def expand(self, parts, context):
        with _Judge(context) as judge:
            head, args, _ = wire.receive_call(parts)
            session, _ = self.sessions.get(head.session)
            judge.asked = session.expand
            chunks = judge.asked = _chunks(session.expand(wire.domain_call(head, args, context.is_active)))
            for chunk in chunks:
                yield from wire.chunk_parts(faults.expect(chunk, Chunk, "expand must yield Chunks"))
                if not context.is_active():
                    return

    def map(self, parts, context):
        with _Judge(context) as judge:
            head, args, at = wire.receive_call(parts)
            session, features = self.sessions.get(head.session)
            judge.asked = session.map
            block = session.map(wire.map_call(head, args, at, features, context.is_active))
            yield from wire.block_parts(faults.expect(block, Block, "map must return a Block"), lambda part: part)

    def close(self, request, context):
        with _Judge(context):
            session, _ = self.sessions.remove(request.session)
            session.close()
            return messages.CloseReply()


def _described(family):
    return faults.expect(family.describe(), Schema, "describe must return a Schema")


def _chunks(answer):
    """What expand answered, if it can be iterated over; a Chunk, or nothing, can not."""
    if not hasattr(type(answer), "__iter__"):
        raise faults.WrongAnswer(f"expand must yield Chunks, but it returned {faults.described(answer)}: write `yield` before each Chunk")
    return iter(answer)


class _Judge:
    """Turns the exceptions of a family into statuses: what a user can mend is INVALID_ARGUMENT, the rest the family's fault."""

    def __init__(self, context):
        self.context = context
        self.asked = None  # the method of the family that is called, or the generator that it returned

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None or kind is GeneratorExit or not self.context.is_active():
            return kind is not None and kind is not GeneratorExit  # nobody listens any more
        if kind is Cancelled:
            self.context.abort(grpc.StatusCode.CANCELLED, "the call is cancelled")
        if kind is _NoSession:
            self.context.abort(grpc.StatusCode.NOT_FOUND, f"there is no session {error}")
        if issubclass(kind, UserError):
            self.context.abort(grpc.StatusCode.INVALID_ARGUMENT, _clip(" ".join(str(error).split())))
        if kind is not faults.WrongAnswer:  # whose trace has no line of the author's
            faults.print_trace(kind, error, trace)
        self.context.abort(grpc.StatusCode.INTERNAL, _clip(faults.headline(error, trace, self.asked)))
        return False


def _clip(text):
    return text if len(text) <= _LONGEST_ERROR else text[:_LONGEST_ERROR] + "…"
