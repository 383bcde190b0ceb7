import { expect, it } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import { CALLS_AS_THEY_ARE } from "../../../src/model/template/call-messages.js";
import { type Dialect, MessageValues } from "../../../src/model/template/message-values.js";
import { AS_THEY_ARE } from "../../../src/model/template/system-messages.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

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
