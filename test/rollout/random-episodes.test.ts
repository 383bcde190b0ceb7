import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Agent, AgentReward, EpisodeExport, EpisodeResult } from "../../src/rollout/contract.js";
import type { RejectionCode } from "../../src/rollout/rejection.js";
import { resolveWorkflow } from "../../src/rollout/resolve-workflow.js";
import { converse } from "../helpers/agents.js";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";

/** The behaviour of a member of a group. */
interface Member {
  readonly turns: number;
  readonly ending: "number" | "each" | "nothing set" | "throws" | "text" | "unknown id";
}

interface Task {
  readonly members: readonly Member[];
  readonly drop: boolean;
  readonly export: EpisodeExport;
}

const member: fc.Arbitrary<Member> = fc.record({
  turns: fc.nat(2),
  ending: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("number", "each", "nothing set") },
    { weight: 1, arbitrary: fc.constantFrom("throws", "text", "unknown id") },
  ),
});

const task: fc.Arbitrary<Task> = fc.record({
  members: fc.array(member, { minLength: 1, maxLength: 3 }),
  drop: fc.boolean(),
  export: fc.constantFrom("interactions", "deferred"),
});

/** Returns the code with which a member is rejected; undefined if it is accepted. */
function expectedCode({ turns, ending }: Member): RejectionCode | undefined {
  if (ending === "throws") return "agent_error";
  if (ending === "text") return "invalid_reward";
  if (ending === "unknown id") return "unknown_interaction";
  return turns === 0 ? "no_model_calls" : undefined;
}

function createAgent({ members }: Task): Agent<string> {
  const queue = [...members];
  return {
    async run(topic, context) {
      const { turns, ending } = queue.shift() ?? { turns: 0, ending: "throws" };
      return finish(await converse(context, topic, turns), ending);
    },
  };
}

function finish(ids: readonly string[], ending: Member["ending"]): AgentReward {
  switch (ending) {
    case "number":
      return ids.length;
    case "each":
      return new Map(ids.map((id, index) => [id, index]));
    case "nothing set":
      return {};
    case "throws":
      throw new Error("the agent broke");
    case "text":
      return "1" as unknown as AgentReward;
    case "unknown id":
      return { "chatcmpl-none": 1 };
  }
}

async function run(task: Task, { engine }: ListeningProxy<ScriptedEngine>): Promise<EpisodeResult> {
  const options = { groupSize: task.members.length, dropIncompleteGroup: task.drop };
  const workflow = await resolveWorkflow(createAgent(task), options);
  return workflow.arunEpisode(engine, "rain", { export: task.export });
}

function expectOutcome(task: Task, { accepted, rejected }: EpisodeResult): void {
  const failures = task.members.map(expectedCode).filter((code) => code !== undefined);
  const codes = rejected.map(({ reason }) => reason.code);
  const isDropped = task.drop && task.members.length > 1 && failures.length > 0;
  expect(accepted).toHaveLength(isDropped ? 0 : task.members.length - failures.length);
  expect(rejected).toHaveLength(task.members.length - accepted.length);
  // A member that is aborted with its group might have failed by itself a moment later.
  const own = codes.filter((code) => !isDropped || code !== "group_incomplete");
  expect(own.length).toBeGreaterThanOrEqual(Math.min(1, failures.length));
  expect(isDropped ? own.filter((code) => !failures.includes(code)) : own.toSorted()).toEqual(
    isDropped ? [] : failures.toSorted(),
  );
}

describe("concurrent episodes with random agents", () => {
  it("end as their agents do, and the proxy keeps the sessions of accepted ones only", async () => {
    const listening = await listeningProxy();
    const { registry } = listening.proxy.context;
    const property = fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 6 }), async (tasks) => {
      const results = await Promise.all(tasks.map((each) => run(each, listening)));
      const held = new Map<string, string>();
      for (const [index, each] of tasks.entries()) {
        const result = results[index] ?? { accepted: [], rejected: [] };
        expectOutcome(each, result);
        for (const { sessionId } of result.accepted) {
          held.set(sessionId, each.export === "deferred" ? "ended" : "exported");
        }
      }
      expect(new Map([...registry.all()].map(({ id, state }) => [id, state]))).toEqual(held);
      expect(registry.capacity).toBe(0);
      await Promise.all([...held.keys()].map((id) => listening.engine.admin.deleteSession(id)));
    });
    await fc.assert(property, { numRuns: 40 });
  });
});
