import { describe, expect, it } from "vitest";
import { showAsText } from "../../src/conversation/media.js";
import type { Message } from "../../src/conversation/message.js";
import { type ChatModel, TemplateError } from "../../src/model/chat-model.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { fixtureTemplate, loadableModels, publishedTemplate } from "./support/golden.js";
import { joinIds, writeModelFolder } from "./support/model-folder.js";

/** Prompts that end with the beginning of an answer. */

const STOPS = ["<|im_end|>", "<|end|>", "<|return|>", "<|call|>"];
const load = (template: string) => loadChatModel(writeModelFolder(template, STOPS));

const decodePieces = (model: ChatModel, pieces: readonly Int32Array[]): string =>
  model.decode(Int32Array.from(joinIds(pieces)), { skipSpecialTokens: false });

const USER: Message = { role: "user", content: "Name a city." };
const PREFILL = "A city:\n\n  {“a”: 1";

describe("the beginning of an answer", () => {
  it.each([
    ["chatml", `<|im_start|>assistant\n${PREFILL}`],
    ["think", `<|im_start|>assistant\n<think>\n\n</think>\n\n${PREFILL}`],
    ["channels", `<|start|>assistant<|channel|>final<|message|>${PREFILL}`],
    ["late-end", `<|begin_assistant|>\n${PREFILL}`],
  ])("is the end of the prompt: template %s", async (name, end) => {
    const model = await load(fixtureTemplate(name));
    const prompt = decodePieces(model, (await model.prompt({ messages: [USER], prefill: PREFILL })).idPieces);
    expect(prompt.endsWith(end)).toBe(true);
  });

  it("is the end of the text that follows a recorded turn", async () => {
    const model = await load(fixtureTemplate("think"));
    const answer: Message = { role: "assistant", content: "Rome" };
    const conversation = { messages: [USER, answer, USER], prefill: PREFILL };
    const result = await model.continuation(conversation, { messageCount: 2, output: answer, lastTokenId: undefined });
    const pieces = "pieces" in result ? result.pieces : [];
    expect(decodePieces(model, pieces)).toBe(
      `<|im_end|>\n<|im_start|>user\n${showAsText(USER.content)}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n${PREFILL}`,
    );
  });

  it("causes a fallback if the template opens a turn differently from how it shows one", async () => {
    const template =
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}" +
      "{% if add_generation_prompt %}<|im_start|>assistant\n<think>{% endif %}";
    const model = await load(template);
    const answer: Message = { role: "assistant", content: "Rome" };
    const conversation = { messages: [USER, answer, USER], prefill: PREFILL };
    const turn = { messageCount: 2, output: answer, lastTokenId: undefined };
    expect(await model.continuation(conversation, turn)).toEqual({ fallback: "answer_opened_otherwise" });
    expect(
      decodePieces(model, (await model.prompt(conversation)).idPieces).endsWith(`<|im_start|>assistant\n${PREFILL}`),
    ).toBe(true);
  });

  it("is refused if the template changes it", async () => {
    const model = await load(
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content | upper }}<|im_end|>{% endfor %}",
    );
    await expect(model.prompt({ messages: [USER], prefill: "Rome" })).rejects.toBeInstanceOf(TemplateError);
  });
});

async function promptOrRefusal(model: ChatModel, prefill: string): Promise<string> {
  try {
    return decodePieces(model, (await model.prompt({ messages: [USER], prefill })).idPieces);
  } catch (error) {
    if (error instanceof TemplateError) return "refused";
    throw error;
  }
}

describe("published templates", () => {
  it.each(loadableModels)("%s: render the whole answer like its beginning", async (name) => {
    const model = await loadChatModel(writeModelFolder(publishedTemplate(name), STOPS));
    for (const prefill of ["Rome", "A list:\n- Rome\n-", "  {"]) {
      const prompt = await promptOrRefusal(model, prefill);
      if (prompt === "refused") continue;
      expect(prompt.endsWith(prefill)).toBe(true);
      const answer: Message = { role: "assistant", content: `${prefill} and Oslo` };
      const whole = decodePieces(model, (await model.prompt({ messages: [USER, answer, USER] })).idPieces);
      const shown = whole.indexOf(prefill);
      expect(shown).toBeGreaterThan(0);
      expect(whole.slice(shown, shown + answer.content.length)).toBe(answer.content);
    }
  });

  it("accept a plain beginning of an answer", async () => {
    const refusing: string[] = [];
    for (const name of loadableModels) {
      const model = await loadChatModel(writeModelFolder(publishedTemplate(name), STOPS));
      await model.prompt({ messages: [USER], prefill: "Rome" }).catch(() => refusing.push(name));
    }
    expect(refusing).toEqual([]);
  });
});
