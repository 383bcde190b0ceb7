"""The task of every agent in this folder, and the address of its model. usage: NAME.py VARIANT REQUEST"""

import os
import subprocess
import sys

VARIANT, REQUEST = sys.argv[1:]
INSTRUCTIONS = "You work in a shell."
# Address of the server, without /v1.
BASE_URL = os.environ["BASE_URL"]
API_KEY = os.environ["API_KEY"]
MODEL = "any"
# JSON schema of run_command, for agents that are given no function.
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


def run_command(command: str) -> str:
    """Runs a command in a shell and returns what it prints.

    Args:
        command: the command line
    """
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout or f"status {done.returncode}"
