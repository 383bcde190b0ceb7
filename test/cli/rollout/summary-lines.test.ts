import { describe, expect, it } from "vitest";
import { type BatchFindings, NO_FINDINGS } from "../../../src/cli/inspect/batch-findings.js";
import { describeRollout, describeTooFew, type RolloutSummary, saysTooFew } from "../../../src/cli/rollout/summary.js";
import { RolloutTally } from "../../../src/cli/rollout/tally.js";
import type { TaskResult } from "../../../src/job/task.js";

/** Every line of the summary of a job. */

interface Job {
  readonly tally?: Partial<RolloutTally>;
  readonly rewards?: readonly number[];
  readonly files?: readonly string[];
  readonly filtered?: number;
  readonly findings?: Partial<BatchFindings>;
}

function summarize(
  { tally = {}, rewards = [], files = ["b.safetensors"], filtered = 0, findings }: Job,
  rest: Partial<RolloutSummary> = {},
) {
  const counts = new RolloutTally();
  const accepted = rewards.map((reward, index) => ({ sessionId: `s-${index}`, rewards: new Map([["i", reward]]) }));
  counts.add({ index: 0, taskId: "t", version: 0, data: null, accepted, rejected: [] } as unknown as TaskResult);
  Object.assign(counts, { accepted: 4, rejected: 0, acceptedTasks: 4, ...tally });
  const batches = { files, rows: 4, tokens: 90, bytes: 700, filtered, findings: { ...NO_FINDINGS, ...findings } };
  const text = describeRollout({
    tally: counts,
    tasks: 4,
    groupSize: 1,
    seconds: 2,
    sampledTokens: 81,
    batches: batches as unknown as RolloutSummary["batches"],
    sessionsFiles: { files: [], bytes: 0, failed: 0 },
    errors: undefined,
    stopped: false,
    minAcceptedShare: 0,
    ...rest,
  });
  expect(text.endsWith("\n")).toBe(true);
  return text.trimEnd().split("\n");
}

const lineOf = (lines: readonly string[], name: string) => lines.filter((line) => line.startsWith(name.padEnd(9)));

describe("the summary of a job", () => {
  it("has the counts, and nothing that did not happen", () => {
    expect(summarize({ rewards: [1, 0.25, -0.5, 0.33333] })).toEqual([
      "episodes  4 accepted, 0 rejected",
      "rewards   mean 0.271 per episode, from -0.5 to 1",
      "tokens    90 in 4 rows; 81 sampled, 41/s",
      "time      2.0 s, 2.0 episodes/s",
      "wrote     b.safetensors, 700 bytes",
    ]);
  });

  it("shortens rewards, and says that there are none", () => {
    expect(lineOf(summarize({ rewards: [1 / 3, 2 / 3] }), "rewards")).toEqual([
      "rewards   mean 0.500 per episode, from 0.3333 to 0.6667",
    ]);
    expect(lineOf(summarize({}), "rewards")).toEqual(["rewards   none"]);
  });

  it("has the groups of a job with groups", () => {
    expect(lineOf(summarize({}, { groupSize: 2 }), "groups")).toEqual(["groups    4 of 4 kept, 2 episodes each"]);
    const some = summarize({ tally: { acceptedTasks: 3, incompleteTasks: 1 } }, { groupSize: 2 });
    expect(lineOf(some, "groups")).toEqual(["groups    3 of 4 kept (1 incomplete), 2 episodes each"]);
  });

  it("has what was lost, run again and left out", () => {
    const lines = summarize({
      tally: { rerunTasks: 2, lost: 3, leftOutOfGroups: 2, incompleteGroups: 1 },
      filtered: 1200,
    });
    expect(lineOf(lines, "rerun")).toEqual(["rerun     2 tasks, whose sessions were lost with their proxy"]);
    expect(lineOf(lines, "lost")).toEqual(["lost      3 sessions were lost with their proxy worker"]);
    const at = lines.findIndex((line) => line.startsWith("left out"));
    expect(lines.slice(at, at + 2)).toEqual([
      "left out  2 episodes were left out because 1 group was incomplete: drop_incomplete_group=false keeps them",
      "          1,200 model calls were left out by rollout.agent.export_filters",
    ]);
    expect(lineOf(summarize({ filtered: 1 }), "left out")).toEqual([
      "left out  1 model call was left out by rollout.agent.export_filters",
    ]);
    expect(lineOf(summarize({ tally: { lost: 1, leftOut: 2 } }), "lost")).toEqual([
      "lost      1 sessions were lost with their proxy worker; 2 more of their groups were left out",
    ]);
  });

  it("has the tasks that had started when it was stopped", () => {
    const lines = summarize({ tally: { acceptedTasks: 1, rejectedTasks: 2 } }, { stopped: true });
    expect(lineOf(lines, "stopped")).toEqual(["stopped   after 3 of 4 tasks had started"]);
  });

  it("has the files", () => {
    expect(lineOf(summarize({ files: ["a", "b", "c"] }), "wrote")).toEqual(["wrote     3 files, a to c, 700 bytes"]);
    expect(lineOf(summarize({ files: [] }), "wrote")).toEqual(["wrote     , 700 bytes"]);
    const sessionsFiles = { files: ["a.sessions"], bytes: 5, failed: 0 };
    expect(lineOf(summarize({}, { sessionsFiles }), "sessions")).toEqual(["sessions  a.sessions, 5 bytes"]);
    const failed = { files: [], bytes: 0, failed: 2 };
    expect(lineOf(summarize({}, { sessionsFiles: failed }), "sessions")).toEqual([
      "sessions  2 of 2 sessions files could not be written",
    ]);
  });

  it("ends with errors, examples and warnings", () => {
    const transcript = { path: "t", examples: [] };
    const lines = summarize({ findings: { rows: 4, rawRows: 1 } }, { errors: "b.errors", transcript });
    expect(lines.slice(-3).map((line) => line.slice(0, 20))).toEqual([
      "errors    b.errors",
      "view      rolltape v",
      "warning   1 of 4 row",
    ]);
  });
});

describe("a job with too few episodes", () => {
  const tooFew = (tally: Partial<RolloutTally>, minAcceptedShare = 0.5, stopped = false) =>
    describeTooFew({ tally: Object.assign(new RolloutTally(), tally), minAcceptedShare, stopped } as RolloutSummary);

  it("is one whose batch has less than the share", () => {
    expect(tooFew({ accepted: 1, rejected: 1 })).toBeUndefined();
    expect(tooFew({ accepted: 1000, rejected: 1001 })).toBe(
      "1,000 of 2,001 episodes are in the batch: less than rollout.min_accepted_share=0.5",
    );
    expect(tooFew({ accepted: 4, rejected: 0, lost: 1, leftOut: 2 })).toContain("1 of 4 episodes");
    expect(tooFew({}, 0)).toBeUndefined();
    expect(tooFew({ rejected: 5 }, 0.5, true)).toBeUndefined();
  });

  it("says so in its summary", () => {
    const lines = summarize({ tally: { accepted: 1, rejected: 9 } }, { minAcceptedShare: 0.5 });
    expect([saysTooFew(lines.join("\n")), saysTooFew(summarize({}).join("\n"))]).toEqual([true, false]);
    expect(saysTooFew("no too few \n")).toBe(false);
  });
});
