import type { Message } from "../conversation/message.js";
import { RequestError } from "./request-error.js";

/** Messages, and the beginning of the answer to them where they end with one. */
export interface Prefilled {
  readonly messages: readonly Message[];
  readonly prefill?: string;
}

/**
 * Takes the answer that the model is to go on with from the end of the messages. An empty one is none.
 *
 * @param param the field that asks for it
 */
export function splitPrefill(messages: readonly Message[], param: string): Prefilled {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return { messages };
  const { content, reasoning, toolCalls } = last;
  if (reasoning !== undefined || toolCalls !== undefined) {
    const message = "An answer that is to be continued must be text: its reasoning and its calls are not continued.";
    throw new RequestError(param, message, "unsupported_parameter");
  }
  if (content !== content.trimEnd()) {
    throw new RequestError(param, "An answer that is to be continued must not end with white space.");
  }
  if (messages.length === 1) throw new RequestError(param, "There is no message that the answer is to.");
  return { messages: messages.slice(0, -1), ...(content === "" ? {} : { prefill: content }) };
}
