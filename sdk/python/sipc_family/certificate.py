"""A self-signed certificate for one launch, on the curve P-256, from the standard library alone.

grpcio asks for a key and a certificate but cannot make them, and a family should need no other package. The key lives in this
process for as long as it runs and signs nothing but its certificate and the handshakes, so speed and constant time matter little.
"""

import base64
import datetime
import hashlib
import secrets

# NIST P-256: y^2 = x^3 - 3x + b over the field of P, of order N, with generator G.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def _double(point):
    """Twice a point in Jacobian coordinates (x / z^2, y / z^3)."""
    x, y, z = point
    if not y or not z:
        return 0, 1, 0
    yy = y * y % P
    s = 4 * x * yy % P
    zz = z * z % P
    m = 3 * (x - zz) * (x + zz) % P
    u = (m * m - 2 * s) % P
    return u, (m * (s - u) - 8 * yy * yy) % P, 2 * y * z % P


def _add(a, b):
    """The sum of two points in Jacobian coordinates."""
    if not a[2]:
        return b
    if not b[2]:
        return a
    zz1, zz2 = a[2] * a[2] % P, b[2] * b[2] % P
    u1, u2 = a[0] * zz2 % P, b[0] * zz1 % P
    s1, s2 = a[1] * zz2 * b[2] % P, b[1] * zz1 * a[2] % P
    if u1 == u2:
        return _double(a) if s1 == s2 else (0, 1, 0)
    h, r = (u2 - u1) % P, (s2 - s1) % P
    hh = h * h % P
    v = u1 * hh % P
    x = (r * r - hh * h - 2 * v) % P
    return x, (r * (v - x) - s1 * hh * h) % P, h * a[2] * b[2] % P


def multiply(k, point=G):
    """k times a point, in affine coordinates."""
    total, power = (0, 1, 0), (*point, 1)
    while k:
        if k & 1:
            total = _add(total, power)
        power = _double(power)
        k >>= 1
    z = pow(total[2], -1, P)
    return total[0] * z * z % P, total[1] * z * z * z % P


def sign(key, message):
    """The ECDSA signature (r, s) of a message's SHA-256."""
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    while True:
        k = 1 + secrets.randbelow(N - 1)
        r = multiply(k)[0] % N
        s = pow(k, -1, N) * (digest + r * key) % N
        if r and s:
            return r, s


def _tlv(tag, *parts):
    """An element of DER."""
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def _sequence(*parts):
    return _tlv(0x30, *parts)


def _integer(n):
    return _tlv(0x02, n.to_bytes(n.bit_length() // 8 + 1, "big"))


def _bits(raw, unused=0):
    return _tlv(0x03, bytes([unused]), raw)


def _octets(raw):
    return _tlv(0x04, raw)


def _oid(dotted):
    first, second, *rest = map(int, dotted.split("."))
    out = bytes([40 * first + second])
    for arc in rest:
        digits = [arc & 0x7F]
        while arc := arc >> 7:
            digits.append(0x80 | arc & 0x7F)
        out += bytes(reversed(digits))
    return _tlv(0x06, out)


def _extension(oid, critical, value):
    return _sequence(_oid(oid), _tlv(0x01, b"\xff") if critical else b"", _octets(value))


_SIGNATURE = _sequence(_oid("1.2.840.10045.4.3.2"))  # ecdsa-with-SHA256
_KEY = _sequence(_oid("1.2.840.10045.2.1"), _oid("1.2.840.10045.3.1.7"))  # an elliptic curve's, P-256


def _name(common):
    return _sequence(_tlv(0x31, _sequence(_oid("2.5.4.3"), _tlv(0x0C, common.encode()))))


def _time(t):
    return _tlv(0x18, t.strftime("%Y%m%d%H%M%SZ").encode())


def _extensions():
    return _sequence(
        _extension("2.5.29.19", True, _sequence(_tlv(0x01, b"\xff"))),  # basic constraints: its own authority
        _extension("2.5.29.15", True, _bits(b"\x84", 2)),  # key usage: digital signature, signing of certificates
        _extension("2.5.29.37", False, _sequence(_oid("1.3.6.1.5.5.7.3.1"), _oid("1.3.6.1.5.5.7.3.2"))),  # server, client
        _extension("2.5.29.17", False, _sequence(_tlv(0x82, b"localhost"))),  # its name
    )


def pem(kind, der):
    """DER as PEM."""
    text = base64.b64encode(der).decode()
    lines = [text[i:i + 64] for i in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""]).encode()


def new_certificate(now=None):
    """A new private key, in PEM, and a certificate of it for localhost, in DER, that holds for a year."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    key = 1 + secrets.randbelow(N - 1)
    x, y = multiply(key)
    public = b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")
    body = _sequence(
        _tlv(0xA0, _integer(2)),  # version 3
        _integer(1 + secrets.randbits(120)),
        _SIGNATURE,
        _name("localhost"),
        _sequence(_time(now - datetime.timedelta(hours=1)), _time(now + datetime.timedelta(days=365))),
        _name("localhost"),
        _sequence(_KEY, _bits(public)),
        _tlv(0xA3, _extensions()),
    )
    r, s = sign(key, body)
    certificate = _sequence(body, _SIGNATURE, _bits(_sequence(_integer(r), _integer(s))))
    private = _sequence(_integer(0), _KEY, _octets(_sequence(_integer(1), _octets(key.to_bytes(32, "big")))))
    return pem("PRIVATE KEY", private), certificate
