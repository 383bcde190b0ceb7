import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AREAL_BODIES, AREAL_EMPTY } from "../helpers/areal-bodies.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

const USER = [{ role: "user", content: "hello" }];

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
  await proxy.chat(session, USER);
});
afterEach(() => proxy.close());

/** Posts with the kind of key that the call requires. */
function post(path: string, body: object, to = proxy, as = session): Promise<Reply> {
  const isAgents = ["/rl/set_reward", "/rl/end_session", "/rl/current_session"].includes(path);
  return to.post(path, body, ...(isAgents ? [as.key] : []));
}

const TYPOS = [
  ["/grant_capacity", { slot: 2 }, "slot", "slots"],
  ["/rl/start_session", { taks_id: "math" }, "taks_id", "task_id"],
  ["/rl/set_reward", { reward: 1, interation_id: "chatcmpl-1" }, "interation_id", "interaction_id"],
  ["/rl/set_reward", { rewrad: 1 }, "rewrad", "reward"],
  ["/rl/set_version", { verison: 3 }, "verison", "version"],
  ["/rl/cordon", { worke: "a" }, "worke", "worker"],
  ["/rl/engine/drain", { url: "http://a", wait: 5 }, "wait", "wait_seconds"],
  ["/rl/engine/restore", { uri: "http://a" }, "uri", "url"],
  ["/rl/engine/pause", { mdoe: "keep" }, "mdoe", "mode"],
  ["/export_trajectories", { session_id: "task-0", discont: 0.9 }, "discont", "discount"],
  ["/export_trajectories", { sessionId: "task-0" }, "sessionId", "session_id"],
  ["/export_batch", { session_ids: ["task-0"], discont: 0.9 }, "discont", "discount"],
  ["/export_batch", { session_ids: ["task-0"], pad_token: 5 }, "pad_token", "pad_token_id"],
  ["/export_batch/ready", { session_ids: ["task-0"], wait: 1 }, "wait", "wait_seconds"],
  ["/export_batch/prepare", { session_ids: ["task-0"], hold_second: 1 }, "hold_second", "hold_seconds"],
  ["/export_batch/1/settle", { outcom: "taken" }, "outcom", "outcome"],
] as const;

describe("an unknown field of a control body", () => {
  it.each(TYPOS)("%s %j is refused with the nearest known name", async (path, body, param, nearest) => {
    const reply = await post(path, body);
    expect(reply.refusal).toBe("400 unknown_parameter");
    expect(reply.error).toMatchObject({
      param,
      message: `Unrecognized request argument: \`${param}\`. Did you mean \`${nearest}\`?`,
    });
  });

  it.each(["/rl/end_session"])("of %s, which has no fields, is refused", async (path) => {
    const reply = await post(path, { force: true });
    expect([reply.refusal, reply.error.param]).toEqual(["400 unknown_parameter", "force"]);
    expect(reply.error.message).toBe("Unrecognized request argument: `force`. This call takes no parameters.");
  });

  it("is refused by every control and export call that the API describes", async () => {
    const { paths } = (await proxy.request({ url: "/openapi.json" })).json<{ paths: Record<string, object> }>();
    const calls = Object.entries(paths).flatMap(([path, methods]) => ("post" in methods ? [path] : []));
    const control = calls.filter((path) => !/completions|inference|responses|messages|v1beta/.test(path));
    expect(control.length).toBeGreaterThan(12);
    for (const path of control) {
      const { refusal, error } = await post(path.replace("{id}", "1"), { wizard: 1 });
      expect([path, refusal, error.param]).toEqual([path, "400 unknown_parameter", "wizard"]);
    }
  });

  it("changes nothing if it is refused", async () => {
    await proxy.reward(session, 0.25);
    await post("/rl/set_reward", { reward: 1, interation_id: "chatcmpl-1" });
    await post("/grant_capacity", { slot: 2 });
    expect((await proxy.post("/rl/start_session", {})).refusal).toBe("429 no_capacity");
    await post("/rl/end_session", { force: true });
    expect((await proxy.chat(session, USER)).status).toBe(200);
    await proxy.end(session);
    await post("/export_trajectories", { session_id: session.id, discont: 0.5 });
    const { interactions } = (await proxy.export(session)).json<{ interactions: Record<string, { reward: number }> }>();
    expect(Object.values(interactions).map(({ reward }) => reward)).toEqual([0.25, 0]);
  });

  it("is shortened in the error if its name is long", async () => {
    const { refusal, error } = await post("/grant_capacity", { [`slots${"x".repeat(60_000)}`]: 1 });
    expect(refusal).toBe("400 unknown_parameter");
    expect(error.message.length).toBeLessThan(300);
    expect(error.param?.length).toBeLessThan(300);
  });

  it("counts as absent if it is null", async () => {
    expect((await post("/grant_capacity", { slot: null })).json()).toEqual({ capacity: 1 });
    expect((await post("/rl/set_reward", { reward: 1, interation_id: null })).status).toBe(200);
    expect((await post("/rl/end_session", { force: null })).status).toBe(200);
    expect((await post("/export_batch", { session_ids: [session.id], discont: null })).status).toBe(200);
  });
});

