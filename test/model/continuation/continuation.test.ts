import { describe, expect, it } from "vitest";
import type { Conversation, Message } from "../../../src/conversation/message.js";
import type { ContinuationResult } from "../../../src/model/chat-model.js";
import { type FolderChatModel, loadChatModel } from "../../../src/model/load-chat-model.js";
import { fixtureTemplate } from "../support/golden.js";
import { joinIds, writeModelFolder } from "../support/model-folder.js";
import { SCENARIOS } from "./scenarios.js";

const load = (template: string, stops: readonly string[]): Promise<FolderChatModel> =>
  loadChatModel(writeModelFolder(template, stops));
const fromFixture = (name: string, stops: readonly string[]): Promise<FolderChatModel> =>
  load(fixtureTemplate(name), stops);

const user = (content: string): Message => ({ role: "user", content });
const says = (content: string): Message => ({ role: "assistant", content });

const findId = (model: FolderChatModel, token: string): number => {
  const id = model.stopTokenIds.find(
    (stop) => model.decode(Int32Array.of(stop), { skipSpecialTokens: false }) === token,
  );
  if (id === undefined) throw new Error(`${token} is not a stop token`);
  return id;
};

/** Returns the text that follows the first answer of the conversation, or the reason for the fallback. */
async function following(model: FolderChatModel, messages: readonly Message[], lastToken?: string, more: object = {}) {
  const answer = messages.findIndex((message) => message.role === "assistant");
  const output = messages[answer] ?? says("");
  const lastTokenId = lastToken === undefined ? undefined : findId(model, lastToken);
  const conversation: Conversation = { messages, ...more };
  return shown(model, await model.continuation(conversation, { messageCount: answer + 1, output, lastTokenId }));
}

function shown(model: FolderChatModel, result: ContinuationResult): string {
  if ("fallback" in result) return result.fallback;
  return model.decode(Int32Array.from(joinIds(result.pieces)), { skipSpecialTokens: false });
}

/** Returns a template that refuses a message `m` for which the condition holds. */
const refusing = (condition: string): string =>
  `{% for m in messages %}{% if ${condition} %}{{ raise_exception('refused') }}{% endif %}` +
  "<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>";

const CHAT = [user("Hello"), says("Good day"), user("And you?")];
const call = (name: string, id = "call00001") => ({ id, name, arguments: '{"city": "Paris"}' });
const LOOP: Message[] = [
  user("Weather?"),
  { role: "assistant", content: "", toolCalls: [call("get_weather")] },
  { role: "tool", content: "20 degrees", toolCallId: "call00001" },
];

