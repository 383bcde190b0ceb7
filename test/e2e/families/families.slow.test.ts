import { describe, expect, it } from "vitest";
import type { Conversation, Message } from "../../../src/conversation/message.js";
import type { ChatModelOptions } from "../../../src/model/load-chat-model.js";
import { resultOf } from "../../helpers/family-model.js";
import { ANSWERS, TOOLS } from "./answers.js";
import { ASKS, chatTold, meant, nextTurn, QUESTION, type Told, toTold } from "./chat.js";
import { startRig } from "./rig.js";

/**
 * Tests each family of outputs from the engine's tokens to the SDKs and back. The model writes calls as its template renders them.
 * Every protocol must read them alike, streamed or not. The next turn must show the model what it has written, and exports must have
 * the tokens of the engine's log.
 */
interface Family {
  readonly template: string;
  /** The template shows the reasoning of the previous turn. `calls`: only if it has calls. */
  readonly reasons: boolean | "calls";
  /** Names of the answers that the template can render. Default: all. */
  readonly answers?: readonly string[];
  readonly options?: ChatModelOptions;
  /** The template leaves out null. */
  readonly omitsNull?: true;
}

const THINKING: ChatModelOptions = { templateArgs: { enable_thinking: true } };

const FAMILIES: readonly Family[] = [
  { template: "Qwen-Qwen3-0.6B", reasons: true },
  { template: "NousResearch-Hermes-3-Llama-3.1-8B-tool_use", reasons: false, answers: ["a call", "an answer"] },
  { template: "Qwen3-Coder", reasons: false },
  { template: "Qwen3.5-4B", reasons: true },
  { template: "meta-llama-Llama-3.1-8B-Instruct", reasons: false, answers: ["a call", "an answer"] },
  { template: "deepseek-ai-DeepSeek-V3.1", reasons: false },
  { template: "moonshotai-Kimi-K2", reasons: false },
  { template: "GLM-4.6", reasons: true },
  { template: "mistralai-Ministral-3-14B-Reasoning-2512", reasons: false },
  { template: "MiniMax-M2", reasons: true },
  { template: "ByteDance-Seed-OSS", reasons: true },
  { template: "tencent-Hy3", reasons: false },
  { template: "Apertus-8B-Instruct", reasons: false },
  { template: "GigaChat3.1-10B-A1.8B", reasons: false, answers: ["a call", "an answer"] },
  { template: "unsloth-Apriel-1.5", reasons: false, answers: ["everything", "a call"] },
  { template: "Hunyuan-A13B", reasons: false },
  { template: "Olmo 3", reasons: false },
  { template: "Phi-4-mini with tokens", reasons: false },
  { template: "Phi-4-mini with a word", reasons: false },
  { template: "Hy3-preview", reasons: false },
  { template: "google-gemma-4-31B-it", reasons: "calls", answers: ["a call", "an answer"], options: THINKING },
  { template: "LFM2.5-8B-A1B", reasons: true },
  { template: "MiniMax-M3", reasons: true, omitsNull: true },
  {
    template: "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
    reasons: "calls",
    answers: ["a call", "an answer"],
    options: THINKING,
  },
  { template: "Cohere2MoE", reasons: true, answers: ["a call", "an answer"] },
  { template: "openai-gpt-oss-120b", reasons: true, answers: ["a call", "an answer"] },
];

const cases = FAMILIES.flatMap(({ answers = Object.keys(ANSWERS), options = {}, ...family }) =>
  answers.map((answer) => ({ template: family.template, options, answer, wanted: createAnswer(answer, family) })),
);

function createAnswer(name: string, { reasons, omitsNull }: Omit<Family, "answers" | "options">): Message {
  const { reasoning, ...answer } = ANSWERS[name] ?? { role: "assistant", content: "" };
  const toolCalls = answer.toolCalls?.map((call) => {
    return omitsNull ? { ...call, arguments: call.arguments.replaceAll("null,", "") } : call;
  });
  const shown = reasons === "calls" ? toolCalls !== undefined : reasons;
  return {
    ...answer,
    ...(toolCalls ? { toolCalls } : {}),
    ...(shown && reasoning !== undefined ? { reasoning } : {}),
  };
}

const askingFor = (tools: boolean): Conversation => ({
  messages: [{ role: "user", content: QUESTION }],
  ...(tools ? { tools: TOOLS } : {}),
});

type Rig = Awaited<ReturnType<typeof startRig>>;

