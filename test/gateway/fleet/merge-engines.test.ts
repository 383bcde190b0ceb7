import { expect, it } from "vitest";
import type { FleetMember, ServerRecord } from "../../../src/gateway/fleet/fleet.js";
import { groupByServer, mergeEngines, mergeServer } from "../../../src/gateway/fleet/merge-engines.js";

const RECORD: ServerRecord = {
  url: "http://10.0.0.1:30000",
  state: "up",
  healthy: true,
  requests: 0,
  waiting: 0,
  max_inflight: 4,
  logprobs: "raw",
  completed: 0,
  failed: 0,
  aborted: 0,
  failovers: 0,
  last_failure: null,
};

/** A worker that uses one server, whose identity is that server's address. */
function member(tag: string, record: Partial<ServerRecord> = {}): FleetMember {
  const server = { ...RECORD, ...record };
  return {
    worker: { tag } as FleetMember["worker"],
    type: "sglang",
    paused: null,
    labels: {} as FleetMember["labels"],
    models: undefined,
    servers: [{ identity: server.url, record: server }],
  };
}

function merge(...records: readonly Partial<ServerRecord>[]) {
  const members = records.map((record, index) => member(`w${index}`, record));
  return mergeServer(RECORD.url, groupByServer(members).get(RECORD.url) ?? []);
}

it.each([
  [["down", "unknown", "draining", "up"], "up"],
  [["unknown", "draining", "down"], "down"],
  [["unknown", "draining"], "draining"],
  [["unknown"], "unknown"],
] as const)("a server whose workers say %j is %s", (states, state) => {
  expect(merge(...states.map((each) => ({ state: each }))).state).toBe(state);
});

it("a server is healthy if one worker says so", () => {
  expect(merge({ healthy: false }, { healthy: true }).healthy).toBe(true);
  expect(merge({ healthy: false }, { healthy: false }).healthy).toBe(false);
});

it("workers that do not know a server's log probabilities do not count", () => {
  expect(merge({ logprobs: "unknown" }, { logprobs: "raw" }).logprobs).toBe("raw");
  expect(merge({ logprobs: "unknown" }).logprobs).toBe("unknown");
});

it("a server without a failure has none, and lists the state of each of its workers", () => {
  const own = { url: RECORD.url, state: "up", healthy: true };
  expect(merge({ requests: 1 }, { requests: 2 })).toMatchObject({
    last_failure: null,
    workers: [
      { tag: "w0", ...own, requests: 1 },
      { tag: "w1", ...own, requests: 2 },
    ],
  });
});

it("lists the workers that do not answer, and the servers in the order of the workers", () => {
  const members = [member("one"), member("two", { url: "http://10.0.0.2:30000" }), member("three")];
  const merged = mergeEngines({ members, absent: ["four"] });
  expect(merged.unavailable_workers).toEqual(["four"]);
  expect(merged.servers.map(({ url, workers }) => [url, workers.map(({ tag }) => tag)])).toEqual([
    ["http://10.0.0.1:30000", ["one", "three"]],
    ["http://10.0.0.2:30000", ["two"]],
  ]);
  expect(Object.keys(mergeEngines({ members, absent: [] }))).toEqual(["type", "paused", "servers", "workers"]);
});
