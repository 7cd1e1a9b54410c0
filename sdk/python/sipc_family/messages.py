"""The messages of family.proto, made from its descriptor: no generated code that would tie us to a version of protobuf."""

import pkgutil

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "sipc.family.v1"
SERVICE = PACKAGE + ".Family"


def _classes():
    raw = pkgutil.get_data(__package__, "family.binpb")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(raw)
    if hasattr(message_factory, "GetMessageClass"):  # protobuf 4.22 and later
        make = message_factory.GetMessageClass
    else:
        make = message_factory.MessageFactory(pool).GetPrototype
    names = [m.name for m in descriptor_pb2.FileDescriptorProto.FromString(raw).message_type]
    return {name: make(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in names}


_messages = _classes()

DescribeRequest = _messages["DescribeRequest"]
Schema = _messages["Schema"]
DataPart = _messages["DataPart"]
OpenReply = _messages["OpenReply"]
CallPart = _messages["CallPart"]
BlockPart = _messages["BlockPart"]
ChunkPart = _messages["ChunkPart"]
CloseRequest = _messages["CloseRequest"]
CloseReply = _messages["CloseReply"]
