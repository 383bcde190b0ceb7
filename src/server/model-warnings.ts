import type { Engine } from "../engine/engine.js";
import type { ChatModel, ToolCallSupport } from "../model/chat-model.js";

/** A feature of the model that the server does not support. Calls are served, but not as an agent may expect. */
export interface ModelWarning {
  /** The configuration key that may change it. */
  readonly key: string;
  readonly message: string;
}

const PARSER = "rollout.agent.tool_call_parser";
const TEMPLATE_TYPE = "rollout.agent.chat_template_type";

/** Returns a warning for each way of using tool calls that the server does not support for its model. */
export function listModelWarnings(
  { toolCalls }: Pick<ChatModel, "toolCalls">,
  engine: Pick<Engine, "supports">,
  chatTemplateType: "hf" | "concat",
): ModelWarning[] {
  // A configured `none` is a decision: calls are meant to stay in the text.
  if (toolCalls.family === "none") {
    return toolCalls.isShown && !toolCalls.isConfigured ? [{ key: PARSER, message: UNREAD }] : [];
  }
  const unenforced = engine.supports.grammar ? describeUnenforced(toolCalls) : undefined;
  return [
    ...(unenforced === undefined ? [] : [{ key: PARSER, message: unenforced }]),
    ...(toolCalls.isOmitted && chatTemplateType === "hf" ? [{ key: TEMPLATE_TYPE, message: OMITTED }] : []),
  ];
}

/** Returns which calls an engine with grammars does not enforce; undefined if it enforces all. */
function describeUnenforced({ family, enforced }: ToolCallSupport): string | undefined {
  if (enforced === "always") return undefined;
  if (enforced === "never") {
    return (
      `No grammar describes the tool calls of family \`${family}\`. Requests that require a call or limit the number of ` +
      "calls are refused, and strict tools are not enforced."
    );
  }
  return (
    `An answer may begin like a tool call of family \`${family}\`. Unless a request requires a call, a limit of one call ` +
    "is refused, and strict tools are not enforced."
  );
}

const UNREAD =
  "The chat template shows tools, but no family of tool calls is detected for this model. Calls stay in the text, and " +
  `requests that require a call are refused. Set \`${PARSER}\` to the family that writes calls like this model, or to ` +
  "`none` if they are meant to stay in the text.";

const OMITTED =
  "The chat template leaves out the tool calls of earlier turns, so the model sees results of calls that it does not see. " +
  `Set \`${TEMPLATE_TYPE}\` to \`concat\`, which keeps the model's own tokens, or use a template that writes calls.`;

/** Why a call cannot be required of a model without a family. */
export const UNREAD_CALLS =
  "no family of tool calls is configured or detected for this model, so its calls are not read. " +
  `Set \`${PARSER}\` to the family that writes calls like this model.`;
