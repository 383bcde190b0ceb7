import type { Message, Tool } from "../../../src/conversation/message.js";

const tool = (name: string, properties: object): Tool => ({
  type: "function",
  function: { name, description: `Does ${name}.`, parameters: { type: "object", properties, required: [] } },
});

export const TOOLS: readonly Tool[] = [
  tool("add", { a: { type: "integer" }, b: { type: "number" } }),
  tool("edit", {
    path: { type: "string" },
    text: { type: "string" },
    deep: { type: "object" },
    list: { type: "array" },
    yes: { type: "boolean" },
  }),
];

const call = (name: string, args: object, index = 0) => ({
  id: `call0000${index}`,
  name,
  arguments: JSON.stringify(args),
});

const EDIT = {
  path: "ä.ts",
  text: "x = \"1\";\n  if (a < b && c) {\n    say('</b>', `${y}`); // 東京 🎉\n  }",
  deep: { k: [1, null, true, "é"], "a b": { "": -0.5 } },
  list: [1, "two", [3]],
  yes: false,
};

/** Answers of a model. Each template renders them in its own form. */
export const ANSWERS: Readonly<Record<string, Message>> = {
  everything: {
    role: "assistant",
    reasoning: "Hm, 1 < 2.\nThen <b>.",
    content: "I add & edit, über 東京.",
    toolCalls: [call("add", { a: -1, b: 2.5 }), call("edit", EDIT, 1)],
  },
  "a call": { role: "assistant", reasoning: "Hm.", content: "", toolCalls: [call("edit", EDIT)] },
  "an answer": { role: "assistant", reasoning: "I think.\n\nTwice.", content: "It is 1.\n\n- `a < b`\n- 🎉" },
};
