import { describe, expect, it } from "vitest";
import { chat, messages } from "./support/short-requests.js";

/** Chat completions that go on with the assistant's last message. */

const said = (content: string, more: object = {}) => ({ role: "assistant", content, ...more });
const goOn = (last: object, extra: object = {}) =>
  chat({ messages: [...messages, last], continue_final_message: true, ...extra });

it("takes the text of the last message as the beginning of the answer", () => {
  expect(goOn(said("Once")).conversation).toEqual({ messages, prefill: "Once" });
  expect(goOn(said("")).conversation).toEqual({ messages });
  expect(chat({ messages: [...messages, said("Once")] }).conversation).not.toHaveProperty("prefill");
});

it("takes add_generation_prompt only as the opposite", () => {
  expect(goOn(said("Once"), { add_generation_prompt: false }).conversation.prefill).toBe("Once");
  expect(chat({ add_generation_prompt: true }).conversation).toEqual({ messages });
  expect(() => goOn(said("Once"), { add_generation_prompt: true })).toThrow(
    "must be false if continue_final_message is true",
  );
  expect(() => chat({ add_generation_prompt: false })).toThrow("must be true if continue_final_message is false");
});

const tools = [{ type: "function", function: { name: "f" } }];
const called = { tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] };

describe("a message that cannot be continued", () => {
  it.each<[string, object, object, string]>([
    ["of another role", { role: "user", content: "a" }, {}, 'received role "user"'],
    ["with white space at its end", said("Once "), {}, "must not end with white space"],
    ["with reasoning", said("a", { reasoning_content: "hm" }), {}, "must be text only; received reasoning"],
    ["with calls", said("a", called), {}, "must be text only; received tool calls"],
    ["with a required call", said("a"), { tools, tool_choice: "required" }, "a tool_choice that requires a call"],
    ["with a format", said("a"), { response_format: { type: "json_object" } }, "combined with response_format"],
  ])("is one %s", (_, last, extra, problem) => {
    expect(() => goOn(last, extra)).toThrow(problem);
  });

  it("is the only one", () => {
    expect(() => chat({ messages: [said("a")], continue_final_message: true })).toThrow(
      "messages must contain at least one message before the one that the model continues",
    );
  });
});

it("can be continued with tools that need not be called", () => {
  expect(goOn(said("a"), { tools, tool_choice: "auto" }).conversation.prefill).toBe("a");
});