/** Returns how each protocol reads a text, streamed with several frame sizes and not streamed. Checks that all is recorded. */
async function tellEverywhere(rig: Rig, text: string, tools: boolean): Promise<Record<string, unknown>> {
  const clients = await rig.open();
  const told: Record<string, unknown> = {};
  for (const [name, ask] of Object.entries(ASKS)) {
    for (const frames of name.includes("streamed") ? [1, 2, 3, 1000] : [1]) {
      await rig.say(text, frames);
      told[`${name}, ${frames}`] = meant(await ask(clients, tools));
    }
  }
  const { exported, logged } = await rig.recorded(clients.session, 0);
  expect(exported).toEqual(logged);
  return told;
}

const everywhere = (told: Record<string, unknown>, wanted: Told): Record<string, unknown> =>
  Object.fromEntries(Object.keys(told).map((name) => [name, meant(wanted)]));

/** Makes two turns of a chat and sends the answer back unchanged. Checks that all is recorded. */
async function twoTurns(rig: Rig, text: string, tools: boolean) {
  const { openai, session } = await rig.open();
  await rig.say(text);
  const first = await openai.chat.completions.create({
    model: "m",
    messages: [{ role: "user", content: QUESTION }],
    ...(tools ? { tools: TOOLS as never } : {}),
  });
  const message = first.choices[0]?.message;
  if (!message) throw new Error("an answer expected");
  await rig.say(text);
  await openai.chat.completions.create(nextTurn(message, tools));
  const [prompt = [], next = []] = rig.inputs();
  const { interactions, exported, logged } = await rig.recorded(session, 0);
  expect(exported).toEqual(logged);
  expect(interactions[1]?.parent_id).toBe(interactions[0]?.interaction_id);
  return { message, prompt, next, tokenExact: interactions[1]?.token_exact };
}

async function expectContinued(rig: Rig, text: string, tools: boolean): Promise<void> {
  const { prompt, next, tokenExact } = await twoTurns(rig, text, tools);
  const before = [...prompt, ...(await rig.model.encode(text))];
  expect(next.slice(0, before.length)).toEqual(before);
  expect(next.length).toBeGreaterThan(before.length);
  expect(tokenExact).toBe(true);
}

describe.each(cases)("$template: $answer", ({ template, options, wanted }) => {
  const tools = wanted.toolCalls !== undefined;
  const conversation = askingFor(tools);

  it("is the same with each protocol, streamed or not, and with any cuts into frames", async () => {
    const rig = await startRig({ template, options, chatTemplateType: "hf" });
    const told = await tellEverywhere(rig, rig.model.written(conversation, wanted), tools);
    expect(told).toEqual(everywhere(told, toTold(wanted)));
  });

  it("is rendered in the next turn as the template writes it", async () => {
    const rig = await startRig({ template, options, chatTemplateType: "hf" });
    const { message, next } = await twoTurns(rig, rig.model.written(conversation, wanted), tools);
    expect(meant(chatTold(message))).toEqual(meant(toTold(wanted)));
    const ids = (message.tool_calls ?? []).map(({ id }) => id);
    const toolCalls = (wanted.toolCalls ?? []).map((made, index) => ({ ...made, id: ids[index] ?? "" }));
    const answer = { ...wanted, ...(tools ? { toolCalls } : {}) };
    const results = toolCalls.map((made) => resultOf(made, "3"));
    const more: Message[] = tools ? results : [{ role: "user", content: "And then?" }];
    const messages = [...conversation.messages, answer, ...more];
    expect(next).toEqual(await rig.model.encode(rig.model.template.render({ ...conversation, messages }, true)));
  });

  it("is continued exactly", async () => {
    const rig = await startRig({ template, options, chatTemplateType: "concat" });
    await expectContinued(rig, rig.model.written(conversation, wanted), tools);
  });
});

interface Written {
  readonly name: string;
  readonly template: string;
  readonly options?: ChatModelOptions;
  readonly text: string;
  readonly told: Told;
}

const add = ["add", '{"a": -1, "b": 2.5}'] as const;
const ADD_JSON = `{"name": "add", "arguments": ${add[1]}}`;

