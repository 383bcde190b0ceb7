import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answerBroken } from "../broken-reply.js";
import { EventStream } from "../event-stream.js";
import { sendJson, sendText } from "../sglang/context.js";
import { cutShort } from "../sglang/cut.js";
import type { Fault } from "../sglang/protocol.js";
import type { ReplyState } from "../sglang/reply.js";
import type { VllmContext, VllmRequest } from "./context.js";
import { vllmReplyText, vllmUsageText } from "./reply.js";
import { HiddenRefusal, LateRefusal, readVllmRequest } from "./request.js";

/** Answers one request for a generation, with the next fault if one is waiting. */
export async function answerVllm(
  context: VllmContext,
  endpoint: VllmRequest["endpoint"],
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const request = readRequest(context, endpoint, body, response);
  if (!request) return;
  const fault = (isProbe(request.id) ? context.probeFaults : context.faults).shift();
  if (fault && answerBroken(fault, response)) return;
  if (fault?.kind === "slow") await sleep(fault.milliseconds);
  response.once("close", () => context.scheduler.abort(request.id, false));
  if (request.stream) return answerStream(context, request, fault, response);
  const outcome = cutShort(await context.scheduler.generate(request.scheduled), fault);
  const text = vllmReplyText(context, request, outcome, fault);
  sendText(response, 200, fault?.kind === "truncated-json" ? text.slice(0, text.length / 2) : text);
}

/** Reads the request. If the engine refuses it and it asks for a stream, answers with a stream of the refusal. */
function readRequest(
  context: VllmContext,
  endpoint: VllmRequest["endpoint"],
  body: Buffer,
  response: ServerResponse,
): VllmRequest | undefined {
  try {
    return readVllmRequest(context, endpoint, body);
  } catch (error) {
    const isStreamed = body.includes('"stream":true');
    if (error instanceof HiddenRefusal && !isStreamed) {
      sendJson(response, 500, { error: { message: "", type: "InternalServerError", param: null, code: 500 } });
      return undefined;
    }
    if (!(error instanceof LateRefusal) || !isStreamed) throw error;
    const { message } = error;
    const frame = { error: { message, type: "BadRequestError", param: null, code: 400 } };
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.end(`data: ${JSON.stringify(frame)}\n\ndata: [DONE]\n\n`);
    return undefined;
  }
}

/** Returns true for a probe: a request that finds out which log probabilities the server reports. */
export function isProbe(requestId: unknown): boolean {
  return typeof requestId === "string" && requestId.startsWith("rolltape-logprobs-");
}

async function answerStream(
  context: VllmContext,
  request: VllmRequest,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const { streamInterval = 1, pieceBytes, skipsEmptyFrames } = context.options;
  const events = new EventStream(response, { fault, pieceBytes });
  const limit = fault?.kind === "abort" || fault?.kind === "abort-saying" ? fault.after : Number.POSITIVE_INFINITY;
  let sent = 0;
  const send = (state: ReplyState) => {
    const from = sent;
    sent = state.tokens.length;
    return events.send(vllmReplyText(context, request, state, fault, from));
  };
  const outcome = await context.scheduler.generate(request.scheduled, (tokens) => {
    if (tokens.length % streamInterval !== 0 || tokens.length > limit) return undefined;
    const last = tokens.length === request.scheduled.sampling.max_new_tokens;
    if (last) return undefined;
    const { weightVersion } = context.scheduler;
    return send({ tokens: [...tokens], finish: null, neverRan: false, weightVersion });
  });
  const end = cutShort(outcome, fault);
  if (end.tokens.length > sent || !skipsEmptyFrames) await send(end);
  if (request.includeUsage) await events.send(vllmUsageText(context, request, end));
  events.end();
}
