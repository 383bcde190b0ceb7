import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveUntilTerminated } from "../serve-until-terminated.js";
import { ALTERNATIVES, CHOICE_TOKENS, TOKENS } from "./size.js";

/**
 * An engine that answers as SGLang does, in one reply. Its outputs are the longest possible for requests with alternatives, those of a
 * choice for requests with that limit, and short for others.
 */

/** Tokens of one part of the reply. Every part is the same bytes. */
const PART = 1024;
/** Ids of the tiny model's vocabulary that are plain text. */
const token = (i: number): number => 300 + ((i * 7919) % 200);
const entry = (i: number, rank: number): string =>
  `[${(-(rank + 1) * 0.1234567 - (i % 100) / 1000).toFixed(7)},${token(i + rank)},null]`;
const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

/** Returns a JSON array of one item per token, in parts. */
function list(tokens: number, item: (i: number) => string): Buffer[] {
  const write = (length: number) => range(length).map(item).join(",");
  const part = Buffer.from(`${write(PART)},`);
  const parts = Math.ceil(tokens / PART) - 1;
  return [Buffer.from("["), ...Array<Buffer>(parts).fill(part), Buffer.from(`${write(tokens - parts * PART)}]`)];
}

function makeReply(tokens: number, alternatives: number): Buffer {
  const ranks = range(alternatives);
  const meta =
    `"id":"x","finish_reason":{"type":"length","length":${tokens}},"completion_tokens":${tokens},` +
    '"cached_tokens":0,"weight_version":"1"';
  return Buffer.concat([
    Buffer.from('{"text":"","output_ids":'),
    ...list(tokens, (i) => String(token(i))),
    Buffer.from(`,"meta_info":{${meta},"output_token_logprobs":`),
    ...list(tokens, (i) => entry(i, 0)),
    Buffer.from(',"output_top_logprobs":'),
    ...list(tokens, (i) => `[${ranks.map((rank) => entry(i, rank)).join(",")}]`),
    Buffer.from("}}"),
  ]);
}

const long = makeReply(TOKENS, ALTERNATIVES);
const choice = makeReply(CHOICE_TOKENS, 0);
const short = makeReply(16, 0);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  response.setHeader("content-type", "application/json");
  if (request.url !== "/generate") response.end("{}");
  else if (body.includes(`"top_logprobs_num":${ALTERNATIVES}`)) response.end(long);
  else response.end(body.includes(`"max_new_tokens":${CHOICE_TOKENS}`) ? choice : short);
}

serveUntilTerminated((request, response) => void answer(request, response));
