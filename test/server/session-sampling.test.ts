import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { Gateway, startWorker } from "../gateway/workers.js";
import { Proxy, type ProxyOptions, type StartedSession } from "../helpers/proxy.js";

/** `sampling_override` of /rl/start_session. */

const USER = [{ role: "user", content: "hello" }];
const HEADER = "x-rolltape-sampling-override";

async function start(options: ProxyOptions<never> = {}): Promise<Proxy> {
  const proxy = await Proxy.start(options as ProxyOptions<Proxy["engine"]>);
  onTestFinished(() => proxy.close());
  return proxy;
}

const startWith = (proxy: Proxy, sampling_override: unknown) => proxy.post("/rl/start_session", { sampling_override });
const readRecord = async (proxy: Proxy, { id }: Pick<StartedSession, "id">) =>
  (await proxy.request({ url: `/rl/sessions/${id}` })).json<{ sampling_override: unknown }>();

describe("sampling_override of /rl/start_session", () => {
  it("replaces the values of requests and of the configuration in each call of its session, and in no other", async () => {
    const proxy = await start({ settings: { samplingOverride: { temperature: 0.5, topP: 0.9 } } });
    const fixed = await proxy.session({ sampling_override: { temperature: 1, top_k: -1, max_tokens: 2 } });
    const other = await proxy.session();
    const asked = { temperature: 0.3, top_p: 0.4, top_k: 7, max_tokens: 9 };
    const reply = await proxy.chat(fixed, USER, asked);
    expect([reply.status, reply.headers[HEADER]]).toEqual([200, "temperature, top_p, top_k, max_tokens"]);
    await proxy.chat(fixed, [{ role: "user", content: "again" }], asked);
    await proxy.chat(other, USER, asked);
    const used = { temperature: 1, topP: 0.9, topK: 0, maxTokens: 2 };
    expect(proxy.engine.calls.map(({ sampling }) => sampling)).toMatchObject([
      used,
      used,
      { temperature: 0.5, topP: 0.9, topK: 7, maxTokens: 9 },
    ]);
    const { sampling } = proxy.context.registry.get(fixed.id).interaction(0);
    expect(sampling).toMatchObject({ ...used, overridden: true });
  });

  it.each([
    [{ temperature: 2.1 }, "invalid_value", "sampling_override.temperature"],
    [{ top_p: 0 }, "invalid_value", "sampling_override.top_p"],
    [{ max_tokens: 0 }, "invalid_value", "sampling_override.max_tokens"],
    [{ ignore_eos: "yes" }, "invalid_value", "sampling_override.ignore_eos"],
    [{ temperatur: 1 }, "unknown_parameter", "sampling_override.temperatur"],
    ["greedy", "invalid_value", "sampling_override"],
  ])("refuses %j, and takes no slot", async (override, code, param) => {
    const proxy = await start();
    await proxy.post("/grant_capacity", {});
    const { status, error } = await startWith(proxy, override);
    expect([status, error.code, error.param]).toEqual([400, code, param]);
    expect(proxy.context.registry.capacity).toBe(1);
  });

  it("is checked together with a request: min_tokens and stop strings exclude each other", async () => {
    const proxy = await start();
    const session = await proxy.session({ sampling_override: { min_tokens: 2 } });
    const { error } = await proxy.chat(session, USER, { stop: ["x"] });
    expect(error).toMatchObject({ code: "invalid_value", param: "min_tokens" });
  });

  it("is shown by the record of the session, without values that are null", async () => {
    const proxy = await start();
    const session = await proxy.session({ sampling_override: { temperature: 0, top_p: null, seed: 5 } });
    expect(await readRecord(proxy, session)).toMatchObject({ sampling_override: { temperature: 0, seed: 5 } });
    const plain = await proxy.session({ sampling_override: { top_p: null } });
    expect((await readRecord(proxy, plain)).sampling_override).toBeNull();
  });

  it("survives a restart between the start and the first call", async () => {
    const storage = { directory: temporaryFolder() };
    const first = await Proxy.start({ storage });
    const session = await first.session({ sampling_override: { temperature: 0.25 } });
    await first.close();
    const second = await start({ storage });
    await second.chat(session, USER, { temperature: 1 });
    expect(second.engine.calls[0]?.sampling.temperature).toBe(0.25);
    expect(await readRecord(second, session)).toMatchObject({ sampling_override: { temperature: 0.25 } });
  });

  it("works through a gateway", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const session = await gateway.session({ sampling_override: { temperature: 0.25 } });
    await gateway.chat(session.key, "hello", { temperature: 1 });
    expect(worker.proxy.engine.calls[0]?.sampling.temperature).toBe(0.25);
    const refused = await gateway.post("/rl/start_session", { sampling_override: { temperature: 9 } });
    expect(refused.error).toMatchObject({ code: "invalid_value", param: "sampling_override.temperature" });
  });
});
