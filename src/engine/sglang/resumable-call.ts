import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineReply } from "../../native/contract.js";
import { EngineError, type Finish, type GenerateCall, type GenerateResult } from "../engine.js";
import { abortError, replyError } from "./errors.js";
import { REQUEST_PREFIX, requestSuffix } from "./request-fields.js";
import type { SglangServer } from "./server.js";

/** From this many ids on, a request is written on a worker thread. */
const ASYNC_WRITE_IDS = 32 * 1024;

/** From this many bytes on, a reply is scanned on a worker thread. */
const ASYNC_SCAN_BYTES = 256 * 1024;

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * One call to a server: as many `/generate` requests as weight updates make of it. A generation that an update cuts goes
 * on from prompt + partial output with what is left of the token budget.
 *
 * Penalties and stop strings are the server's work, and it counts from the start of each request: tokens before a cut
 * are prompt to the request after it.
 *
 * @param signal the caller's, joined with the deadline.
 */
export async function resumableCall(
  server: SglangServer,
  call: GenerateCall,
  signal: AbortSignal,
): Promise<GenerateResult> {
  let cachedTokens: number | undefined;
  let emptyAborts = 0;
  for (let resumes = 0; ; resumes++) {
    const reply = await server.gate.run(signal, () => requestOnce(server, call, signal));
    cachedTokens ??= reply.cachedTokens === undefined ? undefined : Math.min(reply.cachedTokens, call.prompt.length);
    const finish = finishOf(reply, call);
    if (finish) return { finish, cachedTokens, resumes };
    emptyAborts = reply.tokens > 0 ? 0 : emptyAborts + 1;
    if (emptyAborts > 0) await pause(emptyAborts, signal);
  }
}

async function requestOnce(server: SglangServer, call: GenerateCall, signal: AbortSignal): Promise<EngineReply> {
  const { generation, prompt, sampling } = call;
  const inputTokens = prompt.length + generation.length;
  const rid = randomUUID().replaceAll("-", "");
  const suffix = requestSuffix(sampling, sampling.maxTokens - generation.length, rid);
  const partial = generation.length > 0 ? generation : undefined;
  const body =
    inputTokens < ASYNC_WRITE_IDS
      ? prompt.requestBody(REQUEST_PREFIX, suffix, partial)
      : await prompt.requestBodyAsync(REQUEST_PREFIX, suffix, partial);
  const version = call.currentVersion();
  const bytes = await abortOnServer(server, rid, signal, server.generate(body, call.affinityKey, signal));
  const reply = await takeOver(call, bytes, version);
  signal.throwIfAborted();
  if (reply.promptTokens !== undefined && reply.promptTokens !== inputTokens) {
    const message = `The engine ran on ${reply.promptTokens} prompt tokens where ${inputTokens} were sent.`;
    throw new EngineError("engine_error", message);
  }
  return reply;
}

/** Tells the server when the signal ends a request in flight; the lost connection alone takes it seconds to notice. */
async function abortOnServer<T>(
  server: SglangServer,
  rid: string,
  signal: AbortSignal,
  request: Promise<T>,
): Promise<T> {
  const abort = () => server.abort(rid);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await request;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function takeOver({ generation }: GenerateCall, body: Uint8Array, version: number): Promise<EngineReply> {
  try {
    return body.byteLength < ASYNC_SCAN_BYTES
      ? generation.appendSglangReply(body, version)
      : await generation.appendSglangReplyAsync(body, version);
  } catch (error) {
    throw replyError(error);
  }
}

/** @returns undefined when the generation was cut and is to be resumed. */
function finishOf({ finish }: EngineReply, { generation, sampling }: GenerateCall): Finish | undefined {
  if (finish?.type === "abort") {
    if (finish.statusCode !== undefined) throw abortError(finish.message, finish.statusCode);
    return generation.length < sampling.maxTokens ? undefined : { reason: "length" };
  }
  if (generation.length === 0) throw new EngineError("engine_error", "The engine's reply has no tokens.");
  if (finish?.type === "length") return { reason: "length" };
  if (finish?.type === "stop") {
    return finish.matched === undefined ? { reason: "stop" } : { reason: "stop", matched: finish.matched };
  }
  throw new EngineError("engine_error", "The engine's reply does not say why the generation ended.");
}

/** A server that aborts at once is being updated: ask again, ever more slowly. */
async function pause(emptyAborts: number, signal: AbortSignal): Promise<void> {
  const milliseconds = Math.min(FIRST_PAUSE_MS * 2 ** (emptyAborts - 1), LONGEST_PAUSE_MS);
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}
