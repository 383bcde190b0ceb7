import type {
  BetaOutputConfig,
  BetaRequestToolAdditionBlock,
  BetaRequestToolRemovalBlock,
  MessageCreateParamsBase,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type {
  TextBlockParam,
  ThinkingConfigAdaptive,
  ThinkingConfigEnabled,
  Tool,
  ToolChoiceAuto,
  ToolReferenceBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { ENGINE_FIELDS, type Field, type Fields, FORMAT, honoured, ignored, PARAMETERS, refused } from "./field.js";

const user = { role: "user", content: "hello" };
export const MESSAGES_BASE = { model: "tiny", max_tokens: 2048, messages: [user] };

const tool = (fields: object) => [{ name: "f", input_schema: PARAMETERS, ...fields }];
const tools = tool({});
const format = { type: "json_schema", schema: FORMAT.schema };
const block = (fields: object) => [{ role: "user", content: [{ type: "text", text: "hello", ...fields }] }];
const use = (fields: object) => [
  user,
  { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {}, ...fields }] },
  user,
];
const result = (fields: object) => [
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "x", ...fields }] },
];

/** Every field of Anthropic's request, including its beta. */
export const MESSAGES_FIELDS: Fields<MessageCreateParamsBase> = {
  max_tokens: honoured(2),
  messages: honoured([{ role: "user", content: "other" }]),
  model: ignored("another"),
  betas: ignored(["x"]),
  billing_policy: ignored({}),
  cache_control: ignored({ type: "ephemeral" }),
  compaction: refused({ type: "auto" }),
  container: refused("c"),
  context_management: refused({ edits: [{ type: "clear_tool_uses_20250919" }] }),
  diagnostics: ignored({}),
  fallback_credit_token: ignored("t"),
  fallbacks: ignored([]),
  inference_geo: ignored("us"),
  mcp_servers: refused([{ name: "x" }]),
  metadata: ignored({ user_id: "me" }),
  output_config: honoured({ format }),
  output_format: honoured(format),
  service_tier: ignored("auto"),
  speed: ignored("fast"),
  stop_sequences: honoured(["END"]),
  stream: honoured(true),
  system: honoured("be brief"),
  thinking: honoured({ type: "disabled" }),
  thread: refused({ id: "t" }),
  tool_choice: honoured({ type: "any" }, { tools }),
  tools: honoured(tools),
  user_profile_id: ignored("me"),
  workspace_id: ignored("w"),
};

const ofTool: Record<keyof Tool, Field> = {
  name: honoured(tool({ name: "g" })),
  input_schema: honoured(tool({ input_schema: { type: "object" } })),
  description: honoured(tool({ description: "d" })),
  strict: honoured(tool({ strict: true })),
  type: refused(tool({ type: "web_search_20250305" })),
  allowed_callers: refused(tool({ allowed_callers: ["code_execution_20250825"] })),
  defer_loading: honoured(tool({ defer_loading: true })),
  input_examples: refused(tool({ input_examples: [{ a: 1 }] })),
  cache_control: ignored(tool({ cache_control: { type: "ephemeral" } })),
  eager_input_streaming: ignored(tool({ eager_input_streaming: true })),
};
const ofOutput: Record<keyof BetaOutputConfig, Field> = {
  effort: honoured({ effort: "high" }),
  format: honoured({ format }),
  task_budget: refused({ task_budget: { type: "tokens", total: 9000 } }),
};
const ofThinking: Record<keyof ThinkingConfigEnabled | keyof ThinkingConfigAdaptive, Field> = {
  type: honoured({ type: "disabled" }),
  budget_tokens: honoured({ type: "enabled", budget_tokens: 1024 }),
  display: ignored({ type: "adaptive", display: "omitted" }),
};
const ofChoice: Record<keyof ToolChoiceAuto, Field> = {
  type: honoured({ type: "any" }),
  disable_parallel_tool_use: honoured({ type: "auto", disable_parallel_tool_use: true }),
};
const ofText: Record<Exclude<keyof TextBlockParam, "type">, Field> = {
  text: honoured(block({ text: "other" })),
  cache_control: ignored(block({ cache_control: { type: "ephemeral" } })),
  citations: ignored(block({ citations: [] })),
};
const ofUse: Record<Exclude<keyof ToolUseBlockParam, "type">, Field> = {
  id: honoured(use({ id: "d" })),
  name: honoured(use({ name: "g" })),
  input: honoured(use({ input: { a: 1 } })),
  cache_control: ignored(use({ cache_control: { type: "ephemeral" } })),
  caller: ignored(use({ caller: { type: "direct" } })),
  toolset_name: ignored(use({ toolset_name: "t" })),
};
const ofResult: Record<Exclude<keyof ToolResultBlockParam, "type">, Field> = {
  tool_use_id: honoured(result({ tool_use_id: "d" })),
  content: honoured(result({ content: "y" })),
  is_error: ignored(result({ is_error: true })),
  cache_control: ignored(result({ cache_control: { type: "ephemeral" } })),
  toolset_name: ignored(result({ toolset_name: "t" })),
};

