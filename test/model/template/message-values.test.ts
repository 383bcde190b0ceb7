import { expect, it } from "vitest";
import type { MessagePart } from "../../../src/conversation/content.js";
import type { Message } from "../../../src/conversation/message.js";
import { CALLS_AS_THEY_ARE } from "../../../src/model/template/call-messages.js";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { type Dialect, MessageValues } from "../../../src/model/template/message-values.js";
import { AS_THEY_ARE } from "../../../src/model/template/system-messages.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { publishedTemplate } from "../support/golden.js";

const DIALECT: Dialect = {
  callArguments: "text",
  emptyContent: "text",
  noTools: "none",
  hasDeveloper: true,
  reasoningField: "reasoning_content",
  systemRules: AS_THEY_ARE,
  callStyle: CALLS_AS_THEY_ARE,
};

/** Returns a message whose value is large enough to fill a generation. */
const large = (): Message => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id: "call", name: "write", arguments: "x".repeat(2 << 20) }],
});

function values() {
  const known = new MessageValues(DIALECT);
  return (message: Message): unknown => runAtOnce(known.list([message]))[0];
}

it("returns the same value for a message as long as it is used regularly", () => {
  const toValue = values();
  const message: Message = { role: "user", content: "hello" };
  const first = toValue(message);
  for (let turn = 0; turn < 6; turn++) {
    toValue(large());
    expect(toValue(message)).toBe(first);
  }
});

it("drops the value of a message that is not used any more, even if the message still exists", () => {
  const toValue = values();
  const message: Message = { role: "user", content: "hello" };
  const first = toValue(message);
  for (let turn = 0; turn < 3; turn++) toValue(large());
  expect(toValue(message)).not.toBe(first);
});

const IMAGE: MessagePart = { type: "image", sha256: "1".repeat(64), mediaType: "image/png", width: 2, height: 1 };
const written = (text: string): MessagePart => ({ type: "text", text });

it("gives parts to a template as Hugging Face's processors do, and text alone as a text", () => {
  const toValue = values();
  const content = [written("see "), IMAGE, written("!")];
  expect(toValue({ role: "user", content })).toEqual(
    new Map<string, unknown>([
      ["role", "user"],
      [
        "content",
        [
          new Map([
            ["type", "text"],
            ["text", "see "],
          ]),
          new Map([["type", "image"]]),
          new Map([
            ["type", "text"],
            ["text", "!"],
          ]),
        ],
      ],
    ]),
  );
  expect(toValue({ role: "user", content: "see " })).toEqual(
    new Map([
      ["role", "user"],
      ["content", "see "],
    ]),
  );
});

const compile = (source: string) =>
  new ChatTemplate(source, { specialTokens: new Map(), now: () => new Date(), templateArgs: {} });

it.each([
  ["Qwen3.5-4B", "<|vision_start|><|image_pad|><|vision_end|>", 3],
  // It leaves out the images of tools.
  ["google-gemma-4-31B-it", "<|image|>", 2],
])("shows images at their place in the published template %s", (name, mark, count) => {
  const call = { id: "call00001", name: "look", arguments: "{}" };
  const messages: Message[] = [
    { role: "user", content: [written("before"), IMAGE, written("after"), IMAGE] },
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", content: [written("shot"), IMAGE], toolCallId: call.id, name: call.name },
  ];
  const text = compile(publishedTemplate(name)).render({ messages }, true).replaceAll(/\s/g, "");
  expect(text).toContain(`before${mark}after${mark}`);
  expect(text.split(mark)).toHaveLength(count + 1);
  expect(text).toContain("shot");
});
