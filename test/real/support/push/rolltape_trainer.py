"""Pushes weights with `rolltape.weights`. usage: rolltape_trainer.py PUSHES, a list in JSON as `Push` in push-weights.ts."""

import json
import os
import sys

from rolltape import WeightsError
from rolltape.weights import TensorSender, WeightPush
from safetensors.torch import load_file

pushes = json.loads(sys.argv[1])


def read(push):
    for index, item in enumerate(load_file(f"{push['folder']}/model.safetensors").items()):
        if index == push.get("failAfter"):
            raise RuntimeError("the trainer fails")
        if index == push.get("endAfter"):
            os._exit(0)
        yield item


first = pushes[0]
sender = TensorSender(
    first["engine"],
    address="127.0.0.1",
    backend=first.get("backend", "gloo"),
    bucket_bytes=first.get("bucketBytes", 100_000),
    timeout=first.get("timeout", 60),
)
with WeightPush(first["url"], first["key"], sender) as push:
    for each in pushes:
        try:
            record = push.push(each["version"], read(each))
            print(json.dumps({"record": record}))
        except WeightsError as error:
            print(json.dumps({"error": str(error)}))
