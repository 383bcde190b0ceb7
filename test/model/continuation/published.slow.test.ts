import { describe, expect, it } from "vitest";
import { type ContinuationFallback, TemplateError } from "../../../src/model/chat-model.js";
import { type FolderChatModel, loadChatModel } from "../../../src/model/load-chat-model.js";
import { loadableModels, publishedTemplate, UNLOADABLE } from "../support/golden.js";
import { joinIds, writeModelFolder } from "../support/model-folder.js";
import { publishedStops } from "./published-stops.js";
import { SCENARIOS, type Scenario } from "./scenarios.js";

/** Scenarios in which a template is not continued. In all others it is. */
const NOT_CONTINUED: Readonly<Record<string, Readonly<Record<string, ContinuationFallback | "refused">>>> = {
  "CohereForAI-c4ai-command-r-plus-tool_use": {
    toolsInReach: "refused",
    toolLoop: "refused",
    systemToolLoop: "refused",
    twoCalls: "refused",
    afterTools: "refused",
  },
  // Appends to a list, which Jinja2's sandbox does not allow either.
  "Kimi-K2-Instruct": { toolLoop: "refused", systemToolLoop: "refused", twoCalls: "refused", afterTools: "refused" },
  // Does not end a turn with a single call.
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": { toolLoop: "no_end_of_turn", systemToolLoop: "no_end_of_turn" },
  "google-gemma-2-2b-it": {
    system: "refused",
    toolLoop: "refused",
    systemToolLoop: "refused",
    twoCalls: "refused",
    afterTools: "refused",
  },
  // Converts a generator to JSON, which Python refuses too.
  "llama-cpp-deepseek-r1": {
    toolsInReach: "refused",
    toolLoop: "refused",
    systemToolLoop: "refused",
    twoCalls: "refused",
    afterTools: "refused",
  },
  // Has no special tokens.
  "llama-cpp-rwkv-world": Object.fromEntries(Object.keys(SCENARIOS).map((key) => [key, "no_end_of_turn" as const])),
  // Moves the system message and the tools to the last user message.
  "mistralai-Mistral-Nemo-Instruct-2407": {
    system: "template_moves_context",
    toolsInReach: "template_moves_context",
    afterTools: "template_moves_context",
  },
};

/** Templates that show one call in a message. The whole rendering has each call in a turn of its own, so its end differs. */
const ONE_CALL = [
  "GigaChat3.1-10B-A1.8B",
  "meta-llama-Llama-3.1-8B-Instruct",
  "meta-llama-Llama-3.3-70B-Instruct",
  "openai-gpt-oss-120b",
];

const load = (name: string): Promise<FolderChatModel> =>
  loadChatModel(writeModelFolder(publishedTemplate(name), publishedStops(name)));

/** Renders the whole scenario, its prompt, and its continuation after an answer that ended with each of the stop tokens. */
async function follow(model: FolderChatModel, { conversation, messageCount }: Scenario) {
  const decode = (pieces: readonly Int32Array[]): string =>
    model.decode(Int32Array.from(joinIds(pieces)), { skipSpecialTokens: false });
  const before = { ...conversation, messages: conversation.messages.slice(0, messageCount - 1) };
  const output = conversation.messages[messageCount - 1] ?? { role: "assistant", content: "" };
  const continued = async (lastTokenId: number | undefined): Promise<string | { readonly fallback: string }> => {
    const result = await model.continuation(conversation, { messageCount, output, lastTokenId });
    return "pieces" in result ? decode(result.pieces) : result;
  };
  return {
    prompt: decode((await model.prompt(before)).idPieces),
    whole: decode((await model.prompt(conversation)).idPieces),
    ended: await Promise.all(model.stopTokenIds.map(continued)),
    cut: await continued(undefined),
  };
}

type Followed = Awaited<ReturnType<typeof follow>>;

async function tryFollow(model: FolderChatModel, scenario: Scenario): Promise<Followed | "refused"> {
  try {
    return await follow(model, scenario);
  } catch (error) {
    if (error instanceof TemplateError) return "refused";
    throw error;
  }
}

describe("published templates", () => {
  it.each(loadableModels)("%s is continued in all scenarios without a known reason", async (name) => {
    const model = await load(name);
    const outcomes: [string, string][] = [];
    for (const [key, scenario] of Object.entries(SCENARIOS)) {
      const followed = await tryFollow(model, scenario);
      const cut = followed === "refused" ? followed : followed.cut;
      outcomes.push([key, typeof cut !== "string" ? cut.fallback : cut === "refused" ? cut : "continued"]);
    }
    const expected = Object.keys(SCENARIOS).map((key) => [key, NOT_CONTINUED[name]?.[key] ?? "continued"]);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
  });

  it.each(loadableModels)("%s continues with the text that the whole rendering has after the turn", async (name) => {
    const model = await load(name);
    const ends = [...publishedStops(name), "<|end|>"];
    for (const [key, scenario] of Object.entries(SCENARIOS)) {
      const followed = await tryFollow(model, scenario);
      if (followed === "refused" || typeof followed.cut !== "string") continue;
      const { whole, prompt, ended, cut } = { ...followed, cut: followed.cut };
      // A turn that was cut short gets its end first, and then the same text as a turn that ended by itself.
      const end = ends.find((token) => cut.startsWith(token)) ?? "none";
      expect(ended, `${name} ${key}`).toContain(cut.slice(end.length));
      if (!whole.startsWith(prompt)) continue;
      const isDivided = key === "twoCalls" && ONE_CALL.includes(name);
      const isSame = isDivided ? /20 degrees.*25 degrees/s.test(cut) : whole.endsWith(cut);
      expect(isSame, `${name} ${key}`).toBe(true);
      expect(whole.length - cut.length, `${name} ${key}`).toBeGreaterThanOrEqual(prompt.length);
    }
  });

  it("are refused if they need variables other than messages and tools", async () => {
    await expect(load(UNLOADABLE)).rejects.toMatchObject({ code: "chat_template_invalid" });
  });
});
