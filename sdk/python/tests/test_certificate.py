"""The certificate holds what it must, and its arithmetic is that of the curve."""

import hashlib
import ssl
import unittest

from sipc_family import certificate
from sipc_family.certificate import G, N, P, multiply, new_certificate, pem, sign

B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


class Curve(unittest.TestCase):
    def test_known_multiples(self):  # of the test vectors published for NIST P-256
        self.assertEqual(multiply(1), G)
        self.assertEqual(multiply(2)[0], 0x7CF27B188D034F7E8A52380304B51AC3C08969E277F21B35A60B48FC47669978)
        self.assertEqual(multiply(112233445566778899)[0], 0x339150844EC15234807FE862A86BE77977DBFB3AE3D96F4C22795513AEAAB82F)
        self.assertEqual(multiply(N - 1), (G[0], P - G[1]))

    def test_multiples_lie_on_the_curve(self):
        for k in (3, 2**200 + 1, N - 2):
            x, y = multiply(k)
            self.assertEqual(y * y % P, (x**3 - 3 * x + B) % P)

    def test_signatures_verify(self):
        key = 0x1234567890ABCDEF
        r, s = sign(key, b"message")
        w = pow(s, -1, N)
        e = int.from_bytes(hashlib.sha256(b"message").digest(), "big")
        q = multiply(key)
        a, b = (*multiply(e * w % N), 1), (*multiply(r * w % N, q), 1)
        x, _, z = certificate._add(a, b)
        self.assertEqual(x * pow(z, -2, P) % P % N, r)


class Certificates(unittest.TestCase):
    def test_the_standard_library_takes_it(self):
        import tempfile

        key, der = new_certificate()
        text = pem("CERTIFICATE", der)
        self.assertEqual(ssl.PEM_cert_to_DER_cert(text.decode()), der)
        with tempfile.NamedTemporaryFile() as f:
            f.write(key + text)
            f.flush()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f.name)  # fails unless the key is the certificate's
            context.load_verify_locations(cadata=der)
            names = [c["subject"] for c in context.get_ca_certs()]
        self.assertEqual(names, [((("commonName", "localhost"),),)])

    def test_no_two_are_alike(self):
        self.assertNotEqual(new_certificate()[0], new_certificate()[0])


if __name__ == "__main__":
    unittest.main()
