"""A Ray cluster on this machine: a head without CPUs, and nodes. Prints its address and the process ids of the nodes' raylets.

Each line of input kills the raylet of the next node. The cluster ends with its input.
"""

import json
import sys

from ray.cluster_utils import Cluster

NODES = 3
# The smallest object store that Ray accepts is 75 MiB.
NODE = {"object_store_memory": 80 * 2**20}

cluster = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 0, "include_dashboard": False})
nodes = [cluster.add_node(num_cpus=1, **NODE) for _ in range(NODES)]
raylets = [node.all_processes["raylet"][0].process for node in nodes]
print(json.dumps({"address": cluster.address, "raylets": [raylet.pid for raylet in raylets]}), flush=True)
for _, raylet in zip(sys.stdin, raylets, strict=False):
    raylet.kill()
    raylet.wait()  # For its workers, a process whose status nobody has read still runs.
for node in cluster.list_all_nodes():
    node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)
