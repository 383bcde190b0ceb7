import { expect, it } from "vitest";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";
import { holdPrepare } from "./hold-prepare.js";
import { Gateway, startWorker } from "./workers.js";

it("drops the prepared parts when the client of a batch disconnects, so that their sessions accept rewards immediately", async () => {
  const [one, two] = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: [one.url, two.url] });
  const sessions = [await gateway.session(), await gateway.session()];
  for (const { key } of sessions) {
    await gateway.chat(key, "hello");
    await gateway.post("/rl/end_session", {}, key);
  }
  const prepared = () => one.proxy.context.preparedExports.size;
  const held = holdPrepare(two);
  const stop = new AbortController();
  const left = fetch(`${gateway.url}/export_batch`, {
    method: "POST",
    signal: stop.signal,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ session_ids: sessions.map(({ id }) => id) }),
  }).catch((error: Error) => error.name);
  await until(() => held.waits() && prepared() === 1);
  stop.abort();
  expect(await left).toBe("AbortError");
  await until(() => prepared() === 0);
  held.release();
  for (const { key } of sessions) expect((await gateway.post("/rl/set_reward", { reward: 1 }, key)).status).toBe(200);
  expect(gateway.pool.ready()).toHaveLength(2);
});
