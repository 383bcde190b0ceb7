"""Pushes the weights of a folder to an SGLang server over gloo. usage: sglang_trainer.py URL FOLDER PORT distributed|bucket|tensor"""

import json
import sys
import threading
import urllib.request

import torch
from safetensors.torch import load_file
from sglang.srt.utils import MultiprocessingSerializer, init_custom_process_group

url, folder, port, way = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
GROUP = {"group_name": f"trainer-{port}"}
# Neither aborts requests nor flushes: the engine is paused, and Rolltape flushes at the end.
KEEP = {"abort_all_requests": False, "flush_cache": False}


def call(path, **body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as response:
        answer = json.load(response)
    if not answer["success"]:
        raise SystemExit(f"{path}: {answer['message']}")


def beside(task, path, **body):
    """Calls the server, and does the trainer's part of a collective meanwhile."""
    called = threading.Thread(target=call, args=(path,), kwargs=body)
    called.start()
    result = task()
    called.join()
    return result


def distribute(tensors):
    address = {"master_address": "127.0.0.1", "master_port": port, "rank_offset": 1, "world_size": 2, "backend": "gloo"}
    store = f"tcp://127.0.0.1:{port}"
    join = lambda: init_custom_process_group("gloo", store, world_size=2, rank=0, group_name=GROUP["group_name"])
    group = beside(join, "/init_weights_update_group", **address, **GROUP)
    names = list(tensors)
    dtypes = [str(tensors[name].dtype).removeprefix("torch.") for name in names]
    shapes = [list(tensors[name].shape) for name in names]
    described = {"names": names, "dtypes": dtypes, "shapes": shapes, **GROUP, **KEEP}
    if way == "bucket":
        from sglang.srt.weight_sync.tensor_bucket import FlattenedTensorBucket

        flat = FlattenedTensorBucket(named_tensors=list(tensors.items())).get_flattened_tensor()
        send = lambda: torch.distributed.broadcast(flat, src=0, group=group)
        described["load_format"] = "flattened_bucket"
    else:
        send = lambda: [torch.distributed.broadcast(tensors[name], src=0, group=group) for name in names]
    beside(send, "/update_weights_from_distributed", **described)
    call("/destroy_weights_update_group", **GROUP)


tensors = load_file(f"{folder}/model.safetensors")
call("/begin_weight_update")
if way == "tensor":
    torch.multiprocessing.set_sharing_strategy("file_system")
    serialized = MultiprocessingSerializer.serialize(list(tensors.items()), output_str=True)
    call("/update_weights_from_tensor", serialized_named_tensors=[serialized], **KEEP)
else:
    distribute(tensors)
call("/end_weight_update")
