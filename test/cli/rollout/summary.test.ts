import { expect, it } from "vitest";
import { BatchFiles } from "../../../src/cli/rollout/batch-files.js";
import { BatchWriter } from "../../../src/cli/rollout/batch-writer.js";
import { describeRollout, describeTooFew, type RolloutSummary } from "../../../src/cli/rollout/summary.js";
import { RolloutTally } from "../../../src/cli/rollout/tally.js";
import { Rejection } from "../../../src/rollout/rejection.js";

/** Returns the summary of a job with these counts, which took two seconds. */
function summarize(tally: RolloutTally, others: Partial<RolloutSummary> = {}): RolloutSummary {
  const signal = new AbortController().signal;
  const writer = new BatchWriter({
    waitSeconds: 0,
    rescueFolders: [],
    untilSaved: false,
    signal,
    tell: () => undefined,
  });
  const batches = new BatchFiles(writer, "batch.safetensors", undefined);
  const rest = { tasks: 5, groupSize: 1, errors: undefined, stopped: false, minAcceptedShare: 0.5 };
  const sessionsFiles = { files: [], bytes: 0, failed: 0 };
  return { tally, batches, sessionsFiles, seconds: 2, sampledTokens: 80, ...rest, ...others };
}

/** Describes a job of five episodes. An earlier process ended `acceptedBefore` of them. */
function describe(acceptedBefore: number): string {
  return describeRollout(
    summarize(Object.assign(new RolloutTally(), { accepted: 5, acceptedTasks: 5, acceptedBefore })),
  );
}

it("counts the rates of the whole job", () => {
  expect(describe(0)).toMatch(/; 80 sampled, 40\/s\ntime +2\.0 s, 2\.5 episodes\/s\n/);
});

it("counts the rates of a resumed job since it was resumed", () => {
  expect(describe(3)).toMatch(
    /; 80 sampled since --resume, 40\/s\ntime +2\.0 s, 1\.0 episodes\/s since --resume, 3 episodes earlier\n/,
  );
});

it("says how many episodes were left out with incomplete groups, and which option keeps them", () => {
  const tally = new RolloutTally();
  const failed = { sessionId: "s", reason: new Rejection("agent_error", "no") };
  const left = { sessionId: "t", reason: new Rejection("group_incomplete", "Another member was rejected.") };
  const rejected = [failed, ...Array.from({ length: 583 }, () => left)];
  for (const index of [0, 1]) tally.add({ index, taskId: `t${index}`, version: 0, data: null, accepted: [], rejected });
  const said = describeRollout(summarize(tally, { tasks: 2, groupSize: 584 }));
  expect(said).toContain(
    "\nleft out  1,166 episodes were left out because 2 groups were incomplete: drop_incomplete_group=false keeps them\n",
  );
  expect(said).not.toContain("Another member");
  tally.add({ index: 2, taskId: "t2", version: 0, data: null, accepted: [], rejected: [failed] });
  expect(tally.incompleteGroups).toBe(2);
});

it("says that too few episodes were accepted, unless the job was stopped", () => {
  const tally = Object.assign(new RolloutTally(), { accepted: 50, rejected: 50, lost: 1 });
  const said = "49 of 100 episodes are in the batch: less than rollout.min_accepted_share=0.5";
  expect(describeTooFew(summarize(tally))).toBe(said);
  expect(describeRollout(summarize(tally))).toContain(`\ntoo few   ${said}\n`);
  expect(describeTooFew(summarize(tally, { minAcceptedShare: 0.49 }))).toBeUndefined();
  expect(describeTooFew(summarize(tally, { stopped: true }))).toBeUndefined();
});

it("lists the sessions files, and counts those that could not be written", () => {
  const files = ["a-00000.sessions", "a-00001.sessions"];
  const said = describeRollout(summarize(new RolloutTally(), { sessionsFiles: { files, bytes: 7000, failed: 1 } }));
  expect(said).toContain(
    "\nsessions  2 files, a-00000.sessions to a-00001.sessions, 7000 bytes\n          1 of 3 sessions files could not be written\n",
  );
});
