import { expect, test } from "vitest";
import { type RacedSession, raceExports, raceRounds, raceSession } from "../helpers/export-race.js";
import { Gateway, startWorker } from "./workers.js";

const ROUNDS = raceRounds(250);

test("exports the same interactions of several workers in every repeat, and in shards", async () => {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const differences: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sessions: RacedSession[] = [];
    for (const { proxy, url } of workers) {
      const session = await raceSession(proxy, new URL(url), await proxy.session());
      await proxy.end(session);
      sessions.push(session);
    }
    const found = await raceExports(sessions, (body) => gateway.post("/export_batch", body));
    if (found.length > 0) differences.push(found);
    for (const [index, { proxy }] of workers.entries()) {
      proxy.engine.calls.length = 0;
      proxy.context.registry.get(sessions[index]?.id ?? "").free("exported");
    }
  }
  expect({ rounds: differences.length, first: differences[0] }).toEqual({ rounds: 0, first: undefined });
}, 1_800_000);