const deferred = tool({ defer_loading: true });
const other = { name: "g", description: "other", input_schema: PARAMETERS };
const both = [...deferred, other];
const found = (fields: object) => result({ content: [{ type: "tool_reference", tool_name: "f", ...fields }] });
const change = (fields: object) => [user, { role: "system", content: [fields] }, user];
const added = (fields: object) =>
  change({ type: "tool_addition", tool: { type: "tool_reference", name: "f" }, ...fields });
const removed = (fields: object) =>
  change({ type: "tool_removal", tool: { type: "tool_reference", name: "f" }, ...fields });
const cached = { cache_control: { type: "ephemeral" } };
const otherTool = { tool: { type: "tool_reference", name: "g" } };
const ofReference: Record<Exclude<keyof ToolReferenceBlockParam, "type">, Field> = {
  tool_name: honoured(found({ tool_name: "g" })),
  cache_control: ignored(found(cached)),
};
const ofAddition: Record<Exclude<keyof BetaRequestToolAdditionBlock, "type">, Field> = {
  tool: honoured(added(otherTool)),
  cache_control: ignored(added(cached)),
};
const ofRemoval: Record<Exclude<keyof BetaRequestToolRemovalBlock, "type">, Field> = {
  tool: honoured(removed(otherTool)),
  cache_control: ignored(removed(cached)),
};

export const MESSAGES_PARTS = {
  "tools[].": { in: "tools", without: { tools }, fields: ofTool },
  "output_config.": { in: "output_config", without: {}, fields: ofOutput },
  "thinking.": { in: "thinking", without: { thinking: { type: "adaptive" } }, fields: ofThinking },
  "tool_choice.": { in: "tool_choice", without: { tools, tool_choice: { type: "auto" } }, fields: ofChoice },
  "messages[].content[] (text).": { in: "messages", without: { messages: block({}) }, fields: ofText },
  "messages[].content[] (tool_use).": { in: "messages", without: { messages: use({}) }, fields: ofUse },
  "messages[].content[] (tool_result).": { in: "messages", without: { messages: result({}) }, fields: ofResult },
  "messages[].content[] (tool_reference).": {
    in: "messages",
    without: { tools: both, messages: found({}) },
    fields: ofReference,
  },
  "messages[].content[] (tool_addition).": {
    in: "messages",
    without: { tools: both, messages: added({}) },
    fields: ofAddition,
  },
  "messages[].content[] (tool_removal).": {
    in: "messages",
    without: { tools: both, messages: removed({}) },
    fields: ofRemoval,
  },
} as const;

/** `safeguards` is a field of Claude Code, not of Anthropic's SDK. */
export const MESSAGES_MORE = {
  ...ENGINE_FIELDS,
  safeguards: ignored([{ type: "auto_mode" }]),
  return_token_ids: refused(true),
};
