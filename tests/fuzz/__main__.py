"""``python -m fuzz``: see ``driver``."""

import sys

from fuzz.driver import main

sys.exit(main(sys.argv[1:]))
