import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Imitates an SGLang server whose generations all take the same time, given as the first argument in milliseconds. */

const TOKENS = 16;
const milliseconds = Number(process.argv[2]);
const ids = Array.from({ length: TOKENS }, (_, i) => 300 + i);
const REPLY = JSON.stringify({
  text: "",
  output_ids: ids,
  meta_info: {
    id: "x",
    finish_reason: { type: "length", length: TOKENS },
    completion_tokens: TOKENS,
    cached_tokens: 0,
    weight_version: "1",
    output_token_logprobs: ids.map((id) => [-0.5, id, null]),
  },
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  await once(request, "end");
  const isGeneration = request.url?.endsWith("/generate") === true;
  if (isGeneration) await sleep(milliseconds);
  response.writeHead(200, { "content-type": "application/json" }).end(isGeneration ? REPLY : "{}");
}

const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 120_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the engine has no port");
  console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${address.port}` }));
});
process.on("SIGTERM", () => process.exit());
