"""Takes a batch of ended sessions out of a running proxy on this machine, without copying it.

    ROLLTAPE_ADMIN_API_KEY=… python3 trainer.py http://127.0.0.1:8090 SESSION_ID SESSION_ID --discount 0.9

A rank of a data-parallel trainer says which shard is its own (torchrun sets RANK and WORLD_SIZE, the defaults):

    python3 trainer.py http://127.0.0.1:8090 SESSION_ID SESSION_ID --shards 2 --shard 1

Needs Python 3.9's standard library alone. With PyTorch the tensors are torch tensors, else memoryviews.
"""

import argparse
import contextlib
import json
import math
import mmap
import os
import struct
import sys
import urllib.error
import urllib.request

try:
    import torch
except ImportError:
    torch = None

# dtypes of safetensors: the code of struct and memoryview, and the name in torch.
DTYPES = {"I32": ("i", "int32"), "F32": ("f", "float32"), "BOOL": ("?", "bool")}


class Proxy:
    """The trainer's calls of the proxy's HTTP API."""

    def __init__(self, url, admin_key):
        self.url = url.rstrip("/")
        self.headers = {"authorization": f"Bearer {admin_key}", "content-type": "application/json"}

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, self.headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            error = json.load(refusal)["error"]
            raise RuntimeError(f"{method} {path}: {error['code']}: {error['message']}") from None

    @contextlib.contextmanager
    def batch(self, session_ids, **options):
        """The metadata and the tensors of a batch in shared memory.

        Valid inside the `with` only: at its end the batch is acknowledged, and its memory may hold the next one. Copy to
        the device, or clone, what is needed longer. A process that dies before is noticed by its pid.
        """
        request = {"session_ids": session_ids, "transport": "shm", "reader_pid": os.getpid(), **options}
        lent = self.call("POST", "/export_batch", request)
        try:
            yield open_batch(lent["path"])
        finally:
            self.call("DELETE", f"/export_batch/{lent['id']}")


def open_batch(path):
    """Maps a safetensors file; answers its metadata and its tensors by name. No byte of them is read here."""
    with open(path, "rb") as file:
        # Private and writable, as torch wants it: a page is copied only if somebody writes to it.
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    return metadata, {name: tensor_at(data, 8 + length, spec) for name, spec in header.items()}


def tensor_at(data, start, spec):
    code, dtype = DTYPES[spec["dtype"]]
    shape = spec["shape"]
    begin, end = (start + offset for offset in spec["data_offsets"])
    if torch is None:
        values = memoryview(data)[begin:end]
        return values.cast(code, shape) if values else values.cast(code)
    if begin == end:
        return torch.empty(shape, dtype=getattr(torch, dtype))
    return torch.frombuffer(data, dtype=getattr(torch, dtype), count=math.prod(shape), offset=begin).reshape(shape)


def numbers(tensor):
    """All values of a tensor, one after the other."""
    return tensor.reshape(-1).tolist() if torch is not None else tensor.cast("B").cast(tensor.format).tolist()


def summary(metadata, tensors):
    """What a trainer would train on, in numbers."""
    trained = sum(numbers(tensors["loss_mask"]))
    rewards = tensors["node_rewards" if metadata["layout"] == "tree" else "rewards"]
    return {
        "rows": [row["interaction_id"] for row in json.loads(metadata["rows"])],
        "shapes": {name: list(tensor.shape) for name, tensor in tensors.items()},
        "trained_tokens": trained,
        # Log probabilities are 0 where nothing was sampled.
        "mean_logprob": sum(numbers(tensors["logprobs"])) / max(trained, 1),
        "rewards": numbers(rewards),
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("session_ids", nargs="+", metavar="session")
    parser.add_argument("--style", choices=["individual", "concat"], default="individual")
    parser.add_argument("--layout", choices=["padded", "packed", "tree"], default="padded")
    parser.add_argument("--discount", type=float, default=1.0)
    parser.add_argument("--pad-to-multiple-of", type=int, default=16)
    parser.add_argument("--shards", type=int, default=int(os.environ.get("WORLD_SIZE", "1")))
    parser.add_argument("--shard", type=int, default=int(os.environ.get("RANK", "0")))
    return parser.parse_args()


def main():
    options = vars(arguments())
    admin_key = os.environ.get("ROLLTAPE_ADMIN_API_KEY")
    if not admin_key:
        sys.exit("ROLLTAPE_ADMIN_API_KEY is not set")
    proxy = Proxy(options.pop("url"), admin_key)
    try:
        with proxy.batch(**options) as (metadata, tensors):
            print(json.dumps(summary(metadata, tensors)))
    except (RuntimeError, urllib.error.URLError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
