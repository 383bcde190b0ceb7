import type {
  FunctionTool,
  NamespaceTool,
  ResponseCreateParamsBase,
  ResponseFunctionToolCall,
  ResponseReasoningItem,
  ResponseTextConfig,
} from "openai/resources/responses/responses";
import type { Reasoning } from "openai/resources/shared";
import {
  ENGINE_FIELDS,
  type Field,
  type Fields,
  FORMAT,
  honoured,
  ignored,
  PARAMETERS,
  refused,
  SERVER_FIELDS,
} from "./field.js";

export const RESPONSES_BASE = { model: "tiny", input: "hello" };

const tool = (fields: object) => [{ type: "function", name: "f", parameters: PARAMETERS, ...fields }];
const tools = tool({});
const user = { role: "user", content: "hello" };
const call = (fields: object) => [
  user,
  { type: "function_call", call_id: "c", name: "f", arguments: "{}", ...fields },
  { type: "function_call_output", call_id: "c", output: "x" },
];
const reasoning = (fields: object) => [user, { type: "reasoning", id: "rs_1", summary: [], ...fields }, user];
const thought = [{ type: "reasoning_text", text: "Hm." }];

/** Every field of OpenAI's request. */
export const RESPONSES_FIELDS: Fields<ResponseCreateParamsBase> = {
  background: refused(true),
  context_management: refused([{ type: "compaction" }]),
  conversation: refused("conv_1"),
  include: honoured(["message.output_text.logprobs"]),
  input: honoured("other"),
  instructions: honoured("be brief"),
  max_output_tokens: honoured(2),
  metadata: ignored({ a: "b" }),
  model: ignored("another"),
  moderation: ignored({}),
  parallel_tool_calls: honoured(false, { tools }),
  previous_response_id: honoured((earlier: string) => earlier),
  prompt: refused({ id: "p" }),
  prompt_cache_key: ignored("k"),
  prompt_cache_options: ignored({}),
  prompt_cache_retention: ignored("24h"),
  reasoning: honoured({ effort: "none" }),
  safety_identifier: ignored("me"),
  service_tier: ignored("flex"),
  store: ignored(false),
  stream: honoured(true),
  stream_options: ignored({ include_obfuscation: true }, { stream: true }),
  temperature: honoured(0.5),
  text: honoured({ format: FORMAT }),
  tool_choice: honoured("required", { tools }),
  tools: honoured(tools),
  top_logprobs: honoured(2, { include: ["message.output_text.logprobs"] }),
  top_p: honoured(0.5),
  truncation: refused("auto"),
  user: ignored("me"),
};

const ofTool: Record<Exclude<keyof FunctionTool, "type">, Field> = {
  name: honoured(tool({ name: "g" })),
  parameters: honoured(tool({ parameters: null })),
  strict: honoured(tool({ strict: true })),
  allowed_callers: refused(tool({ allowed_callers: ["programmatic"] })),
  defer_loading: refused(tool({ defer_loading: true })),
  description: honoured(tool({ description: "d" })),
  output_schema: ignored(tool({ output_schema: {} })),
};
const group = (fields: object) => [{ type: "namespace", name: "n", description: "d", tools, ...fields }];
const ofNamespace: Record<Exclude<keyof NamespaceTool, "type">, Field> = {
  name: honoured(group({ name: "m" })),
  description: honoured(group({ description: "other" })),
  tools: honoured(group({ tools: tool({ name: "g" }) })),
};
const ofReasoning: Record<keyof Reasoning, Field> = {
  effort: honoured({ effort: "none" }),
  context: refused({ context: "all_turns" }),
  mode: refused({ mode: "pro" }),
  summary: ignored({ summary: "auto" }),
  generate_summary: ignored({ generate_summary: "auto" }),
};
const ofText: Record<keyof ResponseTextConfig, Field> = {
  format: honoured({ format: FORMAT }),
  verbosity: refused({ verbosity: "high" }),
};
const ofCall: Record<Exclude<keyof ResponseFunctionToolCall, "type" | "arguments" | "name">, Field> = {
  call_id: honoured(call({ call_id: "d" })),
  id: ignored(call({ id: "fc_1" })),
  caller: ignored(call({ caller: { type: "direct" } })),
  namespace: honoured(call({ namespace: "n" })),
  status: ignored(call({ status: "incomplete" })),
};
const ofThought: Record<Exclude<keyof ResponseReasoningItem, "type">, Field> = {
  id: ignored(reasoning({ id: "rs_2" })),
  summary: honoured(reasoning({ summary: [{ type: "summary_text", text: "Hm." }] })),
  content: honoured(reasoning({ content: thought })),
  encrypted_content: ignored(reasoning({ encrypted_content: "x" })),
  status: ignored(reasoning({ status: "completed" })),
};

export const RESPONSES_PARTS = {
  "tools[].": { in: "tools", without: { tools }, fields: ofTool },
  "tools[] (namespace).": { in: "tools", without: { tools: group({}) }, fields: ofNamespace },
  "reasoning.": { in: "reasoning", without: {}, fields: ofReasoning },
  "text.": { in: "text", without: {}, fields: ofText },
  "input[] (function_call).": { in: "input", without: { input: call({}) }, fields: ofCall },
  "input[] (reasoning).": { in: "input", without: { input: reasoning({}) }, fields: ofThought },
} as const;

/** `client_metadata` is a field of Codex, not of OpenAI's SDK. */
export const RESPONSES_MORE = {
  ...ENGINE_FIELDS,
  ...SERVER_FIELDS,
  thinking_token_budget: honoured(100),
  return_routed_experts: refused(true),
  client_metadata: ignored({ "x-codex-turn-metadata": "{}" }),
};
