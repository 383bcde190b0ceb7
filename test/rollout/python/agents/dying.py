import os
import sys

print("no GPU at import", file=sys.stderr, flush=True)
os._exit(5)
