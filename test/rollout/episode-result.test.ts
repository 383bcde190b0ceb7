import { expect, it } from "vitest";
import type { EpisodeResult, RolloutEngine } from "../../src/rollout/contract.js";
import { runWorkflow } from "../../src/rollout/episode-result.js";
import { Rejection } from "../../src/rollout/rejection.js";

const EXPECTED = "arunEpisode must resolve with { accepted, rejected }";
const accepted = { sessionId: "s", url: "http://p", interactionCount: 1, rewards: new Map([["a", 1]]) };
const rejected = { reason: new Rejection("agent_error", "no") };
const resultOf = (change: object) => ({ accepted: [accepted, { ...accepted, ...change }], rejected: [] });

const run = (result: unknown) =>
  runWorkflow({ arunEpisode: async () => result as EpisodeResult }, {} as RolloutEngine, 0, { groupId: "g" });

it.each([
  [{ accepted: [], rejected: [] }],
  [{ accepted: [accepted], rejected: [rejected] }],
  [{ accepted: [{ ...accepted, rewards: new Map() }], rejected: [], more: 1 }],
])("a workflow may resolve with %j", async (result) => {
  expect(await run(result)).toBe(result);
});

it.each<[unknown, string]>([
  [null, "received null"],
  ["done", 'received the string "done"'],
  [{ rejected: [] }, "accepted must be an array, received undefined"],
  [{ accepted: [], rejected: {} }, "rejected must be an array, received an object without keys"],
  [{ accepted: [null], rejected: [] }, "accepted[0].sessionId must be a string, received undefined"],
  [{ accepted: [5], rejected: [] }, "accepted[0].sessionId must be a string, received undefined"],
  [resultOf({ sessionId: 1 }), "accepted[1].sessionId must be a string, received the number 1"],
  [resultOf({ url: null }), "accepted[1].url must be the address of the session's proxy, received null"],
  [resultOf({ interactionCount: 0 }), "accepted[1].interactionCount must be a positive integer, received the number 0"],
  [
    resultOf({ interactionCount: 1.5 }),
    "accepted[1].interactionCount must be a positive integer, received the number 1.5",
  ],
  [
    resultOf({ rewards: {} }),
    "accepted[1].rewards must be a Map of interaction ids to numbers, received an object without keys",
  ],
  [{ accepted: [], rejected: [rejected, null] }, "rejected[1].reason must be a Rejection, received undefined"],
  [
    { accepted: [], rejected: [{ reason: new Error("a") }] },
    "rejected[0].reason must be a Rejection, received an instance of Error",
  ],
])("the episode of a workflow that resolves with %j is rejected", async (result, problem) => {
  const message = `${EXPECTED}; ${problem}.`;
  expect(await run(result)).toMatchObject({
    accepted: [],
    rejected: [{ groupId: "g", reason: { code: "workflow_error", message } }],
  });
});

it("the episode of a workflow that throws is rejected with what it threw", async () => {
  const throwing = (error: unknown) => ({ arunEpisode: () => Promise.reject(error) });
  const runThrowing = (error: unknown) => runWorkflow(throwing(error), {} as RolloutEngine, 0, { groupId: "g" });
  const cause = new TypeError("a bug");
  expect((await runThrowing(cause)).rejected).toMatchObject([
    { groupId: "g", reason: { code: "workflow_error", message: "a bug", cause } },
  ]);
  expect((await runThrowing(rejected.reason)).rejected[0]?.reason).toBe(rejected.reason);
});
