import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { PART_SECONDS, secondsOfCall, TOKENS } from "./plan.js";

/** Imitates an SGLang server. Each call takes as long as the plan says, and its tokens are always the same. */

const ids = Array.from({ length: TOKENS }, (_, i) => 300 + ((i * 7919) % 200));

/** A reply with the first `count` tokens. */
function reply(count: number): string {
  const done = count === TOKENS;
  const meta_info = {
    id: "x",
    finish_reason: done ? { type: "length", length: TOKENS } : null,
    completion_tokens: count,
    cached_tokens: 0,
    weight_version: "1",
    output_token_logprobs: ids.slice(0, count).map((id) => [-0.5, id, null]),
  };
  return JSON.stringify({ text: "", output_ids: ids.slice(0, count), meta_info });
}

let calls = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(request, "end");
  if (!request.url?.endsWith("/generate")) return void response.writeHead(200).end("{}");
  const seconds = secondsOfCall(calls++);
  if (Buffer.concat(chunks).includes('"stream":true')) return stream(response, seconds);
  await sleep(seconds * 1000);
  response.writeHead(200, { "content-type": "application/json" }).end(reply(TOKENS));
}

/** Sends all tokens but the last in equal parts, and the last at the end. */
async function stream(response: ServerResponse, seconds: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const parts = Math.max(1, Math.floor(seconds / PART_SECONDS));
  for (let part = 0; part < parts; part++) {
    response.write(`data: ${reply(Math.floor((part / parts) * (TOKENS - 1)) + 1)}\n\n`);
    await sleep((seconds / parts) * 1000);
  }
  response.end(`data: ${reply(TOKENS)}\n\ndata: [DONE]\n\n`);
}

const server = createServer((request, response) => void answer(request, response));
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the engine has no port");
  console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${address.port}` }));
});
process.on("SIGTERM", () => process.exit());
