"""python3 -m sipc_family bundle SOURCE -o OUT"""

import sys

from .bundle import main

main(sys.argv[1:])
