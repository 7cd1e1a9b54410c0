"""Without grpcio the package says for which Python to install it."""

import subprocess
import sys
import unittest


class Missing(unittest.TestCase):
    def test_says_for_which_python(self):
        for module in "grpc", "google.protobuf":
            for cookie in {}, {"SIPC_FAMILY": "1f6d8c2e"}:
                done = subprocess.run(
                    [sys.executable, "-c", f"import sys; sys.modules[{module!r}] = None; import sipc_family"],
                    env={"PYTHONPATH": ":".join(filter(None, sys.path)), **cookie}, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, 1)
                last = done.stderr.strip().splitlines()[-1]
                self.assertIn(f"sipc_family needs grpcio for {sys.executable}: pip install grpcio protobuf", last)
                if cookie:
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
