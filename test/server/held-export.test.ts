import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

let proxy: Proxy;
let session: StartedSession;
let exportId: string;
beforeEach(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
  await proxy.chat(session, [{ role: "user", content: "hello" }]);
  await proxy.end(session);
  const body = { session_ids: [session.id], hold_seconds: 60 };
  exportId = String((await proxy.post("/export_batch/prepare", body)).headers["x-rolltape-export-id"]);
});
afterEach(() => proxy.close());

const setReward = () => proxy.post("/rl/set_reward", { reward: 1 }, session.key);
const settle = (outcome: string) => proxy.post(`/export_batch/${exportId}/settle`, { outcome });

describe("a reward while a prepared export holds its session", () => {
  it("is refused within seconds with 503 and Retry-After", async () => {
    const started = performance.now();
    const reply = await setReward();
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(reply.refusal).toBe("503 session_exporting");
    expect(reply.headers["retry-after"]).toBe("1");
    expect(reply.error.message).toBe(`Session ${session.id} is being exported. Try again in a second.`);
  });

  it("is accepted if the export is dropped within two seconds", async () => {
    const waiting = setReward();
    await settle("left");
    expect((await waiting).status).toBe(200);
  });

  it("is refused with 410 once the export is complete", async () => {
    const waiting = setReward();
    await settle("taken");
    expect((await waiting).refusal).toBe("410 session_exported");
  });
});