describe("AReaL's client", () => {
  it.each(AREAL_BODIES)("(%s) can send every body that it sends to AReaL's server", async (_, bodies) => {
    const started = (await proxy.post("/grant_capacity", {})).status;
    const reply = await proxy.post("/rl/start_session", bodies.start);
    const { session_id: id, api_key: key } = reply.json<{ session_id: string; api_key: string }>();
    const chat = await proxy.chat({ id, key }, USER);
    const rewards = [bodies.reward, bodies.rewardOf(chat.json<{ id: string }>().id)];
    const set = [];
    for (const reward of rewards) set.push((await proxy.post("/rl/set_reward", reward, key)).status);
    const ended = (await proxy.post("/rl/end_session", {}, key)).status;
    const exported = await proxy.post("/export_trajectories", bodies.exported(id));
    expect([started, reply.status, ...set, ended, exported.status]).toEqual([200, 200, 200, 200, 200, 200]);
    expect(Object.values(exported.json<{ interactions: object }>().interactions)).toMatchObject([{ own_reward: 1 }]);
  });

  it("may send no body, an empty body and null", async () => {
    for (const { headers = {}, body } of AREAL_EMPTY) {
      const sent = { method: "POST", headers, ...(body === undefined ? {} : { payload: body }) } as const;
      const granted = await proxy.request({ ...sent, url: "/grant_capacity" });
      const ended = await proxy.request({ ...sent, url: "/rl/end_session" }, session.key);
      expect([headers, body, granted.status, ended.status]).toEqual([headers, body, 200, 200]);
    }
  });

  it("may send drop_retry_orphans, which changes nothing", async () => {
    await proxy.end(session);
    const ask = (extra: object) => proxy.post("/export_batch", { session_ids: [session.id], ...extra });
    const [plain, asked] = [await ask({}), await ask({ drop_retry_orphans: true })];
    expect([plain.status, asked.status]).toEqual([200, 200]);
    expect(asked.raw.equals(plain.raw)).toBe(true);
  });
});

describe("server.strict_control_fields: false", () => {
  it.each(TYPOS)("ignores the unknown field of %s %j", async (path, body, param) => {
    const lenient = await Proxy.start({ settings: { strictControlFields: false } });
    const started = await lenient.session();
    const { [param]: _, ...known } = body as Record<string, unknown>;
    const [misspelled, without] = [await post(path, body, lenient, started), await post(path, known, lenient, started)];
    expect(misspelled.refusal).not.toBe("400 unknown_parameter");
    expect(misspelled.refusal).toBe(without.refusal);
    await lenient.close();
  });

  it("still checks known fields, and does not apply to model calls", async () => {
    const lenient = await Proxy.start({ settings: { strictControlFields: false } });
    const started = await lenient.session();
    await lenient.chat(started, USER);
    await lenient.end(started);
    const ask = (extra: object) => lenient.post("/export_batch", { session_ids: [started.id], ...extra });
    expect((await ask({ discont: 0.5, discount: 2 })).refusal).toBe("400 invalid_value");
    expect(readSafetensors((await ask({ discont: 0.5 })).raw).metadata["discount"]).toBe("1");
    expect((await lenient.chat(await lenient.session(), USER, { temprature: 1 })).refusal).toBe(
      "400 unknown_parameter",
    );
    await lenient.close();
  });
});
