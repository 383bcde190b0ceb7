import { expect, test } from "vitest";
import { raceExports, raceRounds, raceSession } from "../helpers/export-race.js";
import { Proxy } from "../helpers/proxy.js";

const ROUNDS = raceRounds(1000);

test("exports the same interactions in every repeat and in all shards, while clients read their answers or disconnect", async () => {
  const proxy = await Proxy.start({ retention: { milliseconds: 60_000, bytes: 1 << 26 } });
  const url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
  const differences: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const session = await raceSession(proxy, url, await proxy.session());
    await proxy.end(session);
    const found = await raceExports([session], (body) => proxy.post("/export_batch", body));
    if (found.length > 0) differences.push(found);
    proxy.engine.calls.length = 0;
    proxy.context.registry.get(session.id).free("exported");
  }
  await proxy.close();
  expect({ rounds: differences.length, first: differences[0] }).toEqual({ rounds: 0, first: undefined });
}, 600_000);
