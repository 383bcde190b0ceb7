import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showAsText } from "../../../src/conversation/media.js";
import { TemplateError } from "../../../src/model/chat-model.js";
import { type Continuation, ContinuationFinder } from "../../../src/model/continuation/continuation-finder.js";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { fixtureTemplate, loadableModels, publishedTemplate } from "../support/golden.js";
import { type History, history } from "./histories.js";
import { publishedStops } from "./published-stops.js";

const SPECIAL = new Map([
  ["bos_token", "<BOS>"],
  ["eos_token", "<EOS>"],
  ["pad_token", "<PAD>"],
  ["unk_token", "<UNK>"],
]);

/** Deviations of a template from appending messages. */
interface Deviations {
  /** The template writes the text of an answer after its calls or their results, where no model writes it. */
  readonly textBehindCalls?: boolean;
  /** The template leaves out tool results. */
  readonly hidesResults?: boolean;
  /** Reasons for which some of its turns are not continued. */
  readonly fallbacks?: readonly string[];
}

const DEVIATIONS: Readonly<Record<string, Deviations>> = {
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": { textBehindCalls: true, fallbacks: ["no_end_of_turn"] },
  "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": { textBehindCalls: true },
  "google-gemma-4-31B-it": { textBehindCalls: true },
  "llama-cpp-rwkv-world": { fallbacks: ["no_end_of_turn"] },
  "microsoft-Phi-3.5-mini-instruct": { hidesResults: true },
  "mistralai-Mistral-Nemo-Instruct-2407": { fallbacks: ["template_moves_context"] },
  inst: { fallbacks: ["template_moves_context"] },
};

function createFinder(source: string, template: ChatTemplate, stops: readonly string[]): ContinuationFinder {
  const added = [...new Set([...stops, ...(source.match(/<[|｜][^<>\s'"]+?[|｜]>/g) ?? [])])];
  added.sort((a, b) => b.length - a.length);
  return new ContinuationFinder(template, {
    stops: new Map(stops.map((stop, id) => [id, stop])),
    addedTokenAt: (text) => added.find((token) => text.startsWith(token)),
  });
}

function tryRender(template: ChatTemplate, { conversation }: History): string | undefined {
  try {
    return template.render(conversation, true);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Compares a continuation with the rendering of the whole conversation. Returns the difference; undefined if there is none. */
function findMismatch(
  { conversation: { messages }, messageCount }: History,
  whole: string | undefined,
  found: Continuation | string,
  { textBehindCalls = false, hidesResults = false, fallbacks = [] }: Deviations,
  dividesCalls: boolean,
) {
  const answer = messages[messageCount - 1];
  // The rendering has the calls in turns of their own, so only what the continuation shows can be compared.
  const isDivided = dividesCalls && (answer?.toolCalls ?? []).length > 1;
  if (isDivided && found === "template_refuses") return undefined;
  const calls = answer?.toolCalls !== undefined;
  if (typeof found === "string") return whole === undefined || fallbacks.includes(found) ? undefined : found;
  if (whole === undefined || (textBehindCalls && calls && answer.content !== "")) return undefined;
  if (!isDivided && !whole.endsWith(found.text)) return { whole, continuation: found.text };
  const before = whole.slice(0, whole.length - found.text.length);
  if (!calls && !before.includes(showAsText(answer?.content ?? "").trim())) return { before };
  const shown = messages.slice(messageCount).filter(({ role }) => !(hidesResults && role === "tool"));
  const texts = shown.map(({ content }) => showAsText(content).trim());
  const left = texts.filter((text) => !found.text.includes(text) && !found.text.includes(inJson(text)));
  return left.length === 0 ? undefined : { left };
}

function expectContinuations(name: string, source: string, stops: readonly string[]): void {
  const options = { now: () => new Date(2026, 10, 20), templateArgs: {}, specialTokens: SPECIAL };
  const template = new ChatTemplate(source, options);
  const finder = createFinder(source, template, stops);
  fc.assert(
    fc.property(history, (sample) => {
      const { conversation, messageCount } = sample;
      const output = conversation.messages[messageCount - 1] ?? { role: "assistant", content: "" };
      const found = finder.find(conversation, { messageCount, output, lastTokenId: undefined });
      const whole = tryRender(template, sample);
      const mismatch = findMismatch(sample, whole, found, DEVIATIONS[name] ?? {}, template.dividesCalls);
      expect(mismatch).toBeUndefined();
    }),
    { numRuns: 60 },
  );
}

const FIXTURES: [name: string, stops: string[]][] = [
  ["chatml", ["<|im_end|>"]],
  ["think", ["<|im_end|>"]],
  ["channels", ["<|return|>", "<|call|>"]],
  ["late-end", ["<|end|>"]],
  ["header-stop", ["<|user|>", "<|observation|>"]],
  ["inst", ["<EOS>"]],
];

describe("the continuation of a random conversation equals the end of its rendering", () => {
  it.each(FIXTURES)("with the template %s", (name, stops) => expectContinuations(name, fixtureTemplate(name), stops));

  it.each(loadableModels)("with the published template %s", (name) => {
    expectContinuations(name, publishedTemplate(name), publishedStops(name));
  });
});

const added = fc
  .array(
    fc.constantFrom("</code>", "\nCalling tools:\n", " x", "</think>", "[TOOL_CALLS]", "\u6771", " \n", "<|im_end|>"),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => parts.join(""));

/** Adds text to the answer of random conversations. Returns how many of them are continued. */
function expectExtensions(source: string, stops: readonly string[]): number {
  const options = { now: () => new Date(2026, 10, 20), templateArgs: {}, specialTokens: SPECIAL };
  const template = new ChatTemplate(source, options);
  const finder = createFinder(source, template, stops);
  let continued = 0;
  fc.assert(
    fc.property(history, added, ({ conversation, messageCount }, addedText) => {
      const { messages } = conversation;
      const { toolCalls = [], content: answered = "" } = messages[messageCount - 1] ?? {};
      const content = showAsText(answered);
      fc.pre(toolCalls.length === 0);
      const output = { role: "assistant" as const, content };
      const changed = {
        ...conversation,
        messages: messages.with(messageCount - 1, { ...output, content: content + addedText }),
      };
      const found = finder.find(changed, { messageCount, output, lastTokenId: undefined, addedText });
      const whole = tryRender(template, { conversation: changed, messageCount });
      if (typeof found === "string" || whole === undefined) return;
      continued++;
      expect(found.text.startsWith(addedText.trimEnd())).toBe(true);
      expect(whole.endsWith(content.trimStart() + found.text)).toBe(true);
    }),
    { numRuns: 60 },
  );
  return continued;
}

describe("the continuation of an answer with added text equals the end of its rendering", () => {
  it.each(FIXTURES)("with the template %s", (name, stops) => {
    expect(expectExtensions(fixtureTemplate(name), stops)).toBeGreaterThan(0);
  });

  it.each(loadableModels)("with the published template %s", (name) => {
    const continued = expectExtensions(publishedTemplate(name), publishedStops(name));
    // This template ends no turn with a token.
    expect(continued > 0).toBe(name !== "llama-cpp-rwkv-world");
  });
});
