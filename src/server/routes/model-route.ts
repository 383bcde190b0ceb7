import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "../../facts/call-facts.js";
import { onResponseClose, peerOf } from "../../http/disconnect.js";
import { logServerError } from "../../http/error-log.js";
import { readTraceContext } from "../../http/trace-context.js";
import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import { measurePartLogprobs } from "../../protocols/output-parts.js";
import { joinDropped } from "../../protocols/server-tools.js";
import type { StreamEncoder } from "../../protocols/stream-encoder.js";
import { readCallOrigin } from "../call/call-origin.js";
import { EventStream } from "../call/event-stream.js";
import { sendJson } from "../call/json-stream.js";
import type { CallRecord, ModelCall } from "../call/model-call.js";
import { warnOfRawLogprobs } from "../call/raw-logprobs.js";
import { runModelCall } from "../call/run-model-call.js";
import type { ServerContext } from "../context.js";
import { toServerApiError } from "../errors.js";
import { whileAdmitted } from "../plugins/admission.js";
import { requireSession } from "../plugins/auth.js";

/** The parts of a model call that depend on its protocol. */
export interface ProtocolCall {
  readonly api: Api;
  readonly idPrefix: string;
  readonly request: ModelRequest;
  readonly encoder: () => StreamEncoder;
  /** @param others the answers of the further choices */
  readonly toResponse: (answer: GenerationAnswer, others: readonly GenerationAnswer[]) => object;
  /** See {@link ModelCall.measureKept}. */
  readonly measureKept?: () => number;
  /** See {@link ModelCall.onRecorded}. */
  readonly onRecorded?: (record: CallRecord) => Promise<void> | undefined;
}

/** Header of calls with several choices: the ids of their interactions. Some SDKs drop the field that each choice has for it. */
const INTERACTIONS = "x-rolltape-interactions";

/** Runs a model call and sends the answer, whole or as a stream. */
export async function answerModelCall(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: ProtocolCall,
): Promise<FastifyReply> {
  // Otherwise the parsed body would take memory until the answer is sent.
  request.body = undefined;
  try {
    const whole = await whileAdmitted(request, reply, () => answerAdmitted(context, request, reply, protocol));
    return whole ? sendJson(reply, whole) : reply;
  } catch (error) {
    // Nothing was recorded.
    void reply.removeHeader(INTERACTIONS);
    throw error;
  }
}

/** @returns the whole answer; undefined if it was streamed */
function answerAdmitted(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: ProtocolCall,
): Promise<object | undefined> {
  const stream = protocol.request.stream ? new EventStream(reply, protocol.encoder(), context) : undefined;
  const call: ModelCall = {
    session: requireSession(request),
    takeovers: request.takeovers,
    api: protocol.api,
    idPrefix: protocol.idPrefix,
    request: protocol.request,
    admitted: request.admitted,
    startedAt: Date.now(),
    retry: {
      retryCount: parseRetryCount(request.headers["x-stainless-retry-count"]),
      idempotencyKey: parseIdempotencyKey(request.headers["idempotency-key"]),
    },
    origin: readCallOrigin(request.headers),
    traceHeaders: readTraceContext(request.headers)?.headers,
    client: peerOf(reply),
    stream,
    onRecorded: protocol.onRecorded,
    measureKept: protocol.measureKept,
    onBegun: (ids) => ids.length > 1 && void reply.header(INTERACTIONS, ids.join(", ")),
    onUnenforced: listUnenforced(reply),
    onOverridden: (fields) => void reply.header("x-rolltape-sampling-override", fields.join(", ")),
  };
  const { droppedTools, placeholders = 0 } = protocol.request;
  if (droppedTools.length > 0) void reply.header("x-rolltape-dropped-tools", joinDropped(droppedTools));
  if (placeholders > 0) void reply.header("x-rolltape-placeholders", String(placeholders));
  return stream ? streamAnswer(context, reply, stream, call) : answerWhole(context, reply, protocol, call);
}

async function answerWhole(
  context: ServerContext,
  reply: FastifyReply,
  protocol: ProtocolCall,
  call: ModelCall,
): Promise<object | undefined> {
  const records = await runModelCall(context, call);
  noteRecords(context, reply, call, records);
  const [answer, ...others] = records.map((record) => record.answer);
  return answer && protocol.toResponse(answer, others);
}

/** Returns a function that adds a field to the header which lists fields that are not enforced. */
function listUnenforced(reply: FastifyReply): ModelCall["onUnenforced"] {
  let fields: readonly string[] = [];
  return (field) => {
    if (fields.includes(field)) return;
    fields = [...fields, field];
    void reply.header("x-rolltape-not-enforced", fields.join(", "));
  };
}

/** What follows from a recorded call, before its answer is sent. */
function noteRecords(
  context: ServerContext,
  reply: FastifyReply,
  call: ModelCall,
  records: readonly CallRecord[],
): void {
  storeDelivery(context, reply, call, records);
  warnOfRawLogprobs(context.engine, records[0]?.interaction.sampling?.logprobs, reply.log);
}

/** When the answer is sent, stores this fact. Without it, the interactions would count as undelivered after a restart. */
function storeDelivery(
  context: ServerContext,
  reply: FastifyReply,
  { session }: ModelCall,
  records: readonly CallRecord[],
): void {
  if (!context.storage) return;
  onResponseClose(reply, (complete) => {
    if (!complete) return;
    for (const { interaction } of records) session.delivery.answered(interaction.index);
  });
}

async function streamAnswer(
  context: ServerContext,
  reply: FastifyReply,
  stream: EventStream,
  call: ModelCall,
): Promise<undefined> {
  try {
    const records = await runModelCall(context, call);
    noteRecords(context, reply, call, records);
    // The closing events repeat the texts, and are written while the client reads them.
    call.admitted?.holdSource(records.reduce((bytes, { answer }) => bytes + measurePartLogprobs(answer.parts), 0));
    stream.finish(records);
  } catch (error) {
    // Before the headers, Fastify's error handler sends an ordinary error response. After them, it is not called: the
    // error is logged and sent here.
    if (!stream.headersSent) throw error;
    const apiError = toServerApiError(error);
    logServerError(reply.log, apiError);
    stream.fail(apiError);
  } finally {
    stream.close();
  }
}

/** Returns how often the client sent this request before. OpenAI's and Anthropic's SDKs send the number in this header. */
function parseRetryCount(header: string | string[] | undefined): number {
  const count = typeof header === "string" ? Number.parseInt(header, 10) : 0;
  return Number.isNaN(count) ? 0 : count;
}

/** Returns the key that all attempts at one request share; undefined if the SDK sends none. */
function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && header !== "" ? header : undefined;
}
