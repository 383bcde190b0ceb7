import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SessionClient } from "../../src/client/session-client.js";
import { RolloutBatch } from "../../src/job/rollout-batch.js";
import type { TaskResult } from "../../src/job/task.js";
import type { RolloutEngine } from "../../src/rollout/contract.js";
import { createAgent } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

function batchOf(...tasks: (readonly [sessionId: string, url: string])[][]): RolloutBatch {
  const results = tasks.map((sessions) => ({ accepted: sessions.map(([sessionId, url]) => ({ sessionId, url })) }));
  return new RolloutBatch(results as unknown as TaskResult<unknown>[], 3, { url: "http://c" } as RolloutEngine, {});
}

it("lists the sessions of its tasks in their order", () => {
  const batch = batchOf(
    [
      ["a", "http://p"],
      ["b", "http://p"],
    ],
    [],
    [["c", "http://p"]],
  );
  expect([batch.sessionIds, batch.version]).toEqual([["a", "b", "c"], 3]);
});

it("is exported at the proxy of its sessions, with its own fields and those of the call", async () => {
  const { engine } = await listeningProxy();
  const start = async () => {
    await engine.admin.grantCapacity();
    const session = await SessionClient.start(engine.admin, { taskId: "t" });
    await createAgent(1, () => 1).run("rain", {
      base_url: engine.url,
      api_key: session.sessionApiKey,
      http_client: fetch,
      signal: new AbortController().signal,
    });
    await session.end();
    return session.sessionId;
  };
  const url = engine.url;
  const elsewhere = {
    ...engine,
    url: "http://127.0.0.1:9",
    adminKey: engine.adminKey,
    connections: engine.connections,
  };
  const batchWith = (ids: readonly string[], fields = {}) =>
    new RolloutBatch(
      [{ accepted: ids.map((sessionId) => ({ sessionId, url })) }] as unknown as TaskResult[],
      0,
      elsewhere,
      fields,
    );
  const ids = [await start(), await start()];
  const own = await batchWith(ids, { pad_to_multiple_of: 64 }).export();
  const [shared] = await batchWith([await start()], { pad_to_multiple_of: 64 }).exportShared({ shards: 1 });
  const given = await batchWith([await start()], { pad_to_multiple_of: 64 }).export({ pad_to_multiple_of: 128 });
  const width = (bytes: Uint8Array) => readSafetensors(bytes).tensors["input_ids"]?.shape;
  expect([width(own), width(readFileSync(shared?.path ?? "")), width(given)]).toEqual([
    [2, 64],
    [1, 64],
    [1, 128],
  ]);
});

it("cannot be exported at once if its sessions are on several proxies", () => {
  expect(() => batchOf([["a", "http://p"]], [["b", "http://q"]]).export()).toThrow(
    expect.objectContaining({
      code: "several_proxies",
      message:
        "The sessions of this batch are on several proxies: http://p, http://q. One call can export the sessions of one " +
        "proxy only.",
    }) as Error,
  );
});
