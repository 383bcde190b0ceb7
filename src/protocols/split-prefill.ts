import { showAsText } from "../conversation/media.js";
import type { Message } from "../conversation/message.js";
import { RequestError } from "./request-error.js";

/** Messages, and the beginning of the answer if the request contains it. */
export interface Prefilled {
  readonly messages: readonly Message[];
  readonly prefill?: string;
}

/**
 * Removes the assistant's last message, which the model continues, and returns it as `prefill`. An empty one is dropped.
 *
 * @param param the field that errors name
 * @throws RequestError if the model cannot continue the last message
 */
export function splitPrefill(messages: readonly Message[], param: string): Prefilled {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return { messages };
  const { reasoning, toolCalls } = last;
  const content = showAsText(last.content);
  if (reasoning !== undefined || toolCalls !== undefined) {
    const extra = reasoning === undefined ? "tool calls" : "reasoning";
    const message = `The last message, which the model continues, must be text only; received ${extra}.`;
    throw new RequestError(param, message, "unsupported_parameter");
  }
  if (content !== content.trimEnd()) {
    throw new RequestError(param, "The last message, which the model continues, must not end with white space.");
  }
  if (messages.length === 1) {
    throw new RequestError(
      param,
      `${param} must contain at least one message before the one that the model continues.`,
    );
  }
  return { messages: messages.slice(0, -1), ...(content === "" ? {} : { prefill: content }) };
}
