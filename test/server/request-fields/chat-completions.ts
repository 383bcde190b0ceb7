import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionCreateParamsBase,
  ChatCompletionStreamOptions,
  ChatCompletionToolMessageParam,
} from "openai/resources/chat/completions";
import type { FunctionDefinition } from "openai/resources/shared";
import {
  ENGINE_FIELDS,
  type Field,
  type Fields,
  honoured,
  ignored,
  PARAMETERS,
  refused,
  SERVER_FIELDS,
} from "./field.js";

const user = { role: "user", content: "hello" };
export const CHAT_BASE = { model: "tiny", messages: [user] };

const tools = [{ type: "function", function: { name: "f", parameters: PARAMETERS } }];
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const assistant = (fields: object) => [user, { role: "assistant", content: "x", ...fields }, user];

/** Every field of OpenAI's request. */
export const CHAT_FIELDS: Fields<ChatCompletionCreateParamsBase> = {
  messages: honoured([{ role: "user", content: "other" }]),
  model: ignored("another"),
  audio: refused({ format: "mp3", voice: "alloy" }),
  frequency_penalty: honoured(0.5),
  function_call: refused("auto"),
  functions: refused([{ name: "f" }]),
  logit_bias: honoured({ 5: 1 }),
  logprobs: honoured(true),
  max_completion_tokens: honoured(2),
  max_tokens: honoured(2),
  metadata: ignored({ a: "b" }),
  modalities: refused(["text", "audio"]),
  moderation: ignored({}),
  n: honoured(2),
  parallel_tool_calls: honoured(false, { tools }),
  prediction: refused({ type: "content", content: "x" }),
  presence_penalty: honoured(0.5),
  prompt_cache_key: ignored("k"),
  prompt_cache_options: ignored({}),
  prompt_cache_retention: ignored("24h"),
  reasoning_effort: honoured("none"),
  response_format: honoured({ type: "json_object" }),
  safety_identifier: ignored("me"),
  seed: honoured(7),
  service_tier: ignored("flex"),
  stop: honoured("END"),
  store: ignored(true),
  stream: honoured(true),
  stream_options: honoured({ include_usage: true }, { stream: true }),
  temperature: honoured(0.5),
  tool_choice: honoured("required", { tools }),
  tools: honoured(tools),
  top_logprobs: honoured(2, { logprobs: true }),
  top_p: honoured(0.5),
  user: ignored("me"),
  verbosity: refused("high"),
  web_search_options: refused({}),
};

const ofAssistant: Record<Exclude<keyof ChatCompletionAssistantMessageParam, "role">, Field> = {
  content: honoured(assistant({ content: [{ type: "text", text: "y" }] })),
  audio: refused(assistant({ audio: { id: "a" } })),
  function_call: refused(assistant({ function_call: { name: "f", arguments: "{}" } })),
  name: honoured(assistant({ name: "bot" })),
  refusal: honoured(assistant({ content: null, refusal: "no" })),
  tool_calls: honoured(assistant({ tool_calls: [call] })),
};
const ofTool: Record<Exclude<keyof ChatCompletionToolMessageParam, "role">, Field> = {
  content: honoured([user, { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "y" }] }]),
  tool_call_id: honoured([user, { role: "tool", tool_call_id: "d", content: "x" }]),
};
const ofFunction: Record<keyof FunctionDefinition, Field> = {
  name: honoured([{ type: "function", function: { name: "g", parameters: PARAMETERS } }]),
  description: honoured([{ type: "function", function: { name: "f", description: "d", parameters: PARAMETERS } }]),
  parameters: honoured([{ type: "function", function: { name: "f", parameters: { type: "object" } } }]),
  strict: honoured([{ type: "function", function: { name: "f", parameters: PARAMETERS, strict: true } }]),
};
const ofStream: Record<keyof ChatCompletionStreamOptions, Field> = {
  include_usage: honoured({ include_usage: true }),
  include_obfuscation: ignored({ include_obfuscation: true }),
};

/** Nested fields, by the path of the object that has them, with a request that lacks them. */
export const CHAT_PARTS = {
  "messages[].": { in: "messages", without: { messages: assistant({}) }, fields: ofAssistant },
  "messages[] (tool).": {
    in: "messages",
    without: { messages: [user, { role: "tool", tool_call_id: "c", content: "x" }] },
    fields: ofTool,
  },
  "tools[].function.": { in: "tools", without: { tools }, fields: ofFunction },
  "stream_options.": { in: "stream_options", without: { stream: true }, fields: ofStream },
} as const;

export const CHAT_MORE = {
  ...ENGINE_FIELDS,
  ...SERVER_FIELDS,
  return_tokens_as_token_ids: honoured(true, { logprobs: true }),
  return_routed_experts: honoured(true),
  thinking_token_budget: honoured(100),
  continue_final_message: honoured(true, { messages: assistant({}).slice(0, 2) }),
  // Must be the opposite of the field before, which is its default.
  add_generation_prompt: ignored(true),
};