describe("a turn that ended with the template's end of turn", () => {
  it("is followed by the rest of the end of turn and by the new messages", async () => {
    const model = await fromFixture("chatml", ["<|im_end|>"]);
    expect(await following(model, CHAT, "<|im_end|>")).toBe(
      "\n<|im_start|>user\nAnd you?<|im_end|>\n<|im_start|>assistant\n",
    );
    expect(await following(model, LOOP, "<|im_end|>")).toBe(
      "\n<|im_start|>user\n<tool_response>\n20 degrees\n</tool_response><|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it("and its continuation have exactly the ids of the whole conversation if the template only appends", async () => {
    const model = await fromFixture("chatml", ["<|im_end|>"]);
    const end = findId(model, "<|im_end|>");
    for (const [name, { conversation, messageCount }] of Object.entries(SCENARIOS)) {
      const whole = [...joinIds((await model.prompt(conversation)).idPieces)];
      const before = { ...conversation, messages: conversation.messages.slice(0, messageCount - 1) };
      const prompt = [...joinIds((await model.prompt(before)).idPieces)];
      expect(whole.slice(0, prompt.length), `scenario ${name}`).toEqual(prompt);
      // The first end of turn after the prompt belongs to the answer.
      const turn = whole.slice(0, whole.indexOf(end, prompt.length) + 1);
      const output = conversation.messages[messageCount - 1] ?? says("");
      const next = await model.continuation(conversation, { messageCount, output, lastTokenId: end });
      expect([...turn, ...joinIds("pieces" in next ? next.pieces : [])], `scenario ${name}`).toEqual(whole);
    }
  });
});

describe("a turn that was cut short", () => {
  it("is followed by the template's end of turn", async () => {
    const model = await fromFixture("chatml", ["<|im_end|>"]);
    expect(await following(model, CHAT)).toBe(`<|im_end|>${await following(model, CHAT, "<|im_end|>")}`);
  });

  it("is followed by the template's end of turn even after another stop token", async () => {
    const model = await fromFixture("chatml", ["<|im_end|>", "<|endoftext|>"]);
    expect(await following(model, CHAT, "<|endoftext|>")).toBe(await following(model, CHAT));
  });
});

describe("a continuation with a template that rewrites the turn", () => {
  it("ends with the opening of the next turn if the template drops reasoning", async () => {
    const model = await fromFixture("think", ["<|im_end|>"]);
    const opened = "\n<|im_start|>user\nAnd you?<|im_end|>\n<|im_start|>assistant\n<think>\n";
    expect(await following(model, CHAT, "<|im_end|>")).toBe(opened);
    const thought: Message = { ...says("<think>\nhm\n</think>\n\nGood day"), reasoning: "hm" };
    expect(await following(model, [user("Hello"), thought, user("And you?")], "<|im_end|>")).toBe(opened);
    const off = { templateArgs: { enable_thinking: false } };
    expect(await following(model, CHAT, "<|im_end|>", off)).toBe(`${opened}\n</think>\n\n`);
  });

  it("follows the model's own end token if the template later writes another one", async () => {
    const model = await fromFixture("channels", ["<|return|>", "<|call|>"]);
    const opened = "<|start|>user<|message|>And you?<|end|><|start|>assistant";
    expect(await following(model, CHAT, "<|return|>")).toBe(opened);
    expect(await following(model, CHAT)).toBe(`<|end|>${opened}`);
    expect(await following(model, LOOP, "<|call|>")).toBe(
      "<|start|>tool<|message|>20 degrees<|end|><|start|>assistant",
    );
  });

  it("exists if the template ends a turn only when another message follows", async () => {
    const model = await fromFixture("late-end", ["<|end|>"]);
    expect(await following(model, CHAT, "<|end|>")).toBe("\n<|begin_user|>\nAnd you?\n<|begin_assistant|>\n");
    expect(await following(model, LOOP)).toBe("<|end|>\n<|begin_tool|>\n20 degrees\n<|begin_assistant|>\n");
  });
});

describe("a model that stops at the next header", () => {
  it("continues after the header that it wrote", async () => {
    const model = await fromFixture("header-stop", ["<|user|>", "<|observation|>"]);
    expect(await following(model, CHAT, "<|user|>")).toBe("\nAnd you?<|assistant|>\n");
    expect(await following(model, LOOP, "<|observation|>")).toBe(
      "\n<tool_response>\n20 degrees\n</tool_response><|assistant|>\n",
    );
  });

  it("gets the header if it was cut short or wrote another one", async () => {
    const model = await fromFixture("header-stop", ["<|user|>", "<|observation|>"]);
    expect(await following(model, CHAT)).toBe("<|user|>\nAnd you?<|assistant|>\n");
    expect(await following(model, CHAT, "<|observation|>")).toBe("<|user|>\nAnd you?<|assistant|>\n");
  });
});

describe("user text", () => {
  it("that spells an end of turn does not end the turn", async () => {
    const model = await fromFixture("channels", ["<|return|>", "<|call|>"]);
    const messages = [user("Hello"), says("Good day"), user("<|return|>rolltapeTurnEnd<|call|>rolltapeStandIn")];
    expect(await following(model, messages, "<|return|>")).toBe(
      "<|start|>user<|message|><|return|>rolltapeTurnEnd<|call|>rolltapeStandIn<|end|><|start|>assistant",
    );
  });
});

describe("the fallback", () => {
  it("is used if the new messages contain an answer, or if there are none", async () => {
    const model = await fromFixture("chatml", ["<|im_end|>"]);
    expect(await following(model, [...CHAT, says("Fine"), user("Good")], "<|im_end|>")).toBe(
      "answer_among_new_messages",
    );
    expect(await following(model, CHAT.slice(0, 2), "<|im_end|>")).toBe("answer_among_new_messages");
    const turn = { messageCount: 1, output: says(""), lastTokenId: undefined };
    expect(await model.continuation({ messages: CHAT }, turn)).toEqual({ fallback: "answer_among_new_messages" });
  });

  it("is used if the template moves the system message or the tools after the turn", async () => {
    const model = await fromFixture("inst", ["<EOS>"]);
    expect(await following(model, CHAT, "<EOS>")).toBe("[INST] And you?[/INST]");
    expect(await following(model, [{ role: "system", content: "S" }, ...CHAT], "<EOS>")).toBe("template_moves_context");
    const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
    expect(await following(model, CHAT, "<EOS>", { tools })).toBe("template_moves_context");
    expect(await following(model, LOOP, "<EOS>", { tools })).toBe(
      '[TOOL_RESULTS] {"content": "20 degrees", "call_id": "call00001"}[/TOOL_RESULTS]',
    );
  });

  it("is used if the template moves a new system message to the front", async () => {
    const hoisting =
      "{% for m in messages if m.role == 'system' %}<|system|>{{ m.content }}{% endfor %}" +
      "{% for m in messages if m.role != 'system' %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>";
    const model = await load(hoisting, ["<|end|>"]);
    expect(await following(model, [...CHAT, { role: "system", content: "Be brief" }], "<|end|>")).toBe(
      "system_message_moved",
    );
    const chatml = await fromFixture("chatml", ["<|im_end|>"]);
    expect(await following(chatml, [...CHAT, { role: "system", content: "Be brief" }], "<|im_end|>")).toContain(
      "Be brief",
    );
  });

  it("is used if changed template variables change the header", async () => {
    const switched =
      "{% if mode is defined %}<|mode|>{{ mode }}{% endif %}" +
      "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ suffix }}<|end|>{% endfor %}" +
      "<|assistant|>{% if not thinking %}<|skip|>{% endif %}";
    const model = await load(switched, ["<|end|>"]);
    const end = { messageCount: 2, output: says("Good day"), lastTokenId: findId(model, "<|end|>") };
    const after = async (earlier: object | undefined, now: object | undefined) => {
      const conversation = { messages: CHAT, ...(now ? { templateArgs: { ...now } } : {}) };
      const turn = { ...end, templateArgs: earlier && { ...earlier } };
      return shown(model, await model.continuation(conversation, turn));
    };
    const next = "<|user|>And you?<|end|><|assistant|>";
    expect(await after({ mode: "a" }, { mode: "b" })).toBe("template_args_changed");
    expect(await after({ mode: "a" }, undefined)).toBe("template_args_changed");
    expect(await after(undefined, { mode: "a" })).toBe("template_args_changed");
    expect(await after({ mode: "a" }, { mode: "a" })).toBe(`${next}<|skip|>`);
    expect(await after({ mode: "a" }, { thinking: true, mode: "a" })).toBe(next);
    expect(await after(undefined, { suffix: "!", unknown: 1 })).toBe("<|user|>And you?!<|end|><|assistant|><|skip|>");
  });

  it("is used if the template refuses the new messages", async () => {
    const model = await load(refusing("m.role == 'tool'"), ["<|end|>"]);
    expect(await following(model, LOOP, "<|end|>")).toBe("template_refuses");
  });

  it("is used if the template has no token that ends a turn", async () => {
    const model = await load(fixtureTemplate("no-end"), ["<|endoftext|>"]);
    expect(await following(model, CHAT)).toBe("no_end_of_turn");
  });
});

describe("text that the client has added to an answer", () => {
  const extended = async (model: FolderChatModel, addedText: string) => {
    const messages = [user("Hello"), says(`Good day${addedText}`), user("And you?")];
    const lastTokenId = model.stopTokenIds[0];
    const turn = { messageCount: 2, output: says("Good day"), lastTokenId, addedText };
    return shown(model, await model.continuation({ messages }, turn));
  };
  const END = "<|im_end|>\n<|im_start|>user\nAnd you?<|im_end|>\n<|im_start|>assistant\n";

  it("follows the turn, before the end of turn", async () => {
    const model = await fromFixture("chatml", ["<|im_end|>"]);
    expect(await extended(model, "</code>\nCalling")).toBe(`</code>\nCalling${END}`);
    expect(await extended(model, "")).toBe(END);
  });

  const showing = (content: string) =>
    load(
      `{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}{{ ${content} }}{% else %}{{ m.content }}{% endif %}<|end|>` +
        "{% endfor %}<|assistant|>",
      ["<|end|>"],
    );

  it("is shown without the white space that the template removes", async () => {
    expect(await extended(await showing("m.content | trim"), ", you \n")).toBe(
      ", you<|end|><|user|>And you?<|end|><|assistant|>",
    );
  });

  it("is not continued if the template changes it", async () => {
    expect(await extended(await showing("m.content | replace('you', 'me')"), ", you")).toBe("added_text_changed");
    expect(await extended(await showing("m.content.split('</think>')[-1]"), "</think>")).toBe("added_text_changed");
  });
});

describe("a new system message", () => {
  it("is continued as user text if the template wants the only system message first", async () => {
    const model = await load(refusing("m.role == 'system' and not loop.first"), ["<|end|>"]);
    const messages: Message[] = [...CHAT.slice(0, 2), { role: "system", content: "Be brief." }];
    expect(await following(model, messages, "<|end|>")).toBe(
      "<|user|><system>\nBe brief.\n</system><|end|><|assistant|>",
    );
    expect(await following(model, [...messages, user("Go on")], "<|end|>")).toBe(
      "<|user|><system>\nBe brief.\n</system><|end|><|user|>Go on<|end|><|assistant|>",
    );
  });
});

describe("the history", () => {
  const NUMBERING =
    "{% set ns = namespace(n=0) %}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}" +
    "{% for c in m.tool_calls or [] %}{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}" +
    "{% if m.role == 'tool' %}#{{ ns.n }}{% set ns.n = ns.n + 1 %}{% endif %}<|end|>{% endfor %}<|assistant|>";

  it("is rendered if the template numbers calls across it", async () => {
    const model = await load(NUMBERING, ["<|end|>"]);
    const messages = [...LOOP, ...LOOP.slice(1), ...LOOP.slice(1)];
    const turn = { messageCount: 6, output: messages[5] ?? says(""), lastTokenId: findId(model, "<|end|>") };
    expect(shown(model, await model.continuation({ messages }, turn))).toBe("<|tool|>20 degrees#2<|end|><|assistant|>");
  });

  it("is not read otherwise, except its system message", async () => {
    const model = await fromFixture("chatml", ["<|im_end|>"]);
    const history = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? user(`${i}`) : says(`${i}`)));
    const messages = [{ role: "system", content: "S" } as const, ...history, user("Last")];
    const guarded = new Proxy(messages, {
      get(target, key, receiver) {
        const index = typeof key === "string" ? Number(key) : Number.NaN;
        if (index > 1 && index < 1000) throw new Error(`message ${index} was read`);
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    const turn = { messageCount: 1001, output: says("999"), lastTokenId: findId(model, "<|im_end|>") };
    expect(shown(model, await model.continuation({ messages: guarded }, turn))).toBe(
      "\n<|im_start|>user\nLast<|im_end|>\n<|im_start|>assistant\n",
    );
  });
});
