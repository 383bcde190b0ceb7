import type { ServerResponse } from "node:http";
import { EventStream } from "../event-stream.js";
import type { ServerContext } from "./context.js";
import { cutShort, tokensBefore } from "./cut.js";
import type { Fault, GenerateRequest } from "./protocol.js";
import { type ReplyState, replyText } from "./reply.js";
import { tokenText } from "./scheduler.js";

/** Answers one `/generate` request with server-sent events, like SGLang with `stream: true`. */
export async function answerStream(
  { options, reply, scheduler }: ServerContext,
  request: GenerateRequest,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const { streamInterval = 1, pieceBytes, incremental, tokenText: textOf = tokenText } = options;
  const events = new EventStream(response, { fault, pieceBytes, errorFrame });
  const limit = tokensBefore(fault);
  let sent = 0;
  let first = true;
  const send = (state: ReplyState, frames?: number) => {
    const part = { from: incremental ? sent : 0, first };
    sent = state.tokens.length;
    first = false;
    return events.send(replyText(request, state, reply, fault, part), frames);
  };
  const outcome = await scheduler.generate(request, (tokens) => {
    if (tokens.length % streamInterval !== 0 || tokens.length > limit) return undefined;
    if (mayEndInStop(tokens.map(({ id }) => textOf(id)).join(""), request.sampling.stop)) return undefined;
    return send({ tokens: [...tokens], finish: null, neverRan: false, weightVersion: scheduler.weightVersion });
  });
  const last = cutShort(outcome, fault);
  // One for each token, and the last one.
  await send(last, last.tokens.length + 1);
  events.end();
}

/** The real server holds tokens back as long as a stop string may have begun in them. */
function mayEndInStop(text: string, stops: readonly string[]): boolean {
  return stops.some((stop) =>
    Array.from({ length: stop.length - 1 }, (_, index) => stop.slice(0, index + 1)).some((start) =>
      text.endsWith(start),
    ),
  );
}

/** Older servers (2025) send the message alone: an error without a code is one of theirs. */
function errorFrame(message: string, code: number | undefined): object {
  if (code === undefined) return { error: { message } };
  return { error: { message, type: "invalid_request_error", code, retryable: false } };
}

/** Answers a request that is refused before it runs. */
export function answerRefused(message: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": EventStream.CONTENT_TYPE });
  response.end(`data: ${JSON.stringify(errorFrame(message, 400))}\n\ndata: [DONE]\n\n`);
}
