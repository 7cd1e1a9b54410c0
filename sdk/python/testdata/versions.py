"""A family that speaks those versions of the contract that the environment names."""

import os

from sipc_family import Family, Schema, serve, server


class Silent(Family):
    def describe(self):
        return Schema("silent", "1.0.0", "It adds nothing.")


oldest, newest = map(int, os.environ["SIPC_TEST_SPEAKS"].split("-"))
server.VERSIONS = tuple(range(oldest, newest + 1))
serve(Silent())
