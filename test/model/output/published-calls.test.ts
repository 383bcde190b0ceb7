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

/** Parsers read calls in the form in which published templates write them. */

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

// Templates that write lists in Python's spelling, add ids to calls, or end a turn with the marker after the calls, which
// is cut off here.
const UNSTRUCTURED = ["ByteDance-Seed-OSS", "unsloth-Apriel-1.5", "Apertus-8B-Instruct", "LFM2.5-8B-A1B"];

/**
 * Returns the text and the ids that the template writes for the answer, and the prompt before it. Undefined if the model
 * or its template has no calls, or if the rendering does not begin with the prompt.
 */
async function renderCall(name: string) {
  const folder = writeModelFolder(publishedTemplate(name), publishedStops(name));
  const model = await loadChatModel(folder);
  const files = await readModelFiles(folder);
  const tokenizer = new Tokenizer({ tokenizer: files.tokenizer, config: files.tokenizerConfig }, 0);
  if (model.families.tools === "none") return undefined;
  const renderText = async (conversation: Conversation): Promise<string> =>
    model.decode(Int32Array.from(joinIds((await model.prompt(conversation)).idPieces)), { skipSpecialTokens: false });
  try {
    const base = { tools: TOOLS, templateArgs: { enable_thinking: false, thinking: false } };
    const opened = await renderText({ ...base, messages: [USER] });
    const whole = await renderText({ ...base, messages: [USER, ANSWER, RESULT] });
    if (!whole.startsWith(opened)) return undefined;
    const rest = whole.slice(opened.length);
    const ends = [...publishedStops(name), "<|end|>", "<|eot_id|>"]
      .map((token) => rest.indexOf(token))
      .filter((index) => index >= 0);
    const written = rest.slice(0, Math.min(...ends, rest.indexOf("sunny")));
    if (!written.includes("get_weather")) return undefined;
    return { model, opened, written, ids: Int32Array.from(joinIds(await tokenizer.encode(written))) };
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

describe("calls that published templates write", () => {
  it.each(loadableModels)("are read as written, and match the grammar for engines: %s", async (name) => {
    const rendered = await renderCall(name);
    if (rendered === undefined) return;
    const { model, opened, written, ids } = rendered;
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

  it("can be tested for 30 of the templates", async () => {
    const rendered = await Promise.all(loadableModels.map(renderCall));
    expect(rendered.filter((call) => call !== undefined).length).toBe(30);
  });
});
