import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { showAsText } from "../../../src/conversation/media.js";
import type { Message } from "../../../src/conversation/message.js";
import { TOOLS } from "./answers.js";

/** The parts of an answer that an agent receives, equal for all protocols. */
export interface Told {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
}

/** Asks the same question. There is one function for each protocol of the SDKs, streamed and not. */
export type Ask = (
  clients: { readonly openai: OpenAI; readonly anthropic: Anthropic },
  tools: boolean,
) => Promise<Told>;

const MODEL = "m";
export const QUESTION = "Do it, please.";
const user = { role: "user" as const, content: QUESTION };

const chatTools = TOOLS as unknown as OpenAI.ChatCompletionFunctionTool[];
const responseTools = TOOLS.map(({ function: { name, description, parameters } }) => ({
  type: "function" as const,
  name,
  description: description as string,
  parameters: parameters as Record<string, unknown>,
  strict: null,
}));
const messageTools = TOOLS.map(({ function: { name, description, parameters } }) => ({
  name,
  description: description as string,
  input_schema: parameters as Anthropic.Tool.InputSchema,
}));

export const ASKS: Readonly<Record<string, Ask>> = {
  "a chat completion": async ({ openai }, tools) => {
    const completion = await openai.chat.completions.create(chatBody(tools));
    return chatTold(completion.choices[0]?.message);
  },
  "a streamed chat completion": async ({ openai }, tools) => {
    const told = { content: "", reasoning: "", calls: [] as [string, string][] };
    const stream = await openai.chat.completions.create({ ...chatBody(tools), stream: true });
    for await (const { choices } of stream) {
      const delta = (choices[0]?.delta ?? {}) as Partial<ChatDelta>;
      told.content += delta.content ?? "";
      told.reasoning += delta.reasoning_content ?? "";
      for (const { index, function: made } of delta.tool_calls ?? []) {
        const known = (told.calls[index] ??= [made.name ?? "", ""]);
        known[1] += made.arguments ?? "";
      }
    }
    return told;
  },
  "a response": async ({ openai }, tools) => responseTold(await openai.responses.create(responseBody(tools))),
  "a streamed response": async ({ openai }, tools) =>
    responseTold(await openai.responses.stream(responseBody(tools)).finalResponse()),
  "a message": async ({ anthropic }, tools) => messageTold(await anthropic.messages.create(messageBody(tools))),
  "a streamed message": async ({ anthropic }, tools) =>
    messageTold(await anthropic.messages.stream(messageBody(tools)).finalMessage()),
};

interface ChatDelta {
  readonly content: string | null;
  readonly reasoning_content: string;
  readonly tool_calls: { readonly index: number; readonly function: { name?: string; arguments?: string } }[];
}

const chatBody = (tools: boolean) => ({ model: MODEL, messages: [user], ...(tools ? { tools: chatTools } : {}) });
const responseBody = (tools: boolean) => ({
  model: MODEL,
  input: QUESTION,
  ...(tools ? { tools: responseTools } : {}),
});
const messageBody = (tools: boolean) => ({
  model: MODEL,
  max_tokens: 4096,
  messages: [user],
  ...(tools ? { tools: messageTools } : {}),
});

/** Returns the messages of the next turn: the answer and the results of its calls. */
export function nextTurn(answer: OpenAI.ChatCompletionMessage, tools: boolean) {
  const results = (answer.tool_calls ?? []).map(({ id }) => ({
    role: "tool" as const,
    tool_call_id: id,
    content: "3",
  }));
  const more = results.length > 0 ? results : [{ role: "user" as const, content: "And then?" }];
  return { ...chatBody(tools), messages: [user, answer, ...more] };
}

export function chatTold(message: OpenAI.ChatCompletionMessage | undefined): Told {
  const { reasoning_content: reasoning } = (message ?? {}) as { reasoning_content?: string };
  const calls = (message?.tool_calls ?? []).flatMap((made) =>
    made.type === "function" ? [[made.function.name, made.function.arguments] as const] : [],
  );
  return { content: message?.content ?? "", reasoning: reasoning ?? "", calls };
}

function responseTold({ output }: OpenAI.Responses.Response): Told {
  const told = { content: "", reasoning: "", calls: [] as [string, string][] };
  for (const item of output) {
    if (item.type === "message") told.content += item.content.map((part) => ("text" in part ? part.text : "")).join("");
    if (item.type === "reasoning") told.reasoning += (item.content ?? []).map(({ text }) => text).join("");
    if (item.type === "function_call") told.calls.push([item.name, item.arguments]);
  }
  return told;
}

function messageTold({ content }: Anthropic.Message): Told {
  const told = { content: "", reasoning: "", calls: [] as [string, string][] };
  for (const block of content) {
    if (block.type === "text") told.content += block.text;
    if (block.type === "thinking") told.reasoning += block.thinking;
    if (block.type === "tool_use") told.calls.push([block.name, JSON.stringify(block.input)]);
  }
  return told;
}

/** Returns an answer with arguments as values, because protocols and families spell them differently. */
export const meant = ({ content, reasoning, calls }: Told) => ({
  content,
  reasoning,
  calls: calls.map(([name, args]) => [name, JSON.parse(args) as unknown]),
});

export const toTold = ({ content, reasoning = "", toolCalls = [] }: Message): Told => ({
  content: showAsText(content),
  reasoning,
  calls: toolCalls.map((made) => [made.name, made.arguments]),
});
