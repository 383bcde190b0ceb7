# A first hour with Rolltape, as commands. Paste it into bash block by block, in an empty folder; a test replays all of it.

# 1. Install. The server brings its own Node; llama.cpp runs a tiny model with random weights.
pip install "rolltape[embedded]" openai torch transformers

# 2. The demo: a dozen episodes and one batch.
rolltape demo
rolltape inspect out/batch.safetensors --rows 3

# 3. An agent of your own. It returns its reward.
cat > my_agent.py <<'EOF'
from openai import AsyncOpenAI


async def agent(task, session):
    async with AsyncOpenAI(base_url=f"{session.base_url}/v1", api_key=session.api_key, max_retries=0) as openai:
        messages = [{"role": "user", "content": task["question"]}]
        reply = await openai.chat.completions.create(model="policy", messages=messages, max_tokens=16)
        messages += [reply.choices[0].message.model_dump(exclude_none=True), {"role": "user", "content": "And in short?"}]
        reply = await openai.chat.completions.create(model="policy", messages=messages, max_tokens=8)
    text = reply.choices[0].message.content or ""
    return sum(map(str.islower, text)) / max(len(text), 1)
EOF

# 4. Its batch as tensors of PyTorch, and as tables.
cat > look.py <<'EOF'
import asyncio

import rolltape
from my_agent import agent
from rolltape import advantages

TASKS = [{"question": "1+1?"}, {"question": "2+3?"}]


async def main():
    async for step in rolltape.rollouts(agent, TASKS, n=4):
        batch = step.batch
        for name, tensor in batch.torch().items():
            print(name, tuple(tensor.shape), tensor.dtype)
        print("advantages", advantages.grpo(batch))
        print("finish reasons", batch.texts("finish_reason"))
        for part in batch.minibatches(256):
            print(part, part["input_ids"].size, "tokens")


asyncio.run(main())
EOF
python look.py

# 5. The same agent from the command line, on a file of tasks, with a transcript.
cat > command_agent.py <<'EOF'
import httpx


async def solve(task, base_url, api_key, **_):
    async with httpx.AsyncClient(timeout=600) as http:
        reply = await http.post(
            f"{base_url}/v1/chat/completions",
            headers={"authorization": f"Bearer {api_key}"},
            json={"messages": [{"role": "user", "content": task["question"]}], "max_tokens": 16},
        )
    return float(len(reply.json()["choices"][0]["message"]["content"] or "") % 2)
EOF
printf '%s\n' '{"question": "1+1?"}' '{"question": "2+3?"}' > tasks.jsonl
rolltape rollout --agent command_agent.py:solve --data tasks.jsonl --out out/mine.safetensors --group-size 4
rolltape view out/mine.safetensors.jsonl --html out/mine.html   # open it in a browser

# 6. Train for three steps. After Ctrl-C, the same command goes on where it stopped.
cat > train.py <<'EOF'
import asyncio

import rolltape
import torch
from my_agent import agent
from rolltape import advantages, attention
from transformers import AutoModelForCausalLM


async def main():
    model = None
    async for step in rolltape.rollouts(agent, [{"question": "Say a word"}] * 8, n=8, epochs=3, directory="run"):
        if model is None:
            weights = rolltape.load_state("run").weights or step.server.ready["model_path"]
            model = AutoModelForCausalLM.from_pretrained(weights, dtype=torch.float32)
            optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        batch, tensors = step.batch, step.batch.torch()
        new = attention.token_logprobs(model(**attention.model_arguments(batch)).logits, batch)
        advantage = torch.from_numpy(advantages.at_rows(batch, advantages.grpo(batch)))
        loss = -((new - tensors["logprobs"]).exp() * advantage * tensors["loss_mask"]).sum() / tensors["loss_mask"].sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.save_pretrained(f"run/weights-{step.version + 1}")
        await step.update_weights(f"run/weights-{step.version + 1}")
        print(f"step {step.index}: reward {step.metrics['reward/mean']:.3f}", flush=True)


asyncio.run(main())
EOF
python train.py
cat run/metrics.jsonl
