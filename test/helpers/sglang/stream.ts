import type { ServerResponse } from "node:http";
import { EventStream } from "../event-stream.js";
import type { ServerContext } from "./context.js";
import { cutShort } from "./cut.js";
import type { Fault, GenerateRequest } from "./protocol.js";
import { type ReplyState, replyText } from "./reply.js";

/** Answers one `/generate` request with server-sent events, like SGLang with `stream: true`. */
export async function answerStream(
  { options, reply, scheduler }: ServerContext,
  request: GenerateRequest,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const { streamInterval = 1, pieceBytes, incremental } = options;
  const events = new EventStream(response, { fault, pieceBytes });
  const limit = tokensBeforeAbort(fault);
  let sent = 0;
  const send = (state: ReplyState) => {
    const from = incremental ? sent : 0;
    sent = state.tokens.length;
    return events.send(replyText(request, state, reply, fault, from));
  };
  const outcome = await scheduler.generate(request, (tokens) => {
    if (tokens.length % streamInterval !== 0 || tokens.length > limit) return undefined;
    return send({ tokens: [...tokens], finish: null, neverRan: false, weightVersion: scheduler.weightVersion });
  });
  await send(cutShort(outcome, fault));
  events.end();
}

function tokensBeforeAbort(fault: Fault | undefined): number {
  if (fault?.kind === "abort" || fault?.kind === "abort-saying" || fault?.kind === "abort-with-status") {
    return fault.after ?? 0;
  }
  return fault?.kind === "abort-in-queue" ? 0 : Number.POSITIVE_INFINITY;
}
