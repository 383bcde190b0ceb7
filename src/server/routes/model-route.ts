import type { FastifyReply, FastifyRequest } from "fastify";
import { disconnectSignal } from "../../http/disconnect.js";
import { logServerError } from "../../http/error-log.js";
import type { GenerationAnswer } from "../../protocols/generation.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import type { StreamEncoder } from "../../protocols/stream-encoder.js";
import type { Api } from "../../session/interaction.js";
import { EventStream } from "../call/event-stream.js";
import { type CallRecord, type ModelCall } from "../call/model-call.js";
import { warnOfRawLogprobs } from "../call/raw-logprobs.js";
import { runModelCall } from "../call/run-model-call.js";
import type { ServerContext } from "../context.js";
import { toApiError } from "../errors.js";
import { sessionOf } from "../plugins/auth.js";

/** What a protocol adds to a model call. */
export interface ProtocolCall<T> {
  readonly api: Api;
  readonly idPrefix: string;
  readonly request: ModelRequest;
  readonly encoder: () => StreamEncoder;
  readonly toResponse: (answer: GenerationAnswer) => T;
  /** Told once the call is recorded, before the agent has the end of its answer. */
  readonly onRecorded?: (record: CallRecord) => void;
}

/** Runs a model call and answers it, at once or as a stream. */
export async function answerModelCall<T>(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: ProtocolCall<T>,
): Promise<T | undefined> {
  const call: ModelCall = {
    session: sessionOf(request),
    api: protocol.api,
    idPrefix: protocol.idPrefix,
    request: protocol.request,
    startedAt: Date.now(),
    retry: {
      retryCount: retryCount(request.headers["x-stainless-retry-count"]),
      idempotencyKey: idempotencyKey(request.headers["idempotency-key"]),
    },
    disconnected: disconnectSignal(reply),
    onUnenforced: (field) => void reply.header("x-rolltape-not-enforced", field),
    onOverridden: (fields) => void reply.header("x-rolltape-sampling-override", fields.join(", ")),
  };
  if (protocol.request.stream) {
    await streamAnswer(context, reply, protocol, call);
    return undefined;
  }
  const record = await runModelCall(context, call);
  warnOfRawLogprobs(context.engine, record.interaction.sampling?.logprobs, reply.log);
  protocol.onRecorded?.(record);
  return protocol.toResponse(record.answer);
}

async function streamAnswer<T>(
  context: ServerContext,
  reply: FastifyReply,
  protocol: ProtocolCall<T>,
  call: ModelCall,
): Promise<void> {
  const stream = new EventStream(reply, protocol.encoder(), context);
  try {
    const record = await runModelCall(context, { ...call, sink: stream });
    warnOfRawLogprobs(context.engine, record.interaction.sampling?.logprobs, reply.log);
    protocol.onRecorded?.(record);
    stream.finish(record);
  } catch (error) {
    if (!stream.headersSent) throw error;
    const known = toApiError(error);
    logServerError(reply.log, known);
    stream.fail(known);
  } finally {
    stream.close();
  }
}

/** How often an SDK has sent this request before; OpenAI's and Anthropic's SDKs say so in this header. */
function retryCount(header: string | string[] | undefined): number {
  const count = typeof header === "string" ? Number.parseInt(header, 10) : 0;
  return Number.isNaN(count) ? 0 : count;
}

/** SDKs that send this header send it with each attempt at a request, and another one with each other request. */
function idempotencyKey(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && header !== "" ? header : undefined;
}
