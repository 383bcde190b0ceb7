"""Random conversations with a real server: retries, branches, rewritten histories and several roots."""

from __future__ import annotations

import random
from typing import Any

from rolltape import Client
from support import chat


def random_sessions(client: Client, count: int, seed: int, groups: int = 3) -> list[str]:
    """Returns the ids of ended sessions. Some have no group, no reward or no call."""
    rng = random.Random(seed)
    ids = []
    for number in range(count):
        client.grant_capacity()
        group = rng.choice([None, *(f"group-{group}" for group in range(groups))])
        with client.session(f"task-{number}", group) as session:
            histories: list[list[dict[str, Any]]] = [[]]
            interactions = []
            for step in range(rng.randint(0, 5)):
                history = [dict(message) for message in rng.choice(histories)]
                if history and rng.random() < 0.2:
                    history[0]["content"] = "Rewritten."
                history.append(
                    {"role": "user", "content": rng.choice(["a", "tell me", f"step {step} " * rng.randint(1, 4)])}
                )
                temperature = rng.choice([1.0, 0.7, 1.3])
                completion = chat(session, history, max_tokens=rng.randint(1, 9), temperature=temperature)
                answer = completion["choices"][0]["message"]["content"] or ""
                histories.append([*history, {"role": "assistant", "content": answer}])
                interactions.append(completion["id"])
            for interaction in interactions:
                if rng.random() < 0.6:
                    session.set_reward(rng.choice([0.0, 0.1, 1.0, -0.5, rng.random()]), interaction)
        ids.append(session.session_id)
    return ids
