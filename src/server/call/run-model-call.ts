import { OtherPromptError } from "../../engine/engine.js";
import type { TraceSteps } from "../../telemetry/trace.js";
import type { RecordedChoice } from "./answer-reader.js";
import type { Call } from "./call.js";
import { Choice, type GeneratedChoice, generateChoices } from "./generation.js";
import { placeTokens } from "./place-tokens.js";
import { buildPrompt, readContextLimit } from "./prompt.js";
import { recordChoices, whenStored } from "./record.js";
import { admitOutput, checkSampling, completeSampling } from "./sampling.js";
import { describeAnswers } from "./trace-call.js";

/**
 * Runs a model call: builds the prompt, has the engine generate, records an interaction for each choice. A call has one choice,
 * unless it asks for more.
 *
 * The call is recorded once all its generations are complete, if the client is still connected. A call that fails at any step is
 * only counted.
 *
 * @returns one record per choice
 */
export async function runModelCall(call: Call): Promise<readonly RecordedChoice[]> {
  const steps = call.trace?.steps();
  steps?.enter("render");
  checkSampling(call);
  const { promptIds } = call.request;
  await call.begin(promptIds && (await placeTokens(call, promptIds)));
  let records: readonly RecordedChoice[] | undefined;
  call.client.onGone((reason) => {
    if (records) call.noteDisconnect(records);
    else call.abort.abort(reason);
  });
  try {
    records = await generateAndRecord(call, steps);
    if (call.trace) describeAnswers(call.trace, records);
    // The client may have left while the interactions went to disk.
    if (call.client.goneReason) call.noteDisconnect(records);
    return records;
  } finally {
    call.end(records !== undefined);
  }
}

async function generateAndRecord(call: Call, steps: TraceSteps | undefined): Promise<readonly RecordedChoice[]> {
  const { turn } = call;
  const limit = await readContextLimit(call.services);
  for (let isRepeated = false; ; isRepeated = true) {
    await buildPrompt(call, limit);
    call.admitPrompt();
    const sampling = await completeSampling(call, limit);
    admitOutput(call, sampling.params);
    const choices = call.choices.map((begun) => new Choice(call, begun, sampling));
    if (call.isCold) await call.yield();
    steps?.leave();
    let generated: readonly GeneratedChoice[];
    try {
      generated = await generateChoices(call, choices);
    } catch (error) {
      if (isRepeated || !mayRepeat(call, error, choices)) throw error;
      call.trace?.failSteps("engine_error");
      steps?.enter("render");
      continue;
    }
    if (call.isCold) await call.yield();
    for (const { choice } of generated) choice.begun.admitted?.noteOutput(choice.generation.length);
    // No other step may run in between: all choices are recorded, or none.
    const records = recordChoices(call, generated, sampling);
    turn.releasePrompt();
    call.keepPromptText(records);
    if (call.services.storage) steps?.enter("disk");
    await whenStored(call, records);
    steps?.leave();
    return records;
  }
}

/**
 * Returns true if all choices can be generated again, with the tokens that the engine has for the images: it had others than the prompt,
 * and the client was sent nothing that depends on them.
 */
function mayRepeat({ services, turn, stream, request }: Call, error: unknown, choices: readonly Choice[]): boolean {
  if (!(error instanceof OtherPromptError) || !turn.images) return false;
  const isSent =
    stream && (choices.some(({ generation }) => generation.length > 0) || (stream.hasBegun && request.tokenIds));
  if (isSent || !services.imageTokens?.distrust(turn.images)) return false;
  services.metrics.otherImageTokens.inc();
  turn.releasePrompt();
  return true;
}
