"""Takes batches out of shared memory with Rolltape's Python package, as a training loop does.

    take_batch.py URL KEY

Each line of standard input is a JSON list of ids of ended sessions. The answer is a line of JSON: {"seconds", "bytes",
"tensors"}, from the request of the batch until every tensor is an array (a PyTorch tensor if PyTorch is installed).
"""

import importlib.util
import json
import sys
import time

from rolltape import Client

has_torch = importlib.util.find_spec("torch") is not None

with Client(sys.argv[1], sys.argv[2]) as client:
    for line in sys.stdin:
        sessions = json.loads(line)
        started = time.perf_counter()
        with client.shared_batch(sessions) as batch:
            tensors = batch.torch() if has_torch else batch.tensors
            seconds = time.perf_counter() - started
            size = sum(tensor.nbytes for tensor in tensors.values())
            answer = {"seconds": seconds, "bytes": size, "tensors": len(tensors)}
            del tensors
        print(json.dumps(answer), flush=True)
