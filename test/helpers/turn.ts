import type { ChatMessage } from "../../src/conversation/chat-message.js";

export const user = (content: string): ChatMessage => ({ role: "user", content });
export const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

/** Returns a turn with these messages, prompt ids and output ids. */
export function turn(
  messages: readonly ChatMessage[],
  prompt: readonly number[],
  output: readonly number[],
  answer = "ok",
) {
  return {
    messages,
    output: assistant(answer),
    promptIds: Int32Array.from(prompt),
    outputIds: Int32Array.from(output),
    logprobs: Float32Array.from(output, (id) => -id / 1024),
    versions: 2,
    finishReason: "stop",
  };
}
