import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";
import { holdPrepare } from "./hold-prepare.js";
import { takeAway } from "./returning-worker.js";
import { stoppableAddress } from "./stoppable-address.js";
import { Gateway, startWorker } from "./workers.js";

/** Exports whose last step with a worker is cut off. */

it("sends the batch if a worker has freed its sessions when it returns: they are exported nowhere else", async () => {
  const folder = temporaryFolder();
  const options = { retention: { milliseconds: 0, bytes: 0 } };
  const one = await startWorker("one", options);
  const two = await startWorker("two", options);
  for (const { url, tag } of [one, two]) registerWorker(folder, { url, tag });
  const gateway = await Gateway.start({ folder }, 60, undefined, undefined, {
    returnMilliseconds: 20_000,
    unreachableMilliseconds: 500,
  });
  const ids = [await gateway.conversation("a"), await gateway.conversation("b")];
  const { preparedExports } = one.proxy.context;
  const settle = preparedExports.settle.bind(preparedExports);
  const left = new Promise<() => Promise<string>>((resolve) => {
    preparedExports.settle = (id, outcome) => {
      preparedExports.settle = settle;
      const result = settle(id, outcome);
      one.proxy.app.server.closeAllConnections();
      void takeAway(one).then(resolve);
      return result;
    };
  });
  const batch = gateway.post("/export_batch", { session_ids: ids });
  const back = await left;
  await until(() => gateway.pool.waiting === 1);
  await back();
  expect((await batch).refusal).toBe("200");
});

it("ends what a worker has prepared if the client disconnects while its answer is on its way", async () => {
  const [one, two] = [await startWorker("one"), await startWorker("two")];
  const address = await stoppableAddress(one.url);
  const gateway = await Gateway.start({ urls: [address.url, two.url] });
  const ids = [await gateway.conversation("a"), await gateway.conversation("b")];
  const held = holdPrepare(one);
  const stop = new AbortController();
  const left = fetch(`${gateway.url}/export_batch`, {
    method: "POST",
    signal: stop.signal,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ session_ids: ids }),
  }).catch((error: Error) => error.name);
  await until(() => held.waits());
  address.stop();
  held.release();
  const prepared = () => [one, two].map(({ proxy }) => proxy.context.preparedExports.size);
  await until(() => prepared().join() === "1,1");
  stop.abort();
  expect(await left).toBe("AbortError");
  await sleep(100);
  address.go();
  await expect.poll(prepared, { timeout: 5000 }).toEqual([0, 0]);
});
