"""Checksums of a batch, https://huggingface.co/docs/safetensors."""

import hashlib
import json
import struct


def tensor_checksums(batch: memoryview) -> dict[str, str]:
    """The SHA-256 of every tensor by its name. The metadata is left out: it tells of the server and of the moment."""
    (length,) = struct.unpack_from("<Q", batch)
    header = json.loads(bytes(batch[8 : 8 + length]))
    header.pop("__metadata__", None)
    data = batch[8 + length :]
    return {
        name: hashlib.sha256(data[slice(*tensor["data_offsets"])]).hexdigest() for name, tensor in header.items()
    }
