import { describe, expect, it } from "vitest";
import type { Conversation, Message, Tool } from "../../../src/conversation/message.js";
import { TemplateError } from "../../../src/model/chat-model.js";
import { loadChatModel } from "../../../src/model/load-chat-model.js";
import { readModelFiles } from "../../../src/model/model-files.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import { accepts } from "../../helpers/xgrammar.js";
import { publishedStops } from "../continuation/published-stops.js";
import { loadableModels, publishedTemplate } from "../support/golden.js";
import { joinIds, writeModelFolder } from "../support/model-folder.js";

/** Calls as published templates write them are read as the calls that they are. */

const TOOLS: readonly Tool[] = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "the weather",
      parameters: {
        type: "object",
        properties: { city: { type: "string" }, days: { type: "integer" }, at: { type: "array" } },
        required: ["city"],
      },
    },
  },
];
const ARGUMENTS = '{"city": "Rome \\"A\\"", "days": 2, "at": [1, "x"]}';
const USER: Message = { role: "user", content: "weather?" };
const ANSWER: Message = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "functions.get_weather:0", name: "get_weather", arguments: ARGUMENTS }],
};
const RESULT: Message = { role: "tool", content: "sunny", toolCallId: "functions.get_weather:0", name: "get_weather" };

// Outputs of a form of their own, and lists as Python spells them.
const UNSTRUCTURED = ["Kimi-K3", "openai-gpt-oss-120b", "ByteDance-Seed-OSS"];

/**
 * What the template writes for the answer, its prompt and the model's reading of it; undefined where it cannot be told.
 */
async function readBack(name: string) {
  const folder = writeModelFolder(publishedTemplate(name), publishedStops(name));
  const model = await loadChatModel(folder);
  const files = await readModelFiles(folder);
  const tokenizer = new Tokenizer({ tokenizer: files.tokenizer, config: files.tokenizerConfig }, 0);
  if (model.families.tools === "none") return undefined;
  const renderText = async (conversation: Conversation): Promise<string> =>
    model.decode((await model.prompt(conversation)).ids, { skipSpecialTokens: false });
  try {
    const base = { tools: TOOLS, templateArgs: { enable_thinking: false, thinking: false } };
    const opened = await renderText({ ...base, messages: [USER] });
    const whole = await renderText({ ...base, messages: [USER, ANSWER, RESULT] });
    if (!whole.startsWith(opened)) return undefined;
    const behind = whole.slice(opened.length);
    const stop = [...publishedStops(name), "<|end|>", "<|eot_id|>"]
      .map((token) => behind.indexOf(token))
      .filter((at) => at >= 0);
    const written = behind.slice(0, Math.min(...stop, behind.indexOf("sunny")));
    return { model, opened, written, ids: Int32Array.from(joinIds(await tokenizer.encode(written))) };
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

describe("what published templates write", () => {
  it.each(loadableModels)("%s: is the call that it is, and what an engine is made to write", async (name) => {
    const told = await readBack(name);
    if (told === undefined) return;
    const { model, opened, written, ids } = told;
    const parser = model.outputParser({ tools: TOOLS, stop: [], stopTokenIds: model.stopTokenIds, promptEnd: opened });
    parser.push(ids);
    const { message, toolCalls } = parser.finish("stop").output;
    const [call] = message.toolCalls ?? [];
    expect([toolCalls, call?.name]).toEqual(["calls", "get_weather"]);
    expect(JSON.parse(call?.arguments ?? "")).toEqual(JSON.parse(ARGUMENTS));
    const rules = { tools: TOOLS, mustCall: true, strict: new Set<string>(), single: false, jsonSchema: undefined };
    const structure = model.outputStructure({ ...rules, promptEnd: opened });
    const isWritten = structure?.kind === "structural_tag" && (await accepts(structure.tag, written.trimEnd()));
    expect(isWritten).toBe(!UNSTRUCTURED.includes(name));
  });

  it("is so for most of them", async () => {
    const told = await Promise.all(loadableModels.map(readBack));
    expect(told.filter((each) => each !== undefined).length).toBe(24);
  });
});
