import { expect, test } from "vitest";
import { raceExports, raceRounds, raceSession, type ShardedSessions } from "../helpers/export-race.js";
import { Gateway, startWorker } from "./workers.js";

const ROUNDS = raceRounds(250);

test("exports the same interactions of several workers in every repeat, and in the shards that each worker exports of its own", async () => {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const differences: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const servers: ShardedSessions[] = [];
    for (const { proxy, url } of workers) {
      const session = await raceSession(proxy, new URL(url), await proxy.session());
      await proxy.end(session);
      servers.push({ sessions: [session], exportShard: (body) => proxy.post("/export_batch", body) });
    }
    const found = await raceExports(servers, (body) => gateway.post("/export_batch", body));
    if (found.length > 0) differences.push(found);
    for (const [index, { proxy }] of workers.entries()) {
      proxy.engine.calls.length = 0;
      for (const { id } of servers[index]?.sessions ?? []) proxy.context.registry.get(id).free("exported");
    }
  }
  expect({ rounds: differences.length, first: differences[0] }).toEqual({ rounds: 0, first: undefined });
}, 1_800_000);
