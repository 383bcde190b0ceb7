import { expect, it } from "vitest";
import { chatCompletionSchema } from "../../src/protocols/chat-completions/request.js";

it("refuses tools of other types that the client runs, and names the accepted type", () => {
  const messages = [{ role: "user", content: "hi" }];
  const { error } = chatCompletionSchema.safeParse({ messages, tools: [{ type: "custom", custom: { name: "f" } }] });
  const message = 'only function tools are supported; received one of type "custom"';
  expect(error?.issues[0]).toMatchObject({ path: ["tools", 0, "type"], message });
});
