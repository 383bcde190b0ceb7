import { chatCompletionSchema, parseChatCompletion } from "../../../src/protocols/chat-completions/request.js";
import { messagesSchema, parseMessages } from "../../../src/protocols/messages/request.js";
import type { ModelRequest } from "../../../src/protocols/model-request.js";
import { parseResponses, responsesSchema } from "../../../src/protocols/responses/request.js";

/** A short request of each protocol, with more fields. */

export const messages = [{ role: "user", content: "hello" }];
const NO_EARLIER = {
  findMessages: () => [],
  findItem: () => undefined,
  countPlaceholders: () => 0,
  readReasoning: () => "",
};

export const chat = (extra: object): ModelRequest =>
  parseChatCompletion(chatCompletionSchema.parse({ messages, ...extra }));
export const responses = (extra: object): ModelRequest =>
  parseResponses(responsesSchema.parse({ input: "hello", ...extra }), NO_EARLIER);
export const claude = (extra: object): ModelRequest =>
  parseMessages(messagesSchema.parse({ messages, max_tokens: 9, ...extra }));
