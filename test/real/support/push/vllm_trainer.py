"""Pushes the weights of a folder to a server with vllm_push.PushExtension. usage: vllm_trainer.py URL FOLDER PORT"""

import json
import sys
import threading
import urllib.request

from safetensors.torch import load_file
from vllm.distributed.utils import StatelessProcessGroup

url, folder, port = sys.argv[1], sys.argv[2], int(sys.argv[3])


def call(path, body):
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        return response.read()


kwargs = {"host": "127.0.0.1", "port": port}
receive = threading.Thread(target=call, args=("/collective_rpc", {"method": "receive_weights", "kwargs": kwargs}))
receive.start()
group = StatelessProcessGroup.create("127.0.0.1", port, rank=0, world_size=2)
tensors = load_file(f"{folder}/model.safetensors")
group.broadcast_obj(list(tensors), src=0)
for tensor in tensors.values():
    group.broadcast_obj(tensor, src=0)
receive.join()
