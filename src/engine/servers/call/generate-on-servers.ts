import type { Deadline } from "../../../support/async/deadline.js";
import { sleep } from "../../../support/async/sleep.js";
import { untilAborted } from "../../../support/async/until-aborted.js";
import { EngineError, type Finish, type GenerateCall, type GenerateResult, type LabelVersions } from "../../engine.js";
import type { ServerReply } from "../engine-server.js";
import type { PauseHold } from "../pause/pause-hold.js";
import type { ServerPool } from "../pool/server-pool.js";
import type { ServerRoute } from "../pool/server-route.js";
import { abortError, isBroken, NotStartedError, otherPrompt, saysRemoved, UnrecordableError } from "../wire/errors.js";
import { Restarts } from "./cut.js";
import { OutputSoFar } from "./output-so-far.js";
import { PlacedRequest } from "./placed-request.js";

/** The parts of an engine that all of its calls share. */
export interface ServedCalls {
  readonly pool: ServerPool;
  readonly hold: PauseHold;
  readonly labels: LabelVersions;
}

/** The answer of one server. */
interface Answer {
  readonly request: PlacedRequest;
  readonly reply: ServerReply;
  /** Duration of the request. */
  readonly milliseconds: number;
}

/**
 * Runs one call, with one more request after each weight update that cuts it. The next request continues from prompt and
 * partial output with the rest of the token budget, on another server if the first one is drained.
 *
 * Servers apply penalties to the output of one request. Tokens before a cut are prompt for the next request, so
 * penalties ignore them.
 *
 * @param deadline time limit of the whole call. It also aborts with the caller's signal.
 */
export async function generateOnServers(
  shared: ServedCalls,
  call: GenerateCall,
  deadline: Deadline,
): Promise<GenerateResult> {
  const output = new OutputSoFar(call);
  const restarts = new Restarts();
  for (let resumes = 0; ; resumes++) {
    const { request, reply, milliseconds } = await askServers(shared, output, deadline);
    output.add(request, reply);
    const finish = readFinish(reply, call);
    if (finish) return output.result(finish, resumes);
    const cause = await request.findCutCause(reply);
    output.prepareResume();
    await restarts.wait(cause, milliseconds, deadline);
  }
}

/** Sends the rest of the call to one server after another until one of them begins it. Sends nothing during a pause. */
async function askServers(shared: ServedCalls, output: OutputSoFar, deadline: Deadline): Promise<Answer> {
  const { pool, hold } = shared;
  const { call } = output;
  let route = pool.route(call.affinityKey);
  for (;;) {
    if (hold.mode !== undefined) await hold.pass(deadline);
    using place = await route.next(deadline);
    if (place && hold.mode !== undefined) {
      // A pause began while the call waited for a place. Give the place back, and route the call again after the pause.
      route = pool.route(call.affinityKey);
      continue;
    }
    if (!place) {
      await waitForRetry(route, deadline);
      route = pool.route(call.affinityKey);
      continue;
    }
    using request = new PlacedRequest(output, place, shared);
    call.onPlaced?.();
    const startedAt = Date.now();
    try {
      const reply = await request.send();
      const milliseconds = Date.now() - startedAt;
      deadline.throwIfAborted();
      checkReply(reply, request);
      if (place.server.logprobs === undefined) await learnLogprobs(request, reply, deadline);
      request.markForced();
      place.complete();
      return { request, reply: request.applyStop(reply), milliseconds };
    } catch (error) {
      place.fail(error, deadline);
      const isCut = place.isCut || (hold.mode !== undefined && isBroken(error));
      if (isCut) request.markForced();
      if (isCut && !deadline.aborted) return { request, reply: request.cutReply(), milliseconds: 0 };
      output.discardLost(error, request.begun);
      route.refuse(error);
    }
  }
}

/** Called when every server has refused. Waits if one of them named a time to retry; otherwise throws the refusal. */
async function waitForRetry({ refusal }: ServerRoute, deadline: Deadline): Promise<void> {
  const retryAfter = refusal instanceof NotStartedError ? refusal.retryAfterMilliseconds : undefined;
  if (retryAfter === undefined) throw refusal;
  await sleep(retryAfter, deadline);
}

/**
 * Waits until it is known what the server's log probabilities include, or until the call ends. A server that cut the
 * generation is not asked: it is being updated and would not answer.
 *
 * @throws UnrecordableError if the server reports something else than log probabilities
 */
async function learnLogprobs(
  { call, server }: PlacedRequest,
  { finish }: ServerReply,
  deadline: Deadline,
): Promise<void> {
  if (finish?.type === "abort") return;
  await untilAborted(server.findLogprobs(call), deadline).catch((error: unknown) => {
    if (error instanceof UnrecordableError) throw error;
  });
}

/**
 * Checks a reply against its request.
 *
 * @throws EngineError if the server used other prompt tokens, or aborted the generation with a status code
 */
function checkReply({ promptTokens, finish, tokens }: ServerReply, { inputTokens, call }: PlacedRequest): void {
  if (promptTokens !== undefined && promptTokens !== inputTokens) {
    if (call.images) throw otherPrompt(`it has ${promptTokens} tokens, not ${inputTokens}`);
    const message = `Engine reply is inconsistent: it reports ${promptTokens} prompt tokens, but ${inputTokens} were sent.`;
    throw new EngineError("engine_error", message);
  }
  if (finish?.type === "abort" && finish.statusCode !== undefined && !saysRemoved(finish.message)) {
    throw abortError(finish.message, finish.statusCode, tokens);
  }
}

/** Returns the finish reason; undefined if the generation was cut and can be resumed. */
function readFinish({ finish }: ServerReply, { generation, sampling }: GenerateCall): Finish | undefined {
  if (finish?.type === "abort") {
    return generation.length < sampling.maxTokens ? undefined : { reason: "length" };
  }
  if (generation.length === 0) throw new EngineError("engine_error", "The engine's reply has no tokens.");
  if (finish?.type === "length") return { reason: "length" };
  if (finish?.type !== "stop") {
    throw new EngineError("engine_error", "The engine's reply does not say why the generation ended.");
  }
  const matched = finish.matched ?? findStopToken(generation.ids(generation.length - 1), sampling.stopTokenIds);
  return matched === undefined ? { reason: "stop" } : { reason: "stop", matched };
}

/** vLLM names no token if it is the model's own end-of-sequence token. */
function findStopToken([last]: Int32Array, stopTokenIds: readonly number[]): number | undefined {
  return last !== undefined && stopTokenIds.includes(last) ? last : undefined;
}
