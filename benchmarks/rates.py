"""How near the hot kernels come to what one core can do.

Run it with `benchmarks/run rates`, which builds our side.
"""

import subprocess
import sys

subprocess.run(sys.argv[1:3], check=True)
