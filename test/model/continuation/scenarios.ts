import type { Conversation, Message, Tool } from "../../../src/conversation/message.js";

const TOOL: Tool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const CALLS = ["Paris", "Rome"].map((city, i) => ({
  id: `call0000${i + 1}`,
  name: "get_weather",
  arguments: JSON.stringify({ city }),
}));

const system: Message = { role: "system", content: "Be brief." };
const user = (content: string): Message => ({ role: "user", content });
const says = (content: string): Message => ({ role: "assistant", content });
const calls = (count: number): Message => ({ role: "assistant", content: "", toolCalls: CALLS.slice(0, count) });
const result = (i: number, content: string): Message => ({
  role: "tool",
  content,
  toolCallId: CALLS[i]?.id ?? "",
  name: "get_weather",
});

/** A conversation that went on after an answer, and where that answer is. */
export interface Scenario {
  readonly conversation: Conversation;
  /** Messages up to the answer and with it. */
  readonly messageCount: number;
}

const scenario = (before: Message[], answer: Message, after: Message[], withTools = false): Scenario => ({
  conversation: { messages: [...before, answer, ...after], ...(withTools ? { tools: [TOOL] } : {}) },
  messageCount: before.length + 1,
});

/** Ways in which conversations go on. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  chat: scenario([user("Hello")], says("Good day"), [user("And you?")]),
  system: scenario([system, user("Hello")], says("Good day"), [user("And you?")]),
  laterTurn: scenario([user("One"), says("First"), user("Two")], says("Second"), [user("Three")]),
  toolsInReach: scenario([user("Hello")], says("Good day"), [user("And you?")], true),
  toolLoop: scenario([user("Weather?")], calls(1), [result(0, "20 degrees")], true),
  systemToolLoop: scenario([system, user("Weather?")], calls(1), [result(0, "20 degrees")], true),
  twoCalls: scenario([user("Weather?")], calls(2), [result(0, "20 degrees"), result(1, "25 degrees")], true),
  afterTools: scenario([user("Weather?"), calls(1), result(0, "20")], says("It is 20"), [user("Thanks")], true),
};
