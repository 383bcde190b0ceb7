import { expect, it } from "vitest";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { countSteps } from "../../helpers/iterations.js";

const SOURCE =
  "{% if tools %}{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}{% endif %}" +
  "{% for message in messages %}{{ message.role }}{% for call in message.tool_calls %}{{ call.function.arguments.x | length }}{% endfor %}{% endfor %}";

const template = new ChatTemplate(SOURCE, { specialTokens: new Map(), now: () => new Date(), templateArgs: {} });
const USER = { role: "user", content: "hello" } as const;

it("converts and renders tools in steps", () => {
  const tools = Array.from({ length: 100 }, (_, i) => ({ type: "function" as const, function: { name: `f${i}` } }));
  const { result, count } = countSteps(template.renderInSteps({ messages: [USER], tools }, false));
  expect(count).toBeGreaterThan(100);
  expect(result.parts.join("").split("\n")).toHaveLength(101);
});

it("converts arguments with tens of thousands of values in steps", () => {
  const toolCalls = [
    { id: "c", name: "f", arguments: JSON.stringify({ x: Array.from({ length: 10_000 }, () => 1.5) }) },
  ];
  const messages = [USER, { role: "assistant" as const, content: "", toolCalls }];
  const { result, count } = countSteps(template.renderInSteps({ messages }, false));
  expect(count).toBeGreaterThanOrEqual(9);
  expect(result.parts.join("")).toBe("userassistant10000");
});
