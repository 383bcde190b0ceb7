import { framedCalls } from "./framed-calls.js";
import { readJsonCall } from "./json-call.js";

/**
 * Hermes 2 and 3, Qwen 2.5 and 3: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.
 * Source: NousResearch's Hermes-Function-Calling; the models' chat templates.
 */
export const hermes = framedCalls({
  begin: "<tool_call>",
  end: "</tool_call>",
  body: ({ reader }, call) => readJsonCall(reader, call),
});
