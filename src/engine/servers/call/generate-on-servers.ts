import type { EngineReply } from "../../../native/contract.js";
import { sleep } from "../../../support/async/sleep.js";
import { untilAborted } from "../../../support/async/until-aborted.js";
import { EngineError, type Finish, type GenerateCall, type GenerateResult, type LogprobContent } from "../../engine.js";
import type { EngineServer, ServerCall } from "../engine-server.js";
import type { PauseHold } from "../pause/pause-hold.js";
import type { ServerPool } from "../pool/server-pool.js";
import { abortError, NotStartedError } from "../wire/errors.js";
import { CutWatch } from "./cut-watch.js";
import { Restarts } from "./restarts.js";
import { StopReached, StopWatch } from "./stop-watch.js";

/**
 * One call to an engine: as many requests as weight updates make of it. A generation that an update cuts goes on from
 * prompt + partial output with what is left of the token budget, and on another server where its own is drained.
 *
 * Penalties are the server's work, and it counts from the start of each request: tokens before a cut are prompt to the
 * request after it.
 *
 * @param signal the caller's, joined with the deadline.
 */
export async function resumableCall(
  pool: ServerPool,
  hold: PauseHold,
  call: GenerateCall,
  signal: AbortSignal,
): Promise<GenerateResult> {
  let cachedTokens: number | undefined;
  const stops = StopWatch.of(call);
  const restarts = new Restarts();
  /** Those that made the tokens. */
  const servers = new Set<EngineServer>();
  for (let resumes = 0; ; resumes++) {
    await hold.pass(signal);
    const { reply, server, watch, milliseconds } = await whenTaken(
      () =>
        pool.run(call.affinityKey, signal, (taker, onProgress) =>
          requestOnce(taker, { call, stops, hold, onProgress }, signal),
        ),
      signal,
    );
    if (reply.tokens > 0) servers.add(server);
    cachedTokens ??= reply.cachedTokens === undefined ? undefined : Math.min(reply.cachedTokens, call.prompt.length);
    const finish = finishOf(reply, call);
    if (finish) return { finish, cachedTokens, resumes, logprobs: logprobsOf(servers) };
    const cause = await watch.cause(reply.finish ?? { type: "abort" }, server);
    prepareResume(call, stops);
    // Begun anew: no token of an earlier server is left.
    if (call.generation.length === 0) servers.clear();
    await restarts.wait(cause, milliseconds, signal);
  }
}

/** Asks again where every server refused and one of them said when it wants to be asked again. */
async function whenTaken<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof NotStartedError) || error.retryAfterMilliseconds === undefined) throw error;
      await sleep(error.retryAfterMilliseconds, signal);
    }
  }
}

interface ServerReply {
  readonly reply: EngineReply;
  readonly server: EngineServer;
  readonly watch: CutWatch;
  /** How long the request took. */
  readonly milliseconds: number;
}

interface Request {
  readonly call: GenerateCall;
  readonly stops: StopWatch | undefined;
  readonly hold: PauseHold;
  /** To be called when tokens came. */
  readonly onProgress: () => void;
}

async function requestOnce(server: EngineServer, request: Request, signal: AbortSignal): Promise<ServerReply> {
  const { call, stops, hold } = request;
  const inputTokens = call.prompt.length + call.generation.length;
  const watch = new CutWatch(hold, call);
  const began = Date.now();
  const reply = await untilStop(server, request, signal);
  const milliseconds = Date.now() - began;
  signal.throwIfAborted();
  if (reply.promptTokens !== undefined && reply.promptTokens !== inputTokens) {
    const message = `The engine ran on ${reply.promptTokens} prompt tokens where ${inputTokens} were sent.`;
    throw new EngineError("engine_error", message);
  }
  const { finish } = reply;
  if (finish?.type === "abort" && finish.statusCode !== undefined) {
    throw abortError(finish.message, finish.statusCode, reply.tokens);
  }
  // A server that cut the generation is being updated, and would answer no question now.
  if (server.logprobs === undefined && finish?.type !== "abort") await findLogprobs(server, call, signal);
  return { reply: stoppedReply(reply, stops), server, watch, milliseconds };
}

/** Sends the request. A server that generates on behind a stop string is stopped when its tokens are read along. */
async function untilStop(
  server: EngineServer,
  { call, stops, onProgress }: Request,
  signal: AbortSignal,
): Promise<EngineReply> {
  const from = call.generation.length;
  const received = (): void => {
    onProgress();
    const cut = stops?.read() ?? false;
    call.onTokens?.();
    if (cut) throw new StopReached();
  };
  const serverCall: ServerCall = { ...call, received };
  try {
    return await server.request(serverCall, signal);
  } catch (error) {
    if (!(error instanceof StopReached)) throw error;
    return { tokens: call.generation.length - from };
  }
}

/** A stop string ends the output, whatever the server says of tokens that are not there any more. */
function stoppedReply(reply: EngineReply, stops: StopWatch | undefined): EngineReply {
  const matched = stops?.matched;
  if (matched === undefined || reply.finish?.type === "stop") return reply;
  return { ...reply, finish: { type: "stop", matched } };
}

/** Waits until the server says what its log probabilities include, or until the call is over: it does not fail for it. */
async function findLogprobs(server: EngineServer, call: GenerateCall, signal: AbortSignal): Promise<void> {
  await untilAborted(server.findLogprobs(call), signal).catch(() => undefined);
}

/** What the log probabilities of a generation include that these servers made. */
function logprobsOf(servers: ReadonlySet<EngineServer>): LogprobContent {
  const [first, ...others] = new Set([...servers].map(({ logprobs }) => logprobs ?? "unknown"));
  return first !== undefined && others.length === 0 ? first : "unknown";
}

/** @returns undefined when the generation was cut. */
function finishOf({ finish }: EngineReply, { generation, sampling }: GenerateCall): Finish | undefined {
  if (finish?.type === "abort") {
    return generation.length < sampling.maxTokens ? undefined : { reason: "length" };
  }
  if (generation.length === 0) throw new EngineError("engine_error", "The engine's reply has no tokens.");
  if (finish?.type === "length") return { reason: "length" };
  if (finish?.type !== "stop") {
    throw new EngineError("engine_error", "The engine's reply does not say why the generation ended.");
  }
  const matched = finish.matched ?? stopTokenAtEnd(generation.ids(generation.length - 1), sampling.stopTokenIds);
  return matched === undefined ? { reason: "stop" } : { reason: "stop", matched };
}

/** vLLM names no token where it is the model's own end-of-sequence token. */
function stopTokenAtEnd([last]: Int32Array, stopTokenIds: readonly number[]): number | undefined {
  return last !== undefined && stopTokenIds.includes(last) ? last : undefined;
}

/** An engine follows a grammar from a request's first token on, so that the output begins anew with each request. */
function prepareResume({ generation, sampling, onTokens }: GenerateCall, stops: StopWatch | undefined): void {
  if (sampling.grammar === undefined || generation.length === 0) return;
  if (onTokens) {
    const message =
      "A weight update cut a generation that follows a grammar; what was streamed of it cannot be resumed.";
    throw new EngineError("engine_error", message);
  }
  generation.truncate(0);
  stops?.reset();
}
