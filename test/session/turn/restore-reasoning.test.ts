import { expect, it } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import type { RecordedInteraction } from "../../../src/session/recorded-interaction.js";
import { restoreReasoning } from "../../../src/session/turn/restore-reasoning.js";

const user: Message = { role: "user", content: "1+1?" };
const answer: Message = { role: "assistant", content: "2", reasoning: "One and one." };
const recorded = { input: { inherited: 0, added: [user] }, output: [answer] } as unknown as RecordedInteraction;

it.each([
  ["2", "One and one."],
  ["\n2 \n", "One and one."],
  ["3", undefined],
])(
  "restores the reasoning of an answer whose text is the same but for white space at its ends: %j",
  (content, reasoning) => {
    const sent: Message = { role: "assistant", content, hasUnknownReasoning: true };
    expect(restoreReasoning([user, sent], [recorded])[1]).toEqual({
      role: "assistant",
      content,
      ...(reasoning ? { reasoning } : {}),
    });
  },
);
