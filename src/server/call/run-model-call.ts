import { OtherPromptError } from "../../engine/engine.js";
import type { RecordedChoice } from "./answer-reader.js";
import type { Call } from "./call.js";
import { Choice, type GeneratedChoice, generateChoices } from "./generation.js";
import { placeTokens } from "./place-tokens.js";
import { buildPrompt, readContextLimit } from "./prompt.js";
import { recordChoices, whenStored } from "./record.js";
import { admitOutput, checkSampling, completeSampling } from "./sampling.js";

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
  checkSampling(call);
  const { promptIds } = call.request;
  await call.begin(promptIds && (await placeTokens(call, promptIds)));
  let records: readonly RecordedChoice[] | undefined;
  call.client.onGone((reason) => {
    if (records) call.noteDisconnect(records);
    else call.abort.abort(reason);
  });
  try {
    records = await generateAndRecord(call);
    // The client may have left while the interactions went to disk.
    if (call.client.goneReason) call.noteDisconnect(records);
    return records;
  } finally {
    call.end(records !== undefined);
  }
}

async function generateAndRecord(call: Call): Promise<readonly RecordedChoice[]> {
  const { turn } = call;
  const limit = await readContextLimit(call.services);
  for (let isRepeated = false; ; isRepeated = true) {
    await buildPrompt(call, limit);
    call.admitPrompt();
    const sampling = await completeSampling(call, limit);
    admitOutput(call, sampling.params);
    const choices = call.choices.map((begun) => new Choice(call, begun, sampling));
    if (call.isCold) await call.yield();
    let generated: readonly GeneratedChoice[];
    try {
      generated = await generateChoices(call, choices);
    } catch (error) {
      if (isRepeated || !mayRepeat(call, error, choices)) throw error;
      continue;
    }
    if (call.isCold) await call.yield();
    for (const { choice } of generated) choice.begun.admitted?.noteOutput(choice.generation.length);
    // No other step may run in between: all choices are recorded, or none.
    const records = recordChoices(call, generated, sampling);
    turn.releasePrompt();
    call.keepPromptText(records);
    await whenStored(call, records);
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
