import { describe, expect, it } from "vitest";
import { showAsText } from "../../../src/conversation/media.js";
import type { Message } from "../../../src/conversation/message.js";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { placeSystemMessages, type SystemRules } from "../../../src/model/template/system-messages.js";
import { publishedTemplate, publishedTemplates, UNLOADABLE } from "../support/golden.js";

const system = (content: string): Message => ({ role: "system", content });
const developer = (content: string): Message => ({ role: "developer", content });
const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

const place = (rules: SystemRules, ...messages: Message[]) =>
  placeSystemMessages(messages, rules).map(({ role, content }) => `${role}: ${showAsText(content)}`);

describe("system messages", () => {
  it("stay as they are in a template that shows all of them", () => {
    const messages = [system("a"), developer("b"), user("c"), system("d")];
    expect(placeSystemMessages(messages, { leading: "separate", later: "system" })).toBe(messages);
  });

  it("are joined at the start, in the role of the first", () => {
    const rules: SystemRules = { leading: "joined", later: "system" };
    expect(place(rules, developer("a"), system("b"), user("c"), system("d"))).toEqual([
      "developer: a\n\nb",
      "user: c",
      "system: d",
    ]);
    expect(place(rules, system("a"), system("b"))).toEqual(["system: a\n\nb"]);
  });

  it("become user messages after another message, at their place", () => {
    const rules: SystemRules = { leading: "separate", later: "user" };
    expect(place(rules, system("a"), user("b"), system("c"), assistant("d"), developer("e"), user("f"))).toEqual([
      "system: a",
      "user: b",
      "user: <system>\nc\n</system>",
      "assistant: d",
      "user: <system>\ne\n</system>",
      "user: f",
    ]);
    expect(place(rules, user("a"), system("b"))).toEqual(["user: a", "user: <system>\nb\n</system>"]);
  });

  it("become a part of the user message beside them, if the template refuses two in a row", () => {
    const rules: SystemRules = { leading: "joined", later: "part_of_user" };
    const [c, e] = ["<system>\nc\n</system>", "<system>\ne\n</system>"];
    expect(place(rules, user("b"), system("c"), assistant("d"), system("e"), user("f"), user("g"))).toEqual([
      `user: b\n\n${c}`,
      "assistant: d",
      `user: ${e}\n\nf\n\ng`,
    ]);
    expect(place(rules, user("a"), user("b"), assistant("d"), system("c"))).toEqual([
      "user: a",
      "user: b",
      "assistant: d",
      `user: ${c}`,
    ]);
  });

  it("become a text beside the parts of a user message", () => {
    const image = { type: "image", sha256: "1".repeat(64), mediaType: "image/png", width: 2, height: 1 } as const;
    const rules: SystemRules = { leading: "joined", later: "part_of_user" };
    const seen: Message = { role: "user", content: [image, { type: "text", text: "a" }] };
    expect(placeSystemMessages([seen, system("b")], rules)).toEqual([
      { role: "user", content: [image, { type: "text", text: "a\n\n<system>\nb\n</system>" }] },
    ]);
  });

  it("give the same message each time, because its value is cached", () => {
    const messages = [user("a"), system("b")];
    const rules: SystemRules = { leading: "separate", later: "user" };
    expect(placeSystemMessages(messages, rules)[1]).toBe(placeSystemMessages(messages, rules)[1]);
  });
});

const CONVERSATIONS: readonly (readonly Message[])[] = [
  [system("firstRule"), system("secondRule"), user("question")],
  [system("firstRule"), user("question"), system("secondRule")],
  [system("firstRule"), user("question"), assistant("answer"), system("secondRule"), user("next")],
];

/** False for templates that have no system messages. */
function showsSystem(render: (messages: readonly Message[]) => string): boolean {
  try {
    return render([system("firstRule"), user("question")]).includes("firstRule");
  } catch {
    return false;
  }
}

describe("several system messages at the start", () => {
  const LOOP = "{% for m in messages %}[{{ m.role }}] {{ m.content }} {% endfor %}";
  const FIRST_ONLY =
    "{% if messages[0].role == 'system' %}[system] {{ messages[0].content }} {% endif %}" +
    "{% for m in messages if m.role != 'system' %}[{{ m.role }}] {{ m.content }} {% endfor %}";
  it.each([
    ["stay apart in a template that shows each", LOOP, "[system] a [system] b [user] c "],
    ["are joined for a template that shows the first", FIRST_ONLY, "[system] a\n\nb [user] c "],
  ])("%s", (_, source, text) => {
    const options = { specialTokens: new Map<string, string>(), now: () => new Date(0), templateArgs: {} };
    const messages = [system("a"), system("b"), user("c")];
    expect(new ChatTemplate(source, options).render({ messages }, false)).toBe(text);
  });
});

describe("published templates", () => {
  it.each(publishedTemplates.filter((name) => name !== UNLOADABLE))("%s shows every system message", (name) => {
    const specialTokens = new Map(["bos_token", "eos_token"].map((token) => [token, `<${token}>`] as const));
    const options = { specialTokens, now: () => new Date(0), templateArgs: {} };
    const template = new ChatTemplate(publishedTemplate(name), options);
    const render = (messages: readonly Message[]) => template.render({ messages }, true);
    if (!showsSystem(render)) return;
    for (const messages of CONVERSATIONS) {
      const text = render(messages);
      for (const { content } of messages) expect(text).toContain(content);
    }
  });
});