/** Outputs that models write, but no template renders. */
const WRITTEN: readonly Written[] = [
  {
    name: "a pythonic call",
    template: "meta-llama-Llama-3.3-70B-Instruct",
    options: { toolCallParser: "pythonic" },
    text: '[edit(path="ä.ts", list=[1, \'two\'], deep={"k": None}, yes=False)]<|eot_id|>',
    told: {
      content: "",
      reasoning: "",
      calls: [["edit", '{"path": "ä.ts", "list": [1, "two"], "deep": {"k": null}, "yes": false}']],
    },
  },
  {
    name: "Llama 4's call",
    template: "Llama 4",
    text: '<|python_start|>[add(a=-1, b=2.5), edit(path="ä.ts", yes=False)]<|python_end|><|eom|>',
    told: { content: "", reasoning: "", calls: [add, ["edit", '{"path": "ä.ts", "yes": false}']] },
  },
  {
    name: "Nemotron Nano v2's reasoning and call",
    template: "NVIDIA-Nemotron-Nano-v2",
    text: `Hm.\n</think>\n\nI add.\n<TOOLCALL>[${ADD_JSON}]</TOOLCALL>\n<SPECIAL_12>`,
    told: { content: "I add.", reasoning: "Hm.", calls: [add] },
  },
  {
    name: "Hunyuan-A13B's reasoning and call",
    template: "Hunyuan-A13B",
    text: `<think>\nHm.\n</think>\n<answer>\n<tool_calls>[${ADD_JSON}, ${ADD_JSON}]</tool_calls>\n</answer><|eos|>`,
    told: { content: "", reasoning: "Hm.", calls: [add, add] },
  },
  {
    name: "Hunyuan-A13B's answer",
    template: "Hunyuan-A13B",
    text: "<think>\n\n</think>\n<answer>\n助手：It is 1.\n</answer><|eos|>",
    told: { content: "It is 1.", reasoning: "", calls: [] },
  },
  {
    name: "Apertus's reasoning and call",
    template: "Apertus-8B-Instruct",
    text: `<|inner_prefix|>Hm.<|inner_suffix|>I add.<|tools_prefix|>[{"add": ${add[1]}}]<|tools_suffix|>`,
    told: { content: "I add.", reasoning: "Hm.", calls: [add] },
  },
  {
    name: "Olmo 3's calls in Python",
    template: "Olmo 3",
    text: "<function_calls>\nadd(a=-1, b=2.5)\nedit(path='ä.ts', yes=False)\n</function_calls><|im_end|>",
    told: { content: "", reasoning: "", calls: [add, ["edit", '{"path": "ä.ts", "yes": false}']] },
  },
  {
    name: "LFM2's call and text, whose template writes no calls",
    template: "LFM2.5-Instruct",
    text: "<think>Hm.</think><|tool_call_start|>[add(a=-1, b=2.5)]<|tool_call_end|>I add.<|im_end|>",
    told: { content: "I add.", reasoning: "Hm.", calls: [add] },
  },
  {
    name: "DeepSeek R1's text and call",
    template: "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B",
    text: `I add.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n\`\`\`json\n${add[1]}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
    told: { content: "I add.", reasoning: "", calls: [add] },
  },
  {
    name: "gpt-oss's analysis, preamble and call",
    template: "openai-gpt-oss-120b",
    text: `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I add.<|end|><|start|>assistant<|channel|>commentary to=functions.add <|constrain|>json<|message|>${add[1]}<|call|>`,
    told: { content: "I add.", reasoning: "Hm.", calls: [add] },
  },
  {
    name: "text between and behind calls",
    template: "Qwen-Qwen3-0.6B",
    text: `<think>\nHm.\n</think>\n\n<tool_call>\n${ADD_JSON}\n</tool_call>\nAgain.\n<tool_call>${ADD_JSON}</tool_call> Done.<|im_end|>`,
    told: { content: "Again.\nDone.", reasoning: "Hm.", calls: [add, add] },
  },
  {
    name: "a call drafted in the reasoning",
    template: "GLM-4.6",
    text: "\n<think>I could <tool_call>add</tool_call>.</think>\nNo.<|user|>",
    told: { content: "No.", reasoning: "I could <tool_call>add</tool_call>.", calls: [] },
  },
];

describe.each(WRITTEN)("$name", ({ template, options = {}, text, told: wanted }) => {
  it("are the same with each protocol, streamed or not, and with any cuts into frames", async () => {
    const rig = await startRig({ template, options, chatTemplateType: "hf" });
    const told = await tellEverywhere(rig, text, true);
    expect(told).toEqual(everywhere(told, wanted));
  });

  it("are continued exactly", async () => {
    await expectContinued(await startRig({ template, options, chatTemplateType: "concat" }), text, true);
  });
});
