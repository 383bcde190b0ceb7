import type { RecordedChoice } from "./answer-reader.js";
import type { Call } from "./call.js";
import { Choice, generateChoices } from "./generation.js";
import { placeTokens } from "./place-tokens.js";
import { buildPrompt, readContextLimit, rebuildPrompt } from "./prompt.js";
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
  await buildPrompt(call, limit);
  call.admitPrompt();
  const sampling = await completeSampling(call, limit);
  admitOutput(call, sampling.params);
  let rebuilt: Promise<number | undefined> | undefined;
  const rebuild = () => (rebuilt ??= rebuildPrompt(call, limit));
  const choices = call.choices.map((begun) => new Choice(call, begun, { ...sampling, rebuild }));
  if (call.isCold) await call.yield();
  const generated = await generateChoices(call, choices);
  if (call.isCold) await call.yield();
  for (const { choice } of generated) choice.begun.admitted?.noteOutput(choice.generation.length);
  // No other step may run in between: all choices are recorded, or none.
  const records = recordChoices(call, generated, sampling);
  turn.releasePrompt();
  call.keepPromptText(records);
  await whenStored(call, records);
  return records;
}
