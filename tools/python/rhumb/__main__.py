"""The command line: `rhumb`, or `python3 -m rhumb`."""

import os
import sys

from . import binary


def main() -> None:
    os.execv(binary(), [binary(), *sys.argv[1:]])


if __name__ == "__main__":
    main()
