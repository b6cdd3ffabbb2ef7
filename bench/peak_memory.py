"""Runs a command and prints the most memory it held, in bytes, as the last line of standard output.

    python bench/peak_memory.py COMMAND…

A small process of its own, since a child's peak counts what its parent held when it was forked.
"""

import os
import sys


def main(command):
    child = os.fork()
    if child == 0:
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    print(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(sys.argv[1:])
