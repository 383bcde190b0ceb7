import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";

/** A feature of the model that the server does not support. Calls are served, but not as an agent may expect. */
export interface ModelWarning {
  /** The configuration key that may change it. */
  readonly key: string;
  readonly message: string;
}

const PARSER = "rollout.agent.tool_call_parser";

/** Returns a warning for each way of using tool calls that the server does not support for its model. */
export function listModelWarnings(
  model: Pick<ChatModel, "toolCalls">,
  engine: Pick<Engine, "supports">,
): ModelWarning[] {
  const { family, isShown, enforced } = model.toolCalls;
  const warn = (message: string): ModelWarning[] => [{ key: PARSER, message }];
  if (family === "none") return isShown ? warn(UNREAD) : [];
  if (!engine.supports.grammar || enforced === "always") return [];
  if (enforced === "never") {
    return warn(
      `No grammar describes the tool calls of family \`${family}\`. Requests that require a call or limit the number of ` +
        "calls are refused, and strict tools are not enforced.",
    );
  }
  return warn(
    `An answer may begin like a tool call of family \`${family}\`. Unless a request requires a call, a limit of one call ` +
      "is refused, and strict tools are not enforced.",
  );
}

const UNREAD =
  "The chat template shows tools, but no family of tool calls is configured or detected for this model. Calls stay in " +
  `the text, and requests that require a call are refused. Set \`${PARSER}\` to the family that writes calls like this model.`;

/** Why a call cannot be required of a model without a family. */
export const UNREAD_CALLS =
  "no family of tool calls is configured or detected for this model, so its calls are not read. " +
  `Set \`${PARSER}\` to the family that writes calls like this model.`;
