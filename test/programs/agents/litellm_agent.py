"""A loop over the SDK of LiteLLM, which translates chat completions to the protocol of a provider."""

import json

import litellm
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, PARAMETERS, REQUEST, VARIANT, run_command

TOOL = {"name": "run_command", "description": "Runs a command.", "parameters": PARAMETERS}
# Provider and path of each variant. "responses" is OpenAI's provider with LiteLLM's bridge to responses.
PROVIDERS = {
    "openai": ("openai", "/v1"),
    "openai stream": ("openai", "/v1"),
    "hosted_vllm": ("hosted_vllm", "/v1"),
    "anthropic": ("anthropic", ""),
    "gemini": ("gemini", f"/v1beta/models/{MODEL}"),
    "responses": ("openai/responses", "/v1"),
}


def complete(messages: list):
    provider, path = PROVIDERS[VARIANT]
    stream = VARIANT.endswith("stream")
    reply = litellm.completion(
        model=f"{provider}/{MODEL}",
        api_base=BASE_URL + path,
        api_key=API_KEY,
        messages=messages,
        tools=[{"type": "function", "function": TOOL}],
        stream=stream,
        num_retries=0,
    )
    return litellm.stream_chunk_builder(list(reply), messages=messages) if stream else reply


messages: list = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": REQUEST}]
while True:
    message = complete(messages).choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        result = run_command(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
print(message.content)
