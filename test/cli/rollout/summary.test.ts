import { expect, it } from "vitest";
import { BatchFiles } from "../../../src/cli/rollout/batch-files.js";
import { BatchWriter } from "../../../src/cli/rollout/batch-writer.js";
import { describeRollout } from "../../../src/cli/rollout/summary.js";
import { RolloutTally } from "../../../src/cli/rollout/tally.js";

/** Describes a job of five episodes. This process took two seconds; an earlier one ended `acceptedBefore` episodes. */
function describe(acceptedBefore: number): string {
  const tally = Object.assign(new RolloutTally(), { accepted: 5, acceptedTasks: 5, acceptedBefore });
  const signal = new AbortController().signal;
  const writer = new BatchWriter({
    waitSeconds: 0,
    rescueFolders: [],
    untilSaved: false,
    signal,
    tell: () => undefined,
  });
  const batches = new BatchFiles(writer, "batch.safetensors", undefined);
  const rest = { tasks: 5, groupSize: 1, errors: undefined, stopped: false };
  return describeRollout({ tally, batches, seconds: 2, sampledTokens: 80, ...rest });
}

it("counts the rates of the whole job", () => {
  expect(describe(0)).toMatch(/; 80 sampled, 40\/s\ntime +2\.0 s, 2\.5 episodes\/s\n/);
});

it("counts the rates of a resumed job since it was resumed", () => {
  expect(describe(3)).toMatch(
    /; 80 sampled since --resume, 40\/s\ntime +2\.0 s, 1\.0 episodes\/s since --resume, 3 episodes earlier\n/,
  );
});
