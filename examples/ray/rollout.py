"""Runs a rollout job on a Ray cluster: a proxy and a rollout worker on each node, the gateway and the controller here.

    python rollout.py --nodes 4 \\
        --serve "engine.type=sglang engine.urls=[http://gpu0:30000] model.path=/models/policy" \\
        --worker "--agent /shared/agent.py:solve" \\
        --controller "--data tasks.jsonl --out out/batch.safetensors --group-size 4"

Ray places processes and ends them. The controller gives out the tasks, and again those of a node that died. Tasks in a queue of
Ray would be lost with the node that has the queue.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shlex
import subprocess
import sys

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy


class Program:
    """A program of Rolltape. Its log goes to standard error, which Ray shows on the console of the job."""

    def __init__(self, words: list[str], admin_key: str) -> None:
        self.words = words
        # Ray does not end the children of an actor that was killed. With setpriv, Linux does when the thread ends that
        # started them: here the main thread, which runs the methods of an actor.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "ROLLTAPE_ADMIN_API_KEY": admin_key},
            start_new_session=True,  # Ctrl-C reaches this process only.
        )
        ready = self.process.stdout.readline()  # one line of JSON, when the program accepts calls
        if not ready:
            self.wait()
            raise RuntimeError(f"`{shlex.join(words)}` ended before it was ready")
        self.url = json.loads(ready)["url"]

    def wait(self) -> None:
        """Waits for its end. Raises RuntimeError if it failed."""
        status = self.process.wait()
        if status != 0:
            raise RuntimeError(f"`{shlex.join(self.words)}` ended with status {status}")


@ray.remote
class Node:
    """The proxy and the rollout worker of a node. They end with this actor, and the actor ends with its node."""

    def __init__(self, rolltape: list[str], admin_key: str) -> None:
        self.rolltape, self.admin_key = rolltape, admin_key

    def start_proxy(self, arguments: list[str]) -> str:
        """Returns the address of the proxy for all nodes."""
        place = [f"server.host={ray.util.get_node_ip_address()}", "server.port=0"]
        self.proxy = Program([*self.rolltape, "serve", *place, *arguments], self.admin_key)
        return self.proxy.url

    def run_worker(self, arguments: list[str]) -> None:
        """Runs tasks until the controller has no more."""
        Program([*self.rolltape, "worker", *arguments], self.admin_key).wait()


def run(options: argparse.Namespace) -> int:
    """Returns the exit status of the controller."""
    rolltape, admin_key = shlex.split(options.rolltape), secrets.token_urlsafe(32)
    group = placement_group([{"CPU": options.cpus}] * options.nodes, strategy="STRICT_SPREAD")
    ray.get(group.ready())
    nodes = []
    for index in range(options.nodes):
        bundle = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=index)
        nodes.append(Node.options(num_cpus=options.cpus, scheduling_strategy=bundle).remote(rolltape, admin_key))
    proxies = ray.get([node.start_proxy.remote(shlex.split(options.serve)) for node in nodes])

    here = [f"server.host={ray.util.get_node_ip_address()}", "server.port=0"]
    # The proxy of a dead node does not return. Calls for its sessions need not wait: their episodes run again on other nodes.
    targets = [f"gateway.workers=[{','.join(proxies)}]", "gateway.worker_return_seconds=0"]
    gateway = Program([*rolltape, "gateway", *here, *targets], admin_key)
    job = ["--proxy", gateway.url, *shlex.split(options.controller)]
    controller = Program([*rolltape, "controller", *here, *job], admin_key)
    workers = []
    for node, proxy in zip(nodes, proxies, strict=True):
        addresses = ["--controller", controller.url, "--proxy", gateway.url if options.through_gateway else proxy]
        workers.append(node.run_worker.remote([*addresses, *shlex.split(options.worker)]))
    return wait(controller.process, workers)


def wait(controller: subprocess.Popen[str], workers: list[ray.ObjectRef]) -> int:
    """Waits for the end of the job, and prints its summary. Stops the job if it has no rollout worker any more."""
    is_over = False
    try:
        while workers and controller.poll() is None:
            ended, workers = ray.wait(workers, timeout=1)
            for worker in ended:
                try:
                    ray.get(worker)
                    is_over = True  # The controller said so.
                except ray.exceptions.RayError as error:
                    print(f"lost a rollout worker, {len(workers)} left: {error}", file=sys.stderr)
        if not workers and not is_over:
            controller.terminate()
    except KeyboardInterrupt:
        controller.terminate()
    print(controller.communicate()[0], end="")
    return controller.returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1, help="number of nodes")
    parser.add_argument("--cpus", type=int, default=1, help="CPUs that Ray reserves on each node")
    parser.add_argument("--serve", default="", metavar="ARGUMENTS", help="arguments of `rolltape serve`")
    parser.add_argument("--worker", default="", metavar="ARGUMENTS", help="arguments of `rolltape worker`")
    parser.add_argument("--controller", default="", metavar="ARGUMENTS", help="arguments of `rolltape controller`")
    parser.add_argument(
        "--through-gateway", action="store_true", help="workers call the gateway, not the proxy of their node"
    )
    parser.add_argument("--rolltape", default="rolltape", help="the command line's words, on all nodes")
    arguments = parser.parse_args()
    ray.init(address="auto")
    sys.exit(run(arguments))
