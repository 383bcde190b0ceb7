import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { serveUntilTerminated } from "../../kit/processes.js";
import { WORDS } from "./words.js";

/**
 * An engine with nearly no cost, like `bench/proxy/wire-engine-process.ts`, whose answers have text of a known length: each token is a
 * space and a word of three letters. Answers differ in their words and their number of tokens.
 *
 *   words-engine-process.ts TOKENIZER END LENGTH…
 *
 * TOKENIZER is the model's tokenizer.json, END the id that ends each answer, and LENGTH the number of tokens of an answer. The
 * lengths take turns.
 */

const [tokenizer = "", end = "", ...lengths] = process.argv.slice(2);
const { vocab } = (JSON.parse(readFileSync(tokenizer, "utf8")) as { model: { vocab: Record<string, number> } }).model;
const ids = WORDS.map((word) => {
  const id = vocab[`Ġ${word}`];
  if (id === undefined) throw new Error(`the vocabulary has no token for a space and "${word}"`);
  return id;
});

function makeReply(length: number, seed: number): Buffer {
  let state = seed + 1;
  const output_ids = Array.from({ length }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return i === length - 1 ? Number(end) : ids[(state >>> 16) % ids.length];
  });
  const meta_info = {
    id: "x",
    finish_reason: { type: "stop", matched: Number(end) },
    completion_tokens: length,
    cached_tokens: 0,
    weight_version: "1",
    output_token_logprobs: output_ids.map((id, i) => [(-((i % 1024) + 1) / 1024) * 1.2345678, id, null]),
  };
  return Buffer.from(JSON.stringify({ output_ids, meta_info }));
}

const replies = lengths.map((length, i) => makeReply(Number(length), i));
let next = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  await once(request, "end");
  const json = { "content-type": "application/json" };
  if (request.method === "GET") return void response.writeHead(200, json).end("{}");
  const body = replies[next++ % replies.length] ?? Buffer.alloc(0);
  response.writeHead(200, { ...json, "content-length": body.length }).end(body);
}

serveUntilTerminated((request, response) => void answer(request, response));
