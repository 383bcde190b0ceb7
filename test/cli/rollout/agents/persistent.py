"""A persistent trainer for tests: it logs what it is told, and then does what BEHAVIOUR says.

Usage: persistent.py BEHAVIOUR LOG [WEIGHTS]
"""

import json
import math
import os
import signal
import sys
import time

behaviour, log, *weights = sys.argv[1:]


def write(fields):
    with open(log, "a") as file:
        file.write(json.dumps(fields) + "\n")


names = ["ROLLTAPE_VERSION", "ROLLTAPE_BATCH"]
told = {name: os.environ.get(name) for name in names}
write({**told, "url": os.environ["ROLLTAPE_URL"][:17], "key": len(os.environ["ROLLTAPE_ADMIN_KEY"]) > 15})
print("loading the model", flush=True)
if behaviour == "die at once":
    sys.exit(5)
if behaviour == "answer at once":
    print('{"version": 1}', flush=True)
if behaviour == "save":

    def save(*_):
        write({"saved": True})
        sys.exit(0)

    signal.signal(signal.SIGTERM, save)
for line in sys.stdin:
    order = json.loads(line)
    batch = order["batch"]
    absolute, there = os.path.isabs(batch), os.path.exists(batch)
    write({**order, "batch": os.path.basename(batch), "absolute": absolute, "there": there})
    print(f"step {order['step']}", flush=True)
    version = order["version"]
    if behaviour == "die":
        sys.exit(3)
    if behaviour == "end":
        sys.exit(0)
    if behaviour in ("hang", "save"):
        time.sleep(3600)
    print(
        {
            "keep": json.dumps({"version": version}),
            "metrics": json.dumps({"version": version + 1, "metrics": {"loss": 0.5 / (version + 1), "kl": math.nan}}),
            "no metrics": json.dumps({"version": version + 1, "metrics": [0.5]}),
            "echo": json.dumps({"version": version + 1, "step": order["step"]}),
            "another step": json.dumps({"version": version + 1, "step": order["step"] + 1}),
            "step of text": json.dumps({"version": version + 1, "step": str(order["step"])}),
            "leap": json.dumps({"version": version + 10}),
            "back": json.dumps({"version": version - 1}),
            "malformed": '{"version": \x1b[31m}',
            "wrong": '{"version": "1"}',
            "endless": '{"version": ' + " " * 2_000_000,
            "weights": json.dumps({"version": version + 1, "weights": "/nowhere/weights"}),
            "load": json.dumps({"version": version + 1, "weights": weights and weights[0]}),
            "weights of no version": json.dumps({"version": version, "weights": "/w"}),
        }.get(behaviour, json.dumps({"version": version + 1, "loss": 0.5})),
        flush=True,
    )
write({"ended": True})
if behaviour == "fail at the end":
    sys.exit(4)
