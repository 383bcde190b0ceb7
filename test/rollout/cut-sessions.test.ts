import { expect, it } from "vitest";
import type { AdminClient } from "../../src/client/admin-client.js";
import { CutSessions } from "../../src/rollout/cut-sessions.js";

it("gives the sessions of lost leases in their order, then those that were added", async () => {
  const asked: string[] = [];
  const activeSessions = async (leaseId: string) => {
    asked.push(leaseId);
    return leaseId === "l1" ? ["a", "b"] : ["c"];
  };
  const admin = { activeSessions } as unknown as AdminClient;
  const sessions = new CutSessions(["l1", "l2"]);
  sessions.add({ sessionId: "d", leaseId: undefined });
  expect(["d", "a", undefined].map((id) => sessions.has(id))).toEqual([true, false, false]);
  const taken = [];
  for (let next = await sessions.take(admin); next; next = await sessions.take(admin)) taken.push(next);
  expect(taken).toEqual([
    { sessionId: "a", leaseId: "l1" },
    { sessionId: "b", leaseId: "l1" },
    { sessionId: "c", leaseId: "l2" },
    { sessionId: "d", leaseId: undefined },
  ]);
  expect(asked).toEqual(["l1", "l2"]);
  expect(sessions.has("d")).toBe(false);
});

it("asks the proxy again after it could not list them, and nobody without lost leases", async () => {
  let failures = 1;
  const activeSessions = async () => {
    if (failures-- > 0) throw new Error("refused");
    return ["a"];
  };
  const admin = { activeSessions } as unknown as AdminClient;
  const sessions = new CutSessions(["l"]);
  await expect(sessions.take(admin)).rejects.toThrow("refused");
  expect(await sessions.take(admin)).toEqual({ sessionId: "a", leaseId: "l" });
  expect(await new CutSessions().take({} as AdminClient)).toBeUndefined();
});
