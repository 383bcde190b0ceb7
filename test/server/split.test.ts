import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { Gateway, startWorker } from "../gateway/workers.js";
import { readSample } from "../helpers/metrics-text.js";
import { Proxy, type ProxyOptions, type Reply } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

/** Training and evaluation sessions: `split` of /rl/start_session and of exports. */

const USER = [{ role: "user", content: "hello" }];

async function start(options: ProxyOptions<Proxy["engine"]> = {}): Promise<Proxy> {
  const proxy = await Proxy.start(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

async function ended(proxy: Proxy, body: object = {}): Promise<string> {
  const session = await proxy.session(body);
  await proxy.turn(session, USER);
  await proxy.reward(session, 0.5);
  await proxy.end(session);
  return session.id;
}

const readSplits = ({ raw }: Reply) =>
  (JSON.parse(readSafetensors(raw).metadata["rows"] ?? "") as { split: string }[]).map(({ split }) => split);
const stateOf = (proxy: Proxy, id: string) => proxy.context.registry.get(id).state;

describe("an export of training sessions", () => {
  it.each(["/export_batch", "/export_sessions", "/export_batch/ready", "/export_batch/prepare"])(
    "to %s refuses evaluation sessions with 409, and exports none",
    async (path) => {
      const proxy = await start();
      const [train, other] = [await ended(proxy), await ended(proxy, { split: "eval" })];
      const refused = await proxy.post(path, { session_ids: [train, other] });
      expect(refused.refusal).toBe("409 wrong_split");
      expect(refused.error).toMatchObject({
        message: expect.stringContaining("evaluation session"),
        sessions: [{ session_id: other, code: "wrong_split" }],
      });
      expect([stateOf(proxy, train), stateOf(proxy, other)]).toEqual(["ended", "ended"]);
    },
  );

  it("refuses at once, also if it would wait for the end of a session", async () => {
    const proxy = await start();
    const [active, other] = [await proxy.session(), await ended(proxy, { split: "eval" })];
    const body = { session_ids: [active.id, other], wait_seconds: 3600 };
    const refused = await proxy.post("/export_batch", body);
    expect([refused.refusal, refused.error["sessions"]]).toEqual([
      "409 batch_not_exportable",
      [expect.objectContaining({ code: "wrong_split" }), expect.objectContaining({ code: "session_active" })],
    ]);
    const single = await proxy.session({ split: "eval" });
    expect((await proxy.export(single, { wait_seconds: 3600 })).refusal).toBe("409 wrong_split");
  });

  it("refuses evaluation sessions in each shard and with acknowledge", async () => {
    const proxy = await start();
    const ids = [await ended(proxy), await ended(proxy, { split: "eval" })];
    for (const options of [{ shards: 2, shard: 1 }, { acknowledge: true }, { transport: "shm" }]) {
      expect((await proxy.post("/export_batch", { session_ids: ids, ...options })).refusal).toBe("409 wrong_split");
    }
  });
});

describe("an export with split: eval", () => {
  it("exports evaluation sessions and refuses training sessions", async () => {
    const proxy = await start();
    const [train, other] = [await ended(proxy), await ended(proxy, { split: "eval" })];
    const refused = await proxy.post("/export_batch", { session_ids: [other, train], split: "eval" });
    expect([refused.refusal, refused.error["sessions"]]).toEqual([
      "409 wrong_split",
      [expect.objectContaining({ session_id: train })],
    ]);
    const json = await proxy.export({ id: other, key: "" }, { split: "eval" });
    expect(json.json()).toMatchObject({ session_id: other, split: "eval" });
    expect(readSplits(await proxy.post("/export_batch", { session_ids: [other], split: "eval" }))).toEqual(["eval"]);
    expect(readSplits(await proxy.post("/export_batch", { session_ids: [train] }))).toEqual(["train"]);
  });

  it("returns the sessions of an unacknowledged lease to their split", async () => {
    const proxy = await start();
    const id = await ended(proxy, { split: "eval" });
    const held = { session_ids: [id], split: "eval", acknowledge: true, lease_seconds: 0.01 };
    expect((await proxy.post("/export_batch", held)).status).toBe(200);
    await expect
      .poll(async () => (await proxy.request({ url: `/rl/sessions/${id}` })).json())
      .toMatchObject({
        state: "ended",
        split: "eval",
      });
    expect((await proxy.post("/export_batch", { session_ids: [id] })).refusal).toBe("409 wrong_split");
  });
});

it("survives a restart", async () => {
  const storage = { directory: temporaryFolder() };
  const first = await Proxy.start({ storage });
  const id = await ended(first, { split: "eval" });
  await first.close();
  const second = await start({ storage });
  expect((await second.post("/export_batch", { session_ids: [id] })).refusal).toBe("409 wrong_split");
  expect(readSplits(await second.post("/export_batch", { session_ids: [id], split: "eval" }))).toEqual(["eval"]);
});

it("is a filter of the list of sessions, and a label of metrics", async () => {
  const proxy = await start();
  await ended(proxy);
  const id = await ended(proxy, { split: "eval" });
  const listed = (await proxy.request({ url: "/rl/sessions?split=eval" })).json<{
    sessions: { session_id: string }[];
  }>();
  expect(listed.sessions).toEqual([expect.objectContaining({ session_id: id, split: "eval" })]);
  const text = (await proxy.request({ url: "/metrics" })).raw.toString();
  for (const split of ["train", "eval"]) {
    expect(readSample(text, `rolltape_rewards_count{scope="interaction",split="${split}"}`)).toBe(1);
    expect(readSample(text, `rolltape_session_turns_sum{outcome="ended",split="${split}"}`)).toBe(1);
  }
});

it("is refused if it is neither train nor eval", async () => {
  const proxy = await start();
  await proxy.post("/grant_capacity", {});
  const { status, error } = await proxy.post("/rl/start_session", { split: "test" });
  expect([status, error.code, error.param]).toEqual([400, "invalid_value", "split"]);
});

it("works through a gateway with sessions on two workers", async () => {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const start = async (split: string) => {
    const session = await gateway.session({ split });
    await gateway.chat(session.key, "hello");
    await gateway.post("/rl/end_session", {}, session.key);
    return session.id;
  };
  const evals = [await start("eval"), await start("eval")];
  const trains = [await start("train"), await start("train")];
  expect(evals).toEqual(["task-one-0", "task-two-0"]);
  for (const path of ["/export_batch", "/export_sessions"]) {
    const refused = await gateway.post(path, { session_ids: [...trains, ...evals] });
    expect([refused.refusal, refused.error["sessions"]]).toEqual([
      "409 wrong_split",
      evals.map((session_id) => expect.objectContaining({ session_id })),
    ]);
  }
  expect((await gateway.post("/export_sessions", { session_ids: evals, split: "eval" })).status).toBe(200);
  const shards = [0, 1].map((shard) =>
    gateway.post("/export_batch", { session_ids: evals, split: "eval", shards: 2, shard, acknowledge: true }),
  );
  expect((await Promise.all(shards)).map(readSplits)).toEqual([["eval"], ["eval"]]);
  expect(readSplits(await gateway.post("/export_batch", { session_ids: trains }))).toEqual(["train", "train"]);
});
