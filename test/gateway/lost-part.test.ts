import { expect, it } from "vitest";
import { readSafetensors } from "../helpers/safetensors.js";
import { until } from "../helpers/until.js";
import { holdPrepare } from "./hold-prepare.js";
import { Gateway, readWorkerTag, startWorker } from "./workers.js";

/** A worker holds its part of a batch for a minute. Then it drops the part, and its sessions accept rewards again. */

it("refuses a batch if a worker dropped its part, and exports the new reward when the call is repeated", async () => {
  // Without retention, a worker frees what it has exported.
  const options = { retention: { milliseconds: 0, bytes: 0 } };
  const [one, two] = [await startWorker("one", options), await startWorker("two", options)];
  const gateway = await Gateway.start({ urls: [one.url, two.url] });
  const sessions = [await gateway.session(), await gateway.session()];
  for (const { key } of sessions) {
    await gateway.chat(key, "hello");
    await gateway.post("/rl/set_reward", { reward: 1 }, key);
    await gateway.post("/rl/end_session", {}, key);
  }
  const held = holdPrepare(two);
  const session_ids = sessions.map(({ id }) => id);
  const exporting = gateway.post("/export_batch", { session_ids });
  const parts = one.proxy.context.preparedExports;
  await until(() => held.waits() && parts.size === 1);
  // This happens at the end of the minute.
  parts.close();
  const own = sessions.find(({ id }) => readWorkerTag(id) === "one");
  expect((await gateway.post("/rl/set_reward", { reward: 2 }, own?.key)).status).toBe(200);
  held.release();
  const refused = await exporting;
  expect([refused.refusal, refused.error.param]).toEqual(["409 batch_not_exportable", "session_ids"]);

  const again = readSafetensors((await gateway.post("/export_batch", { session_ids })).raw);
  const rewards = session_ids.map((id) => (readWorkerTag(id) === "one" ? 2 : 1));
  expect(again.tensors["rewards"]?.data).toEqual(rewards);
});
