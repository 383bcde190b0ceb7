"""A file with one agent, which imports a neighbour and the name of a standard module."""

import json

from helpers.score import score

_private = json.dumps


async def solve(task, context):
    return score(task)
