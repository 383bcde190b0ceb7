import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { serveUntilTerminated } from "../kit/processes.js";
import { sized } from "../kit/sized.js";

/**
 * An engine with nearly no cost: it parses no request and sends replies that were made when it started. `POST /generate` returns a reply
 * of SGLang. Any other POST returns a chat completion with token ids, like vLLM's, for the proxy that only forwards bytes. The size of
 * the request decides the size of the reply. If the path begins with `/slow`, the engine waits before it replies.
 */

/** Prompt and output tokens. */
const SIZES = { small: [1024, 128], medium: [32_768, 512], large: [122_880, 512] } as const;
type Size = keyof typeof SIZES;

/** Ids that are ASCII text without carriage returns in the tiny model's vocabulary and in Qwen3's: 380 to 459. */
const token = (i: number): number => 380 + ((i * 7919) % 80);
const logprob = (i: number): number => (-((i % 1024) + 1) / 1024) * 1.2345678;
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function generateReply(size: Size): Buffer {
  const [, completion] = SIZES[size];
  const triples = range(completion).map((i) => [logprob(i), token(i), null]);
  const meta_info = {
    id: "x",
    finish_reason: { type: "length", length: completion },
    completion_tokens: completion,
    cached_tokens: 0,
    weight_version: "1",
    output_token_logprobs: triples,
  };
  return Buffer.from(
    JSON.stringify({ text: "x".repeat(completion * 4), output_ids: range(completion).map(token), meta_info }),
  );
}

function chatReply(size: Size): Buffer {
  const [prompt, completion] = SIZES[size];
  const content = range(completion).map((i) => ({
    token: `tok${token(i)}`,
    logprob: logprob(i),
    bytes: [116, 111, 107],
    top_logprobs: [],
  }));
  const choice = {
    index: 0,
    message: { role: "assistant", content: "x".repeat(completion * 4) },
    finish_reason: "stop",
    token_ids: range(completion).map(token),
    logprobs: { content },
  };
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  const prompt_token_ids = range(prompt).map(token);
  return Buffer.from(
    JSON.stringify({
      id: "chatcmpl-x",
      object: "chat.completion",
      created: 1,
      model: "m",
      prompt_token_ids,
      choices: [choice],
      usage,
    }),
  );
}

const replies = Object.fromEntries(
  (Object.keys(SIZES) as Size[]).map((size) => [size, { generate: generateReply(size), chat: chatReply(size) }]),
) as Record<Size, Record<"generate" | "chat", Buffer>>;

const sizeOf = (bytes: number): Size => (bytes < 20_000 ? "small" : bytes < 300_000 ? "medium" : "large");

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(request, "end");
  const url = request.url ?? "";
  if (url.startsWith("/slow")) await sleep(SLOW_MS);
  const json = { "content-type": "application/json" };
  if (request.method === "GET") return void response.writeHead(200, json).end("{}");
  const body = replies[sizeOf(bytes)][url.endsWith("/generate") ? "generate" : "chat"];
  response.writeHead(200, { ...json, "content-length": body.length }).end(body);
}

const SLOW_MS = sized(15_000, 4_000, 10_000);

serveUntilTerminated((request, response) => void answer(request, response));
