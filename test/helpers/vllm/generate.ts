import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answerBroken } from "../broken-reply.js";
import { EventStream } from "../event-stream.js";
import { sendText } from "../sglang/context.js";
import { cutShort } from "../sglang/cut.js";
import type { Fault } from "../sglang/protocol.js";
import type { ReplyState } from "../sglang/reply.js";
import type { VllmContext, VllmRequest } from "./context.js";
import { DeadEngine, LateRefusal } from "./refusal.js";
import { vllmReplyText, vllmUsageText } from "./reply.js";
import { readVllmRequest } from "./request.js";

/** Answers one request for a generation, with the next fault if one is waiting. */
export async function answerVllm(
  context: VllmContext,
  endpoint: VllmRequest["endpoint"],
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  try {
    const request = readVllmRequest(context, endpoint, body);
    const fault = (isProbe(request.id) ? context.probeFaults : context.faults).shift();
    if (fault?.kind === "refused") throw new LateRefusal(fault.message, { param: fault.param ?? null });
    if (fault && answerBroken(fault, response)) return;
    if (fault?.kind === "slow") await sleep(fault.milliseconds);
    response.once("close", () => context.scheduler.abort(request.id, false));
    await (request.stream ? answerStream : answerWhole)(context, request, fault, response);
  } catch (error) {
    if (!(error instanceof LateRefusal) || !body.includes('"stream":true')) throw error;
    response.writeHead(200, { "content-type": EventStream.CONTENT_TYPE });
    response.end(`data: ${JSON.stringify(error.body)}\n\ndata: [DONE]\n\n`);
  }
}

/** Returns true for a probe: a request that finds out which log probabilities the server reports. */
export function isProbe(requestId: unknown): boolean {
  return typeof requestId === "string" && requestId.startsWith("rolltape-logprobs-");
}

async function answerWhole(
  context: VllmContext,
  request: VllmRequest,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const outcome = cutShort(await context.scheduler.generate(request.scheduled), fault);
  if (context.died) throw new DeadEngine();
  const text = vllmReplyText(context, request, outcome, fault);
  sendText(response, 200, fault?.kind === "truncated-json" ? text.slice(0, text.length / 2) : text);
}

async function answerStream(
  context: VllmContext,
  request: VllmRequest,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const { streamInterval = 1, pieceBytes, skipsEmptyFrames } = context.options;
  const events = new EventStream(response, { fault, pieceBytes, errorFrame });
  const limit = fault?.kind === "abort" || fault?.kind === "abort-saying" ? fault.after : Number.POSITIVE_INFINITY;
  let sent = 0;
  const send = (state: ReplyState) => {
    const from = sent;
    sent = state.tokens.length;
    return events.send(vllmReplyText(context, request, state, fault, from));
  };
  const outcome = await context.scheduler.generate(request.scheduled, (tokens) => {
    if (tokens.length % streamInterval !== 0 || tokens.length > limit) return undefined;
    const { weightVersion } = context.scheduler;
    return send({ tokens: [...tokens], finish: null, neverRan: false, weightVersion });
  });
  if (context.died) {
    await events.send(JSON.stringify(new DeadEngine().body));
    return events.end();
  }
  const end = cutShort(outcome, fault);
  if (end.tokens.length > sent || !skipsEmptyFrames) await send(end);
  if (request.includeUsage) await events.send(vllmUsageText(context, request, end));
  events.end();
}

function errorFrame(message: string, code = 500): object {
  const type = code === 400 ? "BadRequestError" : "InternalServerError";
  return { error: { message, type, param: null, code } };
}
