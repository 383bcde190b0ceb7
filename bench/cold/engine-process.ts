import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { serveUntilTerminated } from "../serve-until-terminated.js";

/** Imitates an SGLang server that takes so many milliseconds for a call. Streams send a part of the tokens at a time, as a real one does. */

const CALL_MS = Number(process.argv[2]);
const PARTS = 10;
const TOKENS = 32;

/** Ids that are ASCII text in the tiny model's vocabulary. */
const ids = Array.from({ length: TOKENS }, (_, i) => 380 + ((i * 7919) % 80));

/** Returns the reply with the first `count` tokens. */
function reply(count: number): string {
  const meta_info = {
    id: "x",
    finish_reason: count === TOKENS ? { type: "length", length: TOKENS } : null,
    completion_tokens: count,
    cached_tokens: 0,
    weight_version: "1",
    output_token_logprobs: ids.slice(0, count).map((id) => [-0.5, id, null]),
  };
  return JSON.stringify({ text: "", output_ids: ids.slice(0, count), meta_info });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(request, "end");
  if (!request.url?.endsWith("/generate")) return void response.writeHead(200).end("{}");
  if (Buffer.concat(chunks).includes('"stream":true')) return stream(response);
  await sleep(CALL_MS);
  response.writeHead(200, { "content-type": "application/json" }).end(reply(TOKENS));
}

async function stream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let part = 1; part <= PARTS; part++) {
    await sleep(CALL_MS / PARTS);
    response.write(`data: ${reply(Math.round((TOKENS * part) / PARTS))}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

serveUntilTerminated((request, response) => void answer(request, response));
