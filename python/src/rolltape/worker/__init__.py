"""Worker process for Python agents. It needs the standard library only.

The parent process (``rolltape rollout``, or ``PythonAgent`` in JavaScript) sends tasks as JSON lines on standard input and
reads results as JSON lines from standard output. The agent's module is imported once. Asynchronous agents run many tasks
at once, synchronous ones one task at a time.

``python -m rolltape.worker`` starts it by hand. The first line names the agent:

    {"type": "load", "file": "/path/agent.py", "name": "solve", "arguments": {}}
"""
