import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { serveUntilTerminated } from "../../serve-until-terminated.js";

/** An engine that speaks as SGLang does. Replies to calls for {@link ENDLESS_TOKENS} tokens never end. */

const ENDLESS_TOKENS = 7;
const FILLER = Buffer.alloc(1 << 16, " ");
const IDS = Array.from({ length: 8 }, (_, n) => 400 + n);
const REPLY = JSON.stringify({
  text: "x",
  output_ids: IDS,
  meta_info: {
    id: "x",
    finish_reason: { type: "length", length: IDS.length },
    completion_tokens: IDS.length,
    output_token_logprobs: IDS.map((id) => [-0.5, id, null]),
  },
});

function* fillForEver(): Generator<Buffer> {
  for (;;) yield FILLER;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  response.writeHead(200, { "content-type": "application/json" });
  if (request.method === "GET") return void response.end("{}");
  if (!body.includes(`"max_new_tokens":${ENDLESS_TOKENS},`)) return void response.end(REPLY);
  await pipeline(fillForEver(), response);
}

serveUntilTerminated((request, response) => void answer(request, response).catch(() => undefined));
