"""Renders prompts with Python's Jinja2, for renderer.ts.

Reads {"source": a template, "variables": [JSON text, ...]} from standard input, and writes the list of renderings to standard
output; null stands for an exception.
"""

import json
import sys
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "fixtures" / "conversation" / "jinja"))
from render import environment

request = json.load(sys.stdin)
env = environment()
env.globals["strftime_now"] = datetime.now().strftime
template = env.from_string(request["source"])


def render(variables):
    try:
        return template.render(**json.loads(variables))
    except Exception:
        return None


json.dump([render(variables) for variables in request["variables"]], sys.stdout)
