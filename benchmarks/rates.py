"""Throughput of the hot kernels relative to the peak rates of one core.

Run it with `benchmarks/run rates`, which builds mmoc.
"""

import subprocess
import sys

subprocess.run(sys.argv[1:3], check=True)
