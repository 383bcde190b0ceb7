import { describe, expect, it } from "vitest";
import { assistant, history, turnBodies, unicodeHistory, user } from "../../bench/kit/bodies.js";

describe("the bodies of a conversation's turns", () => {
  it("have its messages, and a short one with the number of the turn", () => {
    const messages = [user("“What” is 数据?"), assistant("data 🙂")];
    const next = turnBodies(messages);
    const turns = Array.from({ length: 11 }, () => JSON.parse(next().toString()) as { messages: object[] });
    expect(turns[0]?.messages).toEqual([...messages, user("and number 00000000?")]);
    expect(turns[10]?.messages).toEqual([...messages, user("and number 00000010?")]);
  });

  it("are one buffer, so that a call encodes no text", () => {
    const next = turnBodies(history(4_000, 1));
    expect(next()).toBe(next());
  });
});

describe("the texts of a history", () => {
  const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

  it("are ASCII", () => {
    expect(history(40_000, 1).every(({ content }) => isAscii(content))).toBe(true);
  });

  it("have characters outside Latin-1 in every message of a Unicode history", () => {
    const messages = unicodeHistory(40_000, 1);
    expect(messages).toHaveLength(history(40_000, 1).length);
    for (const { content } of messages) {
      expect(content).toMatch(/“result”/);
      expect(content).toMatch(/数据/);
      expect(content).toMatch(/🙂/u);
    }
  });
});
