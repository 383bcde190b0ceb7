"""NeMo Gym 0.7: a model server whose model is behind a proxy. `docs/guides/nemo-gym.md` has its configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import Request
from nemo_gym.base_responses_api_model import BaseResponsesAPIModelConfig, SimpleResponsesAPIModel
from nemo_gym.openai_utils import (
    NeMoGymAsyncOpenAI,
    NeMoGymChatCompletion,
    NeMoGymChatCompletionCreateParamsNonStreaming,
    NeMoGymResponse,
    NeMoGymResponseCreateParamsNonStreaming,
)
from nemo_gym.rollout_correlation import current_rollout_id, maybe_rollout_id_from_run_body
from nemo_gym.server_utils import SESSION_ID_KEY

from .client import AsyncClient, calls

__all__ = ["RolltapeModel", "RolltapeModelConfig", "set_rewards"]

_SESSION = "x_session_id"
"""Key of a response's metadata with the session's `X-Session-ID`."""


class RolltapeModelConfig(BaseResponsesAPIModelConfig):  # type: ignore[misc]
    """url: the proxy, without `/v1`. run_key: `run_api_key` of `start_run`. model: the name that is sent to the proxy."""

    url: str
    run_key: str
    model: str = "policy"


class RolltapeModel(SimpleResponsesAPIModel):  # type: ignore[misc]
    """Forwards the calls of each rollout to a session of its own, and returns their token ids and log probabilities.

    Calls belong to one rollout if they have the same rollout id in their path, or else the same session cookie.
    """

    ray_enabled = False
    config: RolltapeModelConfig

    async def responses(self, request: Request, body: NeMoGymResponseCreateParamsNonStreaming) -> NeMoGymResponse:
        session = _session(request)
        reply = await self._openai(session).create_response(**self._fields(body))
        reply["metadata"] = {**(reply.get("metadata") or {}), _SESSION: session}
        return NeMoGymResponse.model_validate(reply)

    async def chat_completions(
        self, request: Request, body: NeMoGymChatCompletionCreateParamsNonStreaming
    ) -> NeMoGymChatCompletion:
        openai = self._openai(_session(request))
        reply = await openai.create_chat_completion(**self._fields(body), logprobs=True)
        for choice in reply["choices"]:
            choice["message"] |= {
                "prompt_token_ids": reply["prompt_token_ids"],
                "generation_token_ids": choice["token_ids"],
                "generation_log_probs": [each["logprob"] for each in choice["logprobs"]["content"]],
            }
        return NeMoGymChatCompletion.model_validate(reply)

    def _fields(self, body: Any) -> dict[str, Any]:
        fields = body.model_dump(exclude_unset=True)
        fields.pop("logprobs", None)
        return {**fields, "model": self.config.model, "return_token_ids": True}

    def _openai(self, session: str) -> NeMoGymAsyncOpenAI:
        # Cheap for each call, because all clients of a process share one pool of connections.
        return NeMoGymAsyncOpenAI(
            base_url=f"{self.config.url}/v1",
            api_key=self.config.run_key,
            default_headers={"X-Session-ID": session},
        )


def _session(request: Request) -> str:
    session: str = current_rollout_id() or request.session[SESSION_ID_KEY]
    return session


async def set_rewards(client: AsyncClient, run_key: str, results: Iterable[Mapping[str, Any]]) -> list[str]:
    """Rewards and ends the session of each rollout. Returns the session ids in the order of `results`, for an export.

    results: the lines of the file that `gym eval run` wrote. Each has the reward of the resources server.
    """
    session_ids = []
    for result in results:
        session = (result["response"].get("metadata") or {}).get(_SESSION) or maybe_rollout_id_from_run_body(result)
        key: Any = {"api_key": run_key, "x_session_id": session}
        session_ids.append((await client.run(calls.current_session(**key)))["session_id"])
        await client.run(calls.set_session_reward(float(result["reward"]), **key))
        await client.run(calls.end_session(**key))
    return session_ids
