import { expect, it } from "vitest";
import { chatCompletionSchema } from "../../src/protocols/chat-completions/request.js";

it("refuses tools of types other than `function`, and names the accepted type", () => {
  const messages = [{ role: "user", content: "hi" }];
  const { error } = chatCompletionSchema.safeParse({ messages, tools: [{ type: "web_search", web_search: {} }] });
  expect(error?.issues[0]).toMatchObject({ path: ["tools", 0, "type"], message: "only function tools are supported" });
});
