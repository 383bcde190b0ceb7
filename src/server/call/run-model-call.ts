import type { Session } from "../../session/session.js";
import { TOKEN_BYTES } from "../../session/session-size.js";
import type { Turn } from "../../session/turn/turn.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { AbortSwitch } from "../../support/async/abort-switch.js";
import { eventLoop } from "../../support/async/event-loop.js";
import { runInIterations } from "../../support/async/run-steps.js";
import type { ServerContext } from "../context.js";
import { keepPromptText, type PromptTextUse, takePromptText } from "../memory/prompt-texts.js";
import { requireSession } from "../plugins/auth.js";
import { buildGrammar } from "./build-grammar.js";
import { buildPrompt } from "./build-prompt.js";
import { checkSampling } from "./check-sampling.js";
import { beginChoices, type Choice, type Choices } from "./choices.js";
import { chooseBudget } from "./choose-budget.js";
import { completeSampling, forChoice } from "./complete-sampling.js";
import { readContextLimit } from "./context-limit.js";
import { generateChoices } from "./generate-choices.js";
import type { CallRecord, ModelCall } from "./model-call.js";
import { isLongFirstPrompt, measurePrompt, type PromptSize } from "./prompt-size.js";
import { type ChoiceJob, recordChoice } from "./record-choice.js";
import { requireOpen } from "./require-open.js";

/**
 * Runs a model call: builds the prompt, has the engine generate, records an interaction for each choice. A call has one choice,
 * unless it asks for more.
 *
 * The call is recorded once all its generations are complete, if the client is still connected. A call that fails at any step is
 * only counted.
 *
 * @returns one record per choice
 */
export async function runModelCall(context: ServerContext, call: ModelCall): Promise<readonly CallRecord[]> {
  const { session, request, client } = call;
  checkSampling(context, request.sampling);
  const size = measurePrompt(context, request.conversation);
  if (size.isLong) await eventLoop.yield();
  requireOpen(context, session);
  const turn = await runInIterations(session.begin(request.conversation, request.previousId));
  // The session may have ended or been taken over between the steps.
  requireOpen(context, session);
  requireSession(call);
  const choices = beginChoices(call, turn);
  const { aborting } = choices;
  call.onBegun(choices.all.map(({ id }) => id));
  let records: readonly CallRecord[] | undefined;
  client.onGone((reason) => {
    if (records) noteDisconnect(call, records);
    else aborting.abort(reason);
  });
  try {
    records = await generateAndRecord(context, call, { turn, size }, choices);
    // The client may have left while the interactions went to disk.
    if (client.goneReason) noteDisconnect(call, records);
    return records;
  } finally {
    // Before the call ends: an export that waits for the end reads this count.
    if (!records && isAbortedByClient(aborting, call)) session.countAbortedCall();
    for (const { inFlight } of choices.all) session.calls.end(inFlight);
    session.touch();
    const outcome = records ? "recorded" : aborting.aborted ? "aborted" : "failed";
    context.metrics.calls.inc({ api: call.api, outcome }, choices.all.length);
  }
}

/** Notes that the client left after the call was recorded. */
function noteDisconnect({ session, stream }: ModelCall, records: readonly CallRecord[]): void {
  for (const { interaction } of records) {
    if (stream?.delivered) session.delivery.answered(interaction.index);
    else session.delivery.closedEarly(interaction.index);
  }
}

/** Returns true if the call was aborted because its client disconnected, not by an export or by the client's own retry. */
function isAbortedByClient(aborting: AbortSource, { client }: ModelCall): boolean {
  return client.goneReason !== undefined && aborting.reason === client.goneReason;
}

async function generateAndRecord(
  context: ServerContext,
  call: ModelCall,
  { turn, size }: { readonly turn: Turn; readonly size: PromptSize },
  { all: choices, aborting }: Choices,
): Promise<readonly CallRecord[]> {
  const { session, request, api, startedAt } = call;
  const limit = await readContextLimit(context);
  const isLongFirst = isLongFirstPrompt(size, session);
  await buildPrompt(context, { session, turn, size, isLongFirst, limit, api, signal: aborting });
  const promptTokens = turn.prompt.length;
  const promptText = admitPrompt(context, call, choices, turn);

  const grammar = buildGrammar(context, call, turn);
  const thinkingBudget = chooseBudget(context, call, turn);
  const limits = { tokensLeft: limit - promptTokens, grammar, thinkingBudget };
  const completed = completeSampling(context, request.sampling, limits);
  if (completed.overridden.length > 0) call.onOverridden(completed.overridden);

  const { modelName } = context.settings;
  // Several choices have a switch of their own: if one fails, the others are aborted, but the call counts as failed.
  const abortingAll = choices.length === 1 ? aborting : new AbortSwitch();
  const jobs = choices.map(
    (choice): ChoiceJob => ({
      call,
      choice,
      turn,
      promptText,
      completed,
      sampling: forChoice(completed.params, choice.index),
      start: { interactionId: choice.id, model: modelName, createdAt: startedAt, promptTokens },
      sink: call.stream?.choice(choice.index),
      aborting: abortingAll,
    }),
  );
  // Several sessions may begin with a long prompt at the same time, and each step takes milliseconds.
  if (isLongFirst) await eventLoop.yield();
  const generated = await generateChoices(context, jobs, aborting, abortingAll);
  if (isLongFirst) {
    await eventLoop.yield();
    // The client may have left, or the session may have been deleted meanwhile.
    aborting.throwIfAborted();
  }

  // No other step may run in between: all choices are recorded, or none.
  const records = generated.map(({ job, outcome }) => recordChoice(context, job, outcome));
  turn.releasePrompt();
  const indices = records.map(({ interaction }) => interaction.index);
  if (promptText) keepPromptText(context.known.promptTexts, session, promptText, indices);
  const saving = records.flatMap((record) => call.onRecorded?.(record) ?? []);
  if (context.storage || saving.length > 0) await whenStored(context, session, records, saving);
  return records;
}

/**
 * Waits until the interactions are on disk, if sessions are stored. If the disk refuses them, the answer is not sent.
 *
 * @param saving resolve when everything that belongs to an interaction was given to the storage
 */
async function whenStored(
  { registry }: ServerContext,
  session: Session,
  records: readonly CallRecord[],
  saving: readonly Promise<void>[],
): Promise<void> {
  try {
    if (saving.length > 0) await Promise.all(saving);
    await registry.flushed(session);
  } catch (error) {
    for (const { interaction } of records) session.delivery.closedEarly(interaction.index);
    throw error;
  }
}

/**
 * Counts the prompt of each choice for its session and the store. If there is no room, refuses the call before it reaches the
 * engine.
 *
 * @returns the text of an earlier prompt, which that of this one continues
 */
function admitPrompt(
  { known }: ServerContext,
  { session, measureKept = () => 0 }: ModelCall,
  choices: readonly Choice[],
  turn: Turn,
): PromptTextUse | undefined {
  try {
    const { tokens, bytes, parent } = turn.measureGrowth();
    const growth = { tokens, bytes: bytes + measureKept() };
    const { length } = turn.prompt;
    for (const { admitted } of choices) admitted?.addPrompt(growth, TOKEN_BYTES * length);
    const start = { tokens: length, parent, shared: length - tokens };
    return takePromptText(known.promptTexts, session, start);
  } catch (error) {
    turn.releasePrompt();
    throw error;
  }
}
