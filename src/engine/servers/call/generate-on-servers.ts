import type { AbortSource } from "../../../support/async/abort-source.js";
import type { Deadline } from "../../../support/async/deadline.js";
import { sleep } from "../../../support/async/sleep.js";
import { untilAborted } from "../../../support/async/until-aborted.js";
import type { CallContent, GenerateResult, IgnorableParam, LabelVersions } from "../../engine.js";
import type { EngineServer, ServerCall, ServerReply } from "../engine-server.js";
import type { PauseHold } from "../pause/pause-hold.js";
import type { ServerPlace } from "../pool/server-place.js";
import type { ServerPool } from "../pool/server-pool.js";
import type { ServerRoute } from "../pool/server-route.js";
import { ReplyVersions } from "../versions/reply-versions.js";
import { isBroken, NotStartedError, UnrecordableError } from "../wire/errors.js";
import { CutWatch } from "./cut-watch.js";
import { markForced } from "./mark-forced.js";
import { OutputSoFar, type RequestOutput } from "./output-so-far.js";
import { checkReply, readFinish } from "./read-finish.js";
import { Restarts } from "./restarts.js";
import { StopReached, type StopWatch } from "./stop-watch.js";

/** One call and the state that its requests share. */
interface RunningCall {
  readonly pool: ServerPool;
  readonly hold: PauseHold;
  readonly labels: LabelVersions;
  readonly call: CallContent;
  readonly output: OutputSoFar;
  readonly deadline: Deadline;
}

/** The answer of one server. */
interface Answer extends RequestOutput {
  readonly watch: CutWatch;
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
  { pool, hold, labels }: Pick<RunningCall, "pool" | "hold" | "labels">,
  call: CallContent,
  deadline: Deadline,
): Promise<GenerateResult> {
  const output = new OutputSoFar(call);
  const restarts = new Restarts();
  for (let resumes = 0; ; resumes++) {
    const answer = await request({ pool, hold, labels, call, output, deadline });
    const { reply, server, watch, milliseconds } = answer;
    output.add(answer);
    const finish = readFinish(reply, call);
    if (finish) return output.result(finish, resumes);
    const cause = await watch.findCause(reply.finish ?? { type: "abort" }, server);
    output.prepareResume();
    await restarts.wait(cause, milliseconds, deadline);
  }
}

/** Sends the rest of the call to one server after another until one of them begins it. Sends nothing during a pause. */
async function request({ pool, hold, labels, call, output, deadline }: RunningCall): Promise<Answer> {
  const { stops } = output;
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
    const { server } = place;
    const begun = call.generation.length;
    const inputTokens = call.prompt.length + begun;
    const watch = new CutWatch(hold, call);
    using versions = new ReplyVersions(call, { hold, labels, server: server.versions });
    const startedAt = Date.now();
    let followsBudget = call.sampling.thinkingBudget !== undefined;
    const onIgnored = (param: IgnorableParam) => {
      if (param === "thinkingBudget") followsBudget = false;
      call.onIgnored?.(param);
    };
    try {
      const reply = await send(place, call, { stops, onIgnored, versions });
      const milliseconds = Date.now() - startedAt;
      deadline.throwIfAborted();
      checkReply(reply, inputTokens);
      if (server.logprobs === undefined) await learnLogprobs(server, call, reply, deadline);
      if (followsBudget) markForced(call, server);
      place.complete();
      return { reply: applyStop(reply, stops), server, watch, versions, milliseconds };
    } catch (error) {
      place.fail(error, deadline);
      const isCut = place.isCut || (hold.mode !== undefined && isBroken(error));
      if (isCut && followsBudget) markForced(call, server);
      if (isCut && !deadline.aborted) return { reply: cutReply(call, begun), server, watch, versions, milliseconds: 0 };
      output.discardLost(error, begun);
      route.refuse(error);
    }
  }
}

/** Called when every server has refused. Waits if one of them named a time to retry; otherwise throws the refusal. */
async function waitForRetry({ refusal }: ServerRoute, signal: AbortSource): Promise<void> {
  const retryAfter = refusal instanceof NotStartedError ? refusal.retryAfterMilliseconds : undefined;
  if (retryAfter === undefined) throw refusal;
  await sleep(retryAfter, signal);
}

/** Sends the request. In a streamed reply, a stop string that the server did not find ends the request early. */
function send(
  place: ServerPlace,
  call: CallContent,
  {
    stops,
    onIgnored,
    versions,
  }: Pick<ServerCall, "onIgnored" | "versions"> & { readonly stops: StopWatch | undefined },
): Promise<ServerReply> {
  const from = call.generation.length;
  const received = (): void => {
    place.noteProgress();
    const cut = stops?.read() ?? false;
    call.onTokens?.();
    if (cut) throw new StopReached();
  };
  const serverCall: ServerCall = {
    id: call.id,
    prompt: call.prompt,
    promptText: call.promptText,
    generation: call.generation,
    sampling: call.sampling,
    affinityKey: call.affinityKey,
    currentVersion: call.currentVersion,
    onTokens: call.onTokens,
    tokenBytes: call.tokenBytes,
    reasoning: call.reasoning,
    onIgnored,
    received,
    versions,
  };
  const reply = place.server.request(serverCall, place.signal);
  if (!stops) return reply;
  return reply.catch((error: unknown) => {
    if (!(error instanceof StopReached)) throw error;
    return { tokens: call.generation.length - from };
  });
}

/**
 * Returns the reply of a generation that a pause ended without one: its server stays paused, or died while it loaded weights. The
 * tokens that came before are valid.
 */
function cutReply({ generation }: CallContent, begun: number): ServerReply {
  return { tokens: generation.length - begun, finish: { type: "abort" } };
}

/**
 * Waits until it is known what the server's log probabilities include, or until the call ends. A server that cut the
 * generation is not asked: it is being updated and would not answer.
 *
 * @throws UnrecordableError if the server reports something else than log probabilities
 */
async function learnLogprobs(
  server: EngineServer,
  call: CallContent,
  { finish }: ServerReply,
  signal: AbortSource,
): Promise<void> {
  if (finish?.type === "abort") return;
  await untilAborted(server.findLogprobs(call), signal).catch((error: unknown) => {
    if (error instanceof UnrecordableError) throw error;
  });
}

/** Sets the finish reason if a stop string was found here: the server's own applies to tokens that were removed. */
function applyStop(reply: ServerReply, stops: StopWatch | undefined): ServerReply {
  const matched = stops?.matched;
  if (matched === undefined || reply.finish?.type === "stop") return reply;
  return { ...reply, finish: { type: "stop", matched } };
}
