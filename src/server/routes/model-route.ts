import type { FastifyReply, FastifyRequest } from "fastify";
import { onResponseClose } from "../../http/disconnect.js";
import { logServerError } from "../../http/error-log.js";
import { type GenerationAnswer, measureTokenIds } from "../../protocols/generation-answer.js";
import { measurePartLogprobs } from "../../protocols/output-parts.js";
import { joinDropped } from "../../protocols/server-tools.js";
import type { RecordedChoice } from "../call/answer-reader.js";
import { Call, INTERACTIONS, type ProtocolCall } from "../call/call.js";
import { warnOfLogprobs } from "../call/record.js";
import { runModelCall } from "../call/run-model-call.js";
import type { EventStream } from "../call/sending/event-stream.js";
import { sendJson } from "../call/sending/json-stream.js";
import { describeCall } from "../call/trace-call.js";
import { toServerApiError } from "../errors.js";
import { servicesFor } from "../named-engines.js";
import { whileAdmitted } from "../plugins/admission.js";
import type { CallServices } from "../services.js";

/** Runs a model call and sends the answer, whole or as a stream. */
export async function answerModelCall(
  services: CallServices,
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: ProtocolCall,
): Promise<FastifyReply> {
  // Otherwise the parsed body would take memory until the answer is sent.
  request.body = undefined;
  try {
    const whole = await whileAdmitted(request, reply, () => answerAdmitted(services, request, reply, protocol));
    return whole ? sendJson(reply, whole) : reply;
  } catch (error) {
    // Nothing was recorded.
    void reply.removeHeader(INTERACTIONS);
    throw error;
  }
}

/** @returns the whole answer; undefined if it was streamed */
function answerAdmitted(
  services: CallServices,
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: ProtocolCall,
): Promise<object | undefined> {
  const call = new Call(servicesFor(services, protocol.request), request, reply, protocol);
  if (call.trace) describeCall(call.trace, call);
  const { droppedTools, placeholders = 0, ignoredFields = [] } = protocol.request;
  if (droppedTools.length > 0) void reply.header("x-rolltape-dropped-tools", joinDropped(droppedTools));
  if (placeholders > 0) void reply.header("x-rolltape-placeholders", String(placeholders));
  if (ignoredFields.length > 0) void reply.header("x-rolltape-ignored-fields", ignoredFields.join(", "));
  return call.stream ? streamAnswer(call, call.stream, reply) : answerWhole(call, reply);
}

async function answerWhole(call: Call, reply: FastifyReply): Promise<object | undefined> {
  const records = await runModelCall(call);
  noteRecords(call, reply, records);
  const [answer, ...others] = records.map((record) => record.answer);
  return answer && call.protocol.toResponse(answer, others);
}

async function streamAnswer(call: Call, stream: EventStream, reply: FastifyReply): Promise<undefined> {
  try {
    const records = await runModelCall(call);
    noteRecords(call, reply, records);
    // The closing events repeat the texts, and are written while the client reads them.
    call.admitted?.holdSource(records.reduce((bytes, { answer }) => bytes + measureSource(answer), 0));
    stream.finish(records);
  } catch (error) {
    // Before the headers, Fastify's error handler sends an ordinary error response. After them, it is not called: the
    // error is logged and sent here.
    if (!stream.headersSent) throw error;
    const apiError = toServerApiError(error);
    logServerError(reply.log, apiError);
    call.trace?.fail(apiError.code);
    stream.fail(apiError);
  } finally {
    stream.close();
  }
}

/** Returns the memory from which the closing events are written, in bytes. */
function measureSource(answer: GenerationAnswer): number {
  return measurePartLogprobs(answer.parts) + measureTokenIds(answer);
}

/** Handles a recorded call before its answer is sent. */
function noteRecords(call: Call, reply: FastifyReply, records: readonly RecordedChoice[]): void {
  storeDelivery(call, reply, records);
  warnOfLogprobs(call.services.engine, records[0]?.interaction.sampling, reply.log);
}

/** When the answer is sent, stores this fact. Without it, the interactions would count as undelivered after a restart. */
function storeDelivery({ services, session }: Call, reply: FastifyReply, records: readonly RecordedChoice[]): void {
  if (!services.storage) return;
  onResponseClose(reply, (complete) => {
    if (!complete) return;
    for (const { interaction } of records) session.delivery.answered(interaction.index);
  });
}
