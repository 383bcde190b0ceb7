import fc from "fast-check";
import type { Conversation, Message, Tool, ToolCall } from "../../../src/conversation/message.js";

const words = fc.constantFrom(
  "alpha",
  "  indented",
  "\u00fcber",
  "\u6771\u4eac",
  '{"a": 1}',
  "x < y & z",
  "done.\n",
  "\nline",
);
const text = fc.array(words, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join(" ")} m`);

const TOOLS: readonly Tool[] = ["get_weather", "search"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `Does ${name}`,
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  },
}));

const call = fc.record({
  name: fc.constantFrom("get_weather", "search"),
  arguments: fc.constantFrom('{"q": "a"}', '{"q":"b c","n":1.0}', '{"q": "\u00e9", "deep": {"z": null, "f": true}}'),
});

/** One turn of the model: text, or calls with optional text before them. */
const answer = fc.record({
  content: text,
  hasContent: fc.boolean(),
  calls: fc.array(call, { maxLength: 2 }),
  reasoning: fc.option(text, { nil: undefined }),
});
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

/** A conversation that continues after an answer of the model. */
export interface History {
  readonly conversation: Conversation;
  /** Number of messages up to and including the answer. */
  readonly messageCount: number;
}

/** Random conversations of agents: user messages, tool loops, parallel calls, reasoning, and messages after the answer. */
export const history: fc.Arbitrary<History> = fc
  .record({
    system: fc.option(text, { nil: undefined }),
    hasTools: fc.boolean(),
    user: text,
    answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
    replies: fc.array(text, { minLength: 8, maxLength: 8 }),
    userAfterResults: fc.boolean(),
  })
  .map(({ system, hasTools, user, answers, replies, userAfterResults }) => {
    const messages: Message[] = system === undefined ? [] : [{ role: "system", content: system }];
    messages.push({ role: "user", content: user });
    let messageCount = 0;
    let next = 0;
    for (const turn of answers) {
      const message = toMessage(turn, hasTools, messages.length);
      messageCount = messages.push(message);
      const results = (message.toolCalls ?? []).map((called, i) => result(called, replies[(next + i) % 8] ?? ""));
      messages.push(...results);
      if (results.length === 0 || (userAfterResults && turn === answers.at(-1))) {
        messages.push({ role: "user", content: replies[++next % 8] ?? "" });
      }
    }
    return { conversation: { messages, ...(hasTools ? { tools: TOOLS } : {}) }, messageCount };
  });

function toMessage({ content, hasContent, calls, reasoning }: Answer, hasTools: boolean, index: number): Message {
  const thought = reasoning === undefined ? {} : { reasoning };
  if (!hasTools || calls.length === 0) return { role: "assistant", content, ...thought };
  const toolCalls = calls.map((called, i) => ({ id: `call${String(index * 10 + i).padStart(5, "0")}`, ...called }));
  return { role: "assistant", content: hasContent ? content : "", toolCalls, ...thought };
}

const result = ({ id, name }: ToolCall, content: string): Message => ({ role: "tool", content, toolCallId: id, name });
