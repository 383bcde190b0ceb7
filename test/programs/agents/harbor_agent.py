"""Harbor's Terminus 2, with this machine as its environment."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

from harbor.agents.terminus_2 import Terminus2
from harbor.environments.base import ExecResult
from harbor.models.agent.context import AgentContext
from task import API_KEY, BASE_URL, MODEL, REQUEST, VARIANT


class ThisMachine:
    default_user = None
    session_id = "session"

    async def exec(self, command: str, **_) -> ExecResult:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_shell(command, stdout=pipe, stderr=pipe)
        stdout, stderr = await process.communicate()
        return ExecResult(stdout=stdout.decode(), stderr=stderr.decode(), return_code=process.returncode or 0)


async def main() -> None:
    agent = Terminus2(
        logs_dir=Path(os.environ["TMPDIR"]),
        model_name=f"hosted_vllm/{MODEL}",
        api_base=f"{BASE_URL}/v1",
        model_info={
            "max_input_tokens": 100_000,
            "max_output_tokens": 10_000,
            "input_cost_per_token": 0.0,
            "output_cost_per_token": 0.0,
        },
        record_terminal_session=False,
        collect_rollout_details=VARIANT == "with token ids",
        session_id="session-1",
        llm_kwargs={"api_key": API_KEY},
    )
    machine = ThisMachine()
    await agent.setup(machine)
    try:
        await agent.run(REQUEST, machine, context := AgentContext())
    finally:
        await machine.exec("tmux kill-server")
    print(context.rollout_details)


if not shutil.which("tmux"):
    sys.exit("Terminus 2 needs tmux.")
os.environ["TMUX_TMPDIR"] = os.environ["TMPDIR"]
asyncio.run(main())
