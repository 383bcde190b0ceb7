import { expect, it } from "vitest";
import type { RolloutEngine } from "../../src/rollout/contract.js";
import { EpisodeGate } from "../../src/rollout/episode-gate.js";
import { Rejection } from "../../src/rollout/rejection.js";
import { acceptedAs, HeldWorkflow, rejectedWith, settled } from "../job/held-workflow.js";

const ENGINE = {} as RolloutEngine;

it("runs a limited number of episodes at once, and counts those that have ended", async () => {
  const workflow = new HeldWorkflow();
  const gate = new EpisodeGate(workflow, 2);
  const episodes = [0, 1, 2].map((data) => gate.arunEpisode(ENGINE, data, { taskId: `t${data}` }));
  await settled();
  expect([workflow.started, gate.ended]).toEqual([[0, 1], 0]);
  expect(workflow.options.get(1)).toEqual({ taskId: "t1" });
  const result = { ...rejectedWith("agent_error"), accepted: acceptedAs("a", "b").accepted };
  await workflow.end(1, result);
  expect(await episodes[1]).toBe(result);
  expect([workflow.started, gate.ended]).toEqual([[0, 1, 2], 3]);
  for (const data of [0, 2]) await workflow.end(data);
  await Promise.all(episodes);
  expect(gate.ended).toBe(5);
});

it("runs all at once without a limit", async () => {
  const workflow = new HeldWorkflow();
  const gate = new EpisodeGate(workflow, null);
  for (let data = 0; data < 50; data++) void gate.arunEpisode(ENGINE, data);
  await settled();
  expect(workflow.started).toHaveLength(50);
});

it("rejects an episode that is aborted while it waits", async () => {
  const gate = new EpisodeGate(new HeldWorkflow(), 1);
  void gate.arunEpisode(ENGINE, 0);
  const abortWith = async (reason: Error) => {
    const abort = new AbortController();
    const waiting = gate.arunEpisode(ENGINE, 1, { signal: abort.signal, groupId: "g" });
    abort.abort(reason);
    return (await waiting).rejected;
  };
  const stopped = new Rejection("episode_aborted", "The rollout was stopped.");
  expect(await abortWith(stopped)).toEqual([{ groupId: "g", reason: stopped }]);
  const cause = new Error("enough");
  expect(await abortWith(cause)).toMatchObject([
    { groupId: "g", reason: { code: "episode_aborted", message: "The episode was aborted before it began.", cause } },
  ]);
  expect(gate.ended).toBe(2);
});

it.each([
  [undefined, false],
  [true, true],
])("can resume if its workflow can: %s", (canResume, expected) => {
  expect(new EpisodeGate(Object.assign(new HeldWorkflow(), { canResume }), 1).canResume).toBe(expected);
});
