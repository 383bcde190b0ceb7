"""Reads safetensors files whose paths come line by line, with the standard library alone.

It demands what safetensors' own reader demands (SafeTensors::read_metadata and Metadata::validate in
https://github.com/huggingface/safetensors/blob/main/safetensors/src/tensor.rs): a header that is a JSON object without
repeated keys, tensors that follow each other from offset 0 without holes, each exactly as long as its dtype and shape say,
and a file that ends with the last of them.
"""

import json
import math
import mmap
import struct
import sys

MAX_HEADER_BYTES = 100_000_000
FORMATS = {"I64": "q", "I32": "i", "F32": "f", "U8": "B", "BOOL": "B"}


def unrepeated(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError(f"repeated keys in {keys}")
    return dict(pairs)


def read_header(view):
    (length,) = struct.unpack_from("<Q", view)
    if length > MAX_HEADER_BYTES or 8 + length > len(view):
        raise ValueError(f"a header of {length} bytes")
    text = view[8 : 8 + length].decode("utf-8")
    if not text.startswith("{"):
        raise ValueError("the header does not begin with {")
    return json.loads(text, object_pairs_hook=unrepeated), 8 + length


def check_metadata(metadata):
    if not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("metadata that is no text")


def read(path):
    with open(path, "rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header, data = read_header(view)
    metadata = header.pop("__metadata__", {})
    check_metadata(metadata)
    end = 0
    tensors = {}
    for name, tensor in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, after = tensor["data_offsets"]
        form = FORMATS[tensor["dtype"]]
        count = math.prod(tensor["shape"])
        if begin != end or after - begin != count * struct.calcsize("=" + form):
            raise ValueError(f"{name} has bytes {begin} to {after}, the one before ends at {end}")
        values = struct.unpack_from(f"<{count}{form}", view, data + begin)
        tensors[name] = {"dtype": tensor["dtype"], "shape": tensor["shape"], "data": values}
        end = after
    if data + end != len(view):
        raise ValueError(f"tensors end at {data + end}, the file at {len(view)}")
    return {"metadata": metadata, "tensors": tensors}


for line in sys.stdin:
    try:
        answer = read(line.rstrip("\n"))
    except (ValueError, KeyError, struct.error) as error:
        answer = {"refused": str(error)}
    print(json.dumps(answer), flush=True)
