import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FrontSettings } from "../../src/gateway/front/front-settings.js";
import { findFreePort } from "../../src/scheduler/free-port.js";
import { rolltape, temporaryFolder } from "../cli/rolltape.js";
import { captureLog } from "../helpers/captured-log.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { KillableProcess } from "../helpers/killable-process.js";
import { hasNamespaces } from "../helpers/machines.js";
import { until } from "../helpers/until.js";
import { ENVOY, FRONT_PROXIES, type FrontProxy, HAPROXY } from "./front-proxies.js";
import { startLosable } from "./losable-worker.js";
import { takeAway } from "./returning-worker.js";
import { startScripted } from "./scripted-worker.js";
import { Gateway, startWorker } from "./workers.js";

/** An unmodified HAProxy or Envoy in front of workers and their gateway, with the configuration of `rolltape proxy-config`. */

const CHAT = "/v1/chat/completions";
const messages = [{ role: "user", content: "hello" }];

interface FrontOptions {
  readonly gateway: { readonly url: string };
  readonly secondGateway?: { readonly url: string };
  readonly workers: readonly { readonly tag: string; readonly url: string }[];
  readonly unreachableMilliseconds?: number;
}

const toSettings = (options: FrontOptions, listen: string): FrontSettings => {
  const { gateway, secondGateway, workers, unreachableMilliseconds = 2000 } = options;
  return {
    listen,
    gateways: [gateway, ...(secondGateway ? [secondGateway] : [])].map(({ url }) => new URL(url).host),
    workers: workers.map(({ tag, url }) => ({ tag, address: new URL(url).host })),
    unreachableMilliseconds,
  };
};

/** Starts a proxy. `update` gives it another configuration. */
async function startProxy(proxy: FrontProxy, options: FrontOptions) {
  const folder = temporaryFolder();
  const listen = `127.0.0.1:${await findFreePort()}`;
  proxy.write(toSettings(options, listen), folder);
  const running = await proxy.run(folder);
  const update = async (other: FrontOptions) => {
    proxy.write(toSettings(other, listen), folder);
    await running.reload();
  };
  return { url: `http://${listen}`, update };
}

function eachProxy(title: string, timeout: number, test: (proxy: FrontProxy) => void): void {
  for (const proxy of FRONT_PROXIES) {
    describe.skipIf(!proxy.isInstalled)(`${proxy.name}${title}`, { timeout }, () => {
      test(proxy);
    });
  }
}

const post = (url: string, key: string, body: object, signal?: AbortSignal) =>
  fetch(url + CHAT, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/**
 * Sends a chat call, and returns the tag that a scripted worker or gateway says.
 *
 * @param timeout rejects after so many milliseconds
 */
async function readTag(url: string, key: string, timeout?: number): Promise<string> {
  const answer = await post(url, key, {}, timeout === undefined ? undefined : AbortSignal.timeout(timeout));
  return ((await answer.json()) as { tag: string }).tag;
}

const keyOf = (tag: string) => `sk-${tag}.0123456789abcdef`;

/** A worker that says its tag to each of these paths. */
const startTagged = (tag: string, port?: number, paths: readonly string[] = [CHAT]) =>
  startScripted(tag, Object.fromEntries(paths.map((path) => [path, () => ({ body: { tag } })])), 0, port);

eachProxy("", 60_000, (proxy) => {
  const startFront = (options: FrontOptions) => startProxy(proxy, options);

  it("sends calls to the worker of their key, in each place that has keys, and all others to the gateway", async () => {
    const GENERATE = "/v1beta/models/any:generateContent";
    const paths = [
      CHAT,
      "/v1/messages",
      `/s/${keyOf("one")}/v1/messages`,
      `//S/${keyOf("one")}/v1/messages`,
      "/s/rk-run.signature/v1/messages",
      `${GENERATE}?key=${keyOf("two")}`,
      `/v1/models/any:generateContent?key=${keyOf("two")}`,
      `${CHAT}?key=${keyOf("two")}`,
      `${GENERATE}?key=sk-admin`,
    ];
    const [one, two] = [await startTagged("one", 0, paths), await startTagged("two", 0, paths)];
    const { url } = await startFront({ gateway: await startTagged("gateway", 0, paths), workers: [one, two] });
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(url + path, { method: "POST", headers, body: "{}" });
      return ((await answer.json()) as { tag: string }).tag;
    };
    expect(await ask(CHAT, { authorization: `Bearer ${keyOf("one")}` })).toBe("one");
    expect(await ask(CHAT, { authorization: `bearer   ${keyOf("two")}` })).toBe("two");
    expect(await ask("/v1/messages", { "x-api-key": keyOf("two") })).toBe("two");
    expect(await ask(CHAT, { "x-goog-api-key": keyOf("one") })).toBe("one");
    expect(await ask(`${GENERATE}?key=${keyOf("two")}`)).toBe("two");
    expect(await ask(`/v1/models/any:generateContent?key=${keyOf("two")}`)).toBe("two");
    // The key of another service beside the session's.
    expect(await ask(CHAT, { authorization: "Bearer sk-ant-oat01-abc.def", "x-api-key": keyOf("two") })).toBe("two");
    // The Bearer key is the first, and a key in the path replaces all others.
    expect(await ask(CHAT, { authorization: `Bearer ${keyOf("one")}`, "x-api-key": keyOf("two") })).toBe("one");
    expect(await ask(`/s/${keyOf("one")}/v1/messages`, { authorization: `Bearer ${keyOf("two")}` })).toBe("one");

    // The gateway reads such a path.
    expect(await ask(`//S/${keyOf("one")}/v1/messages`, { authorization: `Bearer ${keyOf("two")}` })).toBe("gateway");
    expect(await ask("/s/rk-run.signature/v1/messages", { "x-api-key": keyOf("two") })).toBe("gateway");
    const named = { "x-session-id": "any", "x-api-key": keyOf("two") };
    expect(await ask(CHAT, { ...named, authorization: `Bearer rk-run.${"a".repeat(43)}` })).toBe("gateway");
    expect(await ask(CHAT, named)).toBe("two");
    expect(await ask(`${CHAT}?key=${keyOf("two")}`)).toBe("gateway");
    expect(await ask(`${GENERATE}?key=sk-admin`)).toBe("gateway");
    expect(await ask(CHAT)).toBe("gateway");
    expect(await ask(CHAT, { authorization: `Basic ${keyOf("one")}` })).toBe("gateway");
    for (const key of [keyOf("three"), "sk-admin", "rk-run.signature", keyOf("ONE")]) {
      expect(await ask(CHAT, { authorization: `Bearer ${key}`, "x-session-id": "any" })).toBe("gateway");
    }
  });

  it("forwards calls and streams of SDKs", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const { url } = await startFront({ gateway, workers });
    const { key } = await gateway.session();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: "any",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
    });
    let chunks = 0;
    for await (const _ of stream) chunks++;
    expect(chunks).toBeGreaterThan(1);
    const other = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
    const body = { model: "any", max_tokens: 4, messages: [{ role: "user" as const, content: "hi" }] };
    expect((await other.messages.create(body)).role).toBe("assistant");
  });

  it("forwards each piece of a stream when it arrives", async () => {
    let goOn = () => {};
    const server = createServer((call, reply) => {
      if (call.url === "/health") return void reply.end('{"worker":{"tag":"one"}}');
      reply.write("first");
      goOn = () => reply.end("second");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => server.closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const worker = { tag: "one", url: `http://127.0.0.1:${port}` };
    const { url } = await startFront({ gateway: await startTagged("gateway"), workers: [worker] });
    const { body } = await post(url, keyOf("one"), {});
    const pieces = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await pieces?.read())?.value).toBe("first");
    goOn();
    expect((await pieces?.read())?.value).toBe("second");
    server.close();
  });

  it("forwards the answers of workers that refuse a call", async () => {
    const refusing = await startScripted("one", {
      [CHAT]: ({ n }) => ({ status: Number(n), headers: { "retry-after": "7" }, body: { error: { code: "said" } } }),
    });
    const { url } = await startFront({ gateway: await startTagged("gateway"), workers: [refusing] });
    for (const n of [413, 429, 500, 502, 503]) {
      const answer = await post(url, keyOf("one"), { n });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([n, "7"]);
      expect(await answer.json()).toEqual({ error: { code: "said" } });
    }
  });

  it("forwards the refusal of a body that is too large", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { url } = await startFront({ gateway, workers: [worker] });
    const { key } = await gateway.session();
    const send = () => post(url, key, { messages: [{ role: "user", content: "x".repeat(65 << 20) }] });
    // The worker closes the connection after an early refusal. A client that is still sending then sometimes misses the answer.
    const answer = await send().catch(send).catch(send);
    const { error } = (await answer.json()) as { error: { code: string } };
    expect(proxy.earlyRefusals).toContainEqual([answer.status, error.code]);
  });

  it("lets calls wait at the gateway while their worker is away, and sends them to it when it is back", async () => {
    const worker = await startWorker("one");
    const settings = { returnMilliseconds: 600_000, unreachableMilliseconds: 500 };
    const gateway = await Gateway.start({ urls: [worker.url] }, 1, undefined, undefined, settings);
    const { url } = await startFront({ gateway, workers: [worker], unreachableMilliseconds: 500 });
    const { key } = await gateway.session();
    expect((await post(url, key, { messages })).status).toBe(200);
    const comeBack = await takeAway(worker);
    const waiting = post(url, key, { messages });
    await until(() => gateway.pool.waiting === 1);
    await comeBack();
    expect((await waiting).status).toBe(200);
    expect((await post(url, key, { messages })).status).toBe(200);
  });

  const fate = proxy.cutsHangingCalls ? "cuts" : "keeps";
  it(`${fate} the calls of a worker that hangs, sends others to the gateway, and returns to it when it answers`, async () => {
    let hang = Promise.resolve();
    let goOn = () => {};
    const worker = await startScripted("one", {
      "/health": async () => {
        await hang;
        return { body: { status: "ok", worker: { tag: "one" } } };
      },
      [CHAT]: async () => {
        await hang;
        return { body: { tag: "one" } };
      },
    });
    const gateway = await startTagged("gateway");
    const { url } = await startFront({ gateway, workers: [worker], unreachableMilliseconds: 1000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await callOnce(url, agent)).toBe(200);
    hang = new Promise((resolve) => (goOn = resolve));
    const calls = Promise.all([callOnce(url, agent), callOnce(url, new Agent())]);
    if (proxy.cutsHangingCalls) await calls;
    await expect.poll(() => readTag(url, keyOf("one"), 500).catch(() => "none"), { timeout: 30_000 }).toBe("gateway");
    goOn();
    // HAProxy only closes a connection that had calls before, because clients repeat such calls.
    expect(await calls).toEqual(proxy.cutsHangingCalls ? ["socket hang up", 502] : [200, 200]);
    agent.destroy();
    await expect.poll(() => readTag(url, keyOf("one"))).toBe("one");
  });

  it.skipIf(!hasNamespaces)("cuts the calls of a worker whose machine is lost", async () => {
    let calls = 0;
    const worker = await startLosable("one", () => calls++);
    const gateway = await startTagged("gateway");
    const { url } = await startFront({ gateway, workers: [worker], unreachableMilliseconds: 1000 });
    const call = post(url, keyOf("one"), {});
    await until(() => calls === 1);
    worker.lose();
    expect((await call).status).toBe(502);
    expect(await readTag(url, keyOf("one"))).toBe("gateway");
  });

  it("does not send a call to another server at the address of a worker", async () => {
    const other = await startTagged("another");
    const gateway = await startTagged("gateway");
    const { url } = await startFront({ gateway, workers: [{ tag: "one", url: other.url }] });
    await expect.poll(() => readTag(url, keyOf("one"))).toBe("gateway");
  });

  it("answers 502 in OpenAI's form, and does not repeat the call, if the worker ends during it", async () => {
    const worker = await startScripted("one", { [CHAT]: () => "broken" });
    const gateway = await startTagged("gateway");
    const { url } = await startFront({ gateway, workers: [worker] });
    const answer = await post(url, keyOf("one"), {});
    const { status, headers } = answer;
    expect([status, headers.get("content-type"), headers.get("retry-after")]).toEqual([502, "application/json", "1"]);
    expect(await answer.json()).toMatchObject({ error: { type: "server_error", code: "worker_unavailable" } });
    expect([worker.calls.length, gateway.calls.length]).toEqual([1, 0]);
  });

  it("stops the engine when a client disconnects", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { url } = await startFront({ gateway, workers: [worker] });
    const { key, id } = await gateway.session();
    const { engine } = worker.proxy;
    engine.hold();
    const abort = new AbortController();
    const call = fetch(url + CHAT, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages }),
      signal: abort.signal,
    }).catch(() => undefined);
    await until(() => engine.calls.length === 1);
    abort.abort();
    await call;
    const session = worker.proxy.context.registry.get(id);
    await until(() => session.calls.size === 0);
    engine.pass();
    expect(session.interactionCount).toBe(0);
  });

  it("forwards a body that arrives slowly", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { url } = await startFront({ gateway, workers: [worker] });
    const { key } = await gateway.session();
    const body = JSON.stringify({ messages });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const head = `POST ${CHAT} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nconnection: close\r\n`;
    socket.write(`${head}content-length: ${body.length}\r\n\r\n`);
    for (const byte of body) {
      socket.write(byte);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
  });

  it("forwards calls of workers while the gateway is away", async () => {
    const worker = await startTagged("one");
    const gateway = { url: `http://127.0.0.1:${await findFreePort()}` };
    const { url } = await startFront({ gateway, workers: [worker] });
    expect(await readTag(url, keyOf("one"))).toBe("one");
  });

  it("sends calls to the second gateway while the first one is away", async () => {
    const gateway = await startTagged("first");
    const secondGateway = await startTagged("second");
    const away = { tag: "one", url: `http://127.0.0.1:${await findFreePort()}` };
    const { url } = await startFront({ gateway, secondGateway, workers: [away], unreachableMilliseconds: 500 });
    const ask = () => Promise.all(["sk-admin", keyOf("one")].map((key) => readTag(url, key)));
    await expect.poll(ask).toEqual(["first", "first"]);
    await gateway.kill();
    await expect.poll(ask).toEqual(["second", "second"]);
    await startTagged("first", gateway.port);
    await expect.poll(ask).toEqual(["first", "first"]);
  });

  it("answers in OpenAI's form if neither the worker nor the gateway can be reached", async () => {
    const address = `http://127.0.0.1:${await findFreePort()}`;
    const { url } = await startFront({ gateway: { url: address }, workers: [{ tag: "one", url: address }] });
    for (const key of [keyOf("one"), "sk-admin"]) {
      const answer = await post(url, key, {});
      const { status, headers } = answer;
      expect([status, headers.get("content-type"), headers.get("retry-after")]).toEqual([503, "application/json", "1"]);
      expect(await answer.json()).toMatchObject({ error: { type: "server_error", code: "worker_unavailable" } });
    }
  });

  it("drops no call when it loads another configuration", async () => {
    let endLongCall = () => {};
    const longCall = new Promise<void>((resolve) => (endLongCall = resolve));
    const worker = await startScripted("one", {
      [CHAT]: async ({ isLong }) => {
        if (isLong === true) await longCall;
        return { body: { tag: "one" } };
      },
    });
    const gateway = await startTagged("gateway");
    const others = [await startTagged("two"), await startTagged("three")] as const;
    const front = await startFront({ gateway, workers: [worker] });
    const { url } = front;
    const long = post(url, keyOf("one"), { isLong: true });
    await until(() => worker.calls.length === 1);
    let isDone = false;
    const results: (number | string)[] = [];
    const work = async (keepAlive: boolean) => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      while (!isDone) results.push(await callOnce(url, agent));
      agent.destroy();
    };
    const load = Promise.all(Array.from({ length: 16 }, (_, n) => work(n % 2 === 0)));
    for (let reload = 0; reload < 10; reload++) {
      const other = others[reload % 2 === 0 ? 0 : 1];
      await front.update({ gateway, workers: [worker, other] });
      await expect.poll(() => readTag(url, keyOf(other.tag))).toBe(other.tag);
    }
    isDone = true;
    await load;
    expect(new Set(results)).toEqual(new Set([200]));
    endLongCall();
    expect((await long).status).toBe(200);
  });
});

describe.skipIf(!ENVOY.isInstalled || !hasNamespaces)("Envoy, before it notices that a machine is lost", () => {
  it.each([
    ["sends a call to the gateway", 3, 200],
    ["refuses a call of which more than 4 MiB have arrived", 32, 503],
  ])("%s if it gets no connection to the worker", { timeout: 60_000 }, async (_, mebibytes, status) => {
    const worker = await startLosable("one", () => {});
    const gateway = await startTagged("gateway");
    const { url } = await startProxy(ENVOY, { gateway, workers: [worker], unreachableMilliseconds: 60_000 });
    worker.lose();
    const answer = await post(url, keyOf("one"), { text: "x".repeat(mebibytes << 20) });
    expect([answer.status, gateway.calls.length]).toEqual([status, status === 200 ? 1 : 0]);
  });
});

/** Sends a chat call without `fetch`, which repeats calls on connections that were closed. Returns the status, or the error. */
function callOnce(url: string, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${keyOf("one")}`, "content-length": "2" };
    const call = request(url + CHAT, { method: "POST", agent, headers }, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode ?? 0));
    });
    call.on("error", (error) => resolve(error.message)).end("{}");
  });
}

describe.skipIf(!HAPROXY.isInstalled)("HAProxy, with run keys", { timeout: 60_000 }, () => {
  const GENERATE = "/v1beta/models/any:generateContent";
  const RUN = `rk-run.${"s".repeat(43)}`;
  const IN_PATH = `/s/${RUN}/v1/messages`;
  const PATHS = [CHAT, IN_PATH, `/${IN_PATH}`, `${GENERATE}?key=${RUN}`];
  const bearer = { authorization: `Bearer ${RUN}` };

  /** A gateway that names worker `two` in each answer. */
  const startGateway = () => {
    const answer = () => ({ body: { tag: "gateway" }, headers: { "x-rolltape-worker": "two" } });
    return startScripted("gateway", Object.fromEntries(PATHS.map((path) => [path, answer])));
  };

  const ask = async (
    url: string,
    session: string | undefined,
    headers: Record<string, string> = bearer,
    path = CHAT,
  ) => {
    // A connection of its own: after an update, another one may lead to the proxy's old process.
    const named = { ...headers, connection: "close", ...(session !== undefined && { "x-session-id": session }) };
    const answer = await fetch(url + path, { method: "POST", headers: named, body: "{}" });
    expect(answer.headers.get("x-rolltape-worker")).toBeNull();
    return ((await answer.json()) as { tag: string }).tag;
  };

  it("sends later calls of a session to the worker that the gateway named, by run key and X-Session-ID", async () => {
    const workers = [await startTagged("one", 0, PATHS), await startTagged("two", 0, PATHS)];
    const { url } = await startProxy(HAPROXY, { gateway: await startGateway(), workers });
    expect(await ask(url, "a")).toBe("gateway");
    expect(await ask(url, "a")).toBe("two");
    expect(await ask(url, "a", { authorization: `bearer  ${RUN}` })).toBe("two");
    expect(await ask(url, "a", { "x-api-key": RUN })).toBe("two");
    expect(await ask(url, "a", { "x-goog-api-key": RUN })).toBe("two");
    expect(await ask(url, "a", {}, `${GENERATE}?key=${RUN}`)).toBe("two");
    expect(await ask(url, "a", {}, IN_PATH)).toBe("two");
    expect(await ask(url, "b")).toBe("gateway");
    expect(await ask(url, "a", { authorization: `Bearer ${RUN.replace("run", "other")}` })).toBe("gateway");
  });

  it("sends calls without X-Session-ID to the gateway, and those of a session key to its worker", async () => {
    const one = await startTagged("one");
    const { url } = await startProxy(HAPROXY, { gateway: await startTagged("gateway"), workers: [one] });
    for (let i = 0; i < 2; i++) expect(await ask(url, undefined)).toBe("gateway");
    expect(await ask(url, "a", { authorization: `Bearer ${keyOf("one")}` })).toBe("one");
  });

  it("sends calls to the gateway while their worker is away, or is not one of the workers", async () => {
    const [two, gateway] = [await startTagged("two"), await startGateway()];
    const { url, update } = await startProxy(HAPROXY, { gateway, workers: [two], unreachableMilliseconds: 500 });
    expect([await ask(url, "a"), await ask(url, "a")]).toEqual(["gateway", "two"]);
    await two.kill();
    expect(await ask(url, "a")).toBe("gateway");
    await startTagged("two", two.port);
    const askedOf = async (tag: string) => {
      while ((await ask(url, "a")) !== tag) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await askedOf("two");
    await update({ gateway, workers: [await startTagged("one")] });
    // The process before the update still answers on a connection that it has.
    await askedOf("gateway");
    expect(await ask(url, "a")).toBe("gateway");
  });

  it.each([404, 429])("asks the gateway again after its worker has answered %s", async (status) => {
    const two = await startScripted("two", { [CHAT]: () => ({ status, body: { tag: "two" } }) });
    const { url } = await startProxy(HAPROXY, { gateway: await startGateway(), workers: [two] });
    const tags: string[] = [];
    for (let i = 0; i < 4; i++) tags.push(await ask(url, "a"));
    expect(tags).toEqual(["gateway", "two", "gateway", "two"]);
  });

  it("asks the gateway again after the gateway itself has refused the call for its worker", async () => {
    const headers = { "x-rolltape-worker": "two" };
    const gateway = await startScripted("gateway", {
      [CHAT]: () => ({ status: 429, body: { tag: "gateway" }, headers }),
    });
    const { url } = await startProxy(HAPROXY, { gateway, workers: [await startTagged("two")] });
    expect([await ask(url, "a"), await ask(url, "a")]).toEqual(["gateway", "gateway"]);
  });

  it("does not take a call with another key for one of a known session", async () => {
    const { url } = await startProxy(HAPROXY, { gateway: await startGateway(), workers: [await startTagged("two")] });
    expect(await ask(url, "c", { authorization: `Bearer ${RUN}.b`, "x-api-key": RUN })).toBe("gateway");
    expect(await ask(url, "b.c")).toBe("gateway");
    expect(await ask(url, "b.c")).toBe("two");
  });

  it("prefers the key that servers prefer, if a call has several", async () => {
    const [one, two] = [await startTagged("one", 0, PATHS), await startTagged("two", 0, PATHS)];
    const { url } = await startProxy(HAPROXY, { gateway: await startGateway(), workers: [one, two] });
    const withKeyOfOne = { ...bearer, "x-api-key": keyOf("one") };
    expect([await ask(url, "a", withKeyOfOne), await ask(url, "a", withKeyOfOne)]).toEqual(["gateway", "two"]);
    const other = { authorization: `Bearer ${keyOf("one")}`, "x-api-key": RUN };
    expect([await ask(url, "b", other), await ask(url, "b", other)]).toEqual(["gateway", "two"]);
    for (const session of [undefined, ""]) expect(await ask(url, session, withKeyOfOne)).toBe("one");
    expect(await ask(url, "c", { authorization: `Bearer ${keyOf("one")}` }, `/${IN_PATH}`)).toBe("gateway");
  });

  it("reads the first of several Authorization headers, as servers do", async () => {
    const [one, gateway] = [await startTagged("one"), await startTagged("gateway")];
    const { url } = await startProxy(HAPROXY, { gateway, workers: [one] });
    const keys = ["authorization", `Bearer ${RUN}`, "authorization", `Bearer ${keyOf("one")}`];
    const headers = [...keys, "x-session-id", "a", "host", new URL(url).host, "connection", "close"];
    const call = request(url + CHAT, { method: "POST", headers });
    call.end();
    await once(call, "response");
    expect([one.calls.length, gateway.calls.length]).toEqual([0, 1]);
  });

  it("keeps sending a known session to its worker while the gateway is away", async () => {
    const gateway = await startGateway();
    const { url } = await startProxy(HAPROXY, { gateway, workers: [await startTagged("two")] });
    expect([await ask(url, "a"), await ask(url, "a")]).toEqual(["gateway", "two"]);
    await gateway.kill();
    expect(await ask(url, "a")).toBe("two");
  });

  it("records the calls of each session on one worker", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const { logger, lines } = captureLog();
    const options = { logger, accessLog: true };
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) }, 60, 1 << 26, true, options);
    await gateway.post("/grant_capacity", { slots: 40 });
    const { run_api_key: key } = (await gateway.post("/rl/start_run", {})).json<{ run_api_key: string }>();
    const { url } = await startProxy(HAPROXY, { gateway, workers });
    const names = Array.from({ length: 16 }, (_, index) => `s-${index}`);
    const send = async (name: string, more: Record<string, string> = {}) => {
      const type = { "content-type": "application/json" };
      const headers = { authorization: `Bearer ${key}`, ...type, "x-session-id": name, ...more };
      const answer = await fetch(url + CHAT, { method: "POST", headers, body: JSON.stringify({ messages }) });
      expect(answer.status).toBe(200);
    };
    for (let turn = 0; turn < 3; turn++) for (const name of names) await send(name);
    const counts = workers.map(({ proxy }) =>
      [...proxy.context.registry.all()].map(({ interactionCount }) => interactionCount),
    );
    expect(counts.flat()).toEqual(names.map(() => 3));
    for (const sessions of counts) expect(sessions.length).toBeGreaterThan(0);
    expect(lines.filter((line) => JSON.stringify(line).includes(CHAT))).toHaveLength(names.length);
    const { key: other } = await gateway.session();
    for (const name of names) await send(name, { "x-api-key": other });
    const all = workers.flatMap(({ proxy }) => [...proxy.context.registry.all()]);
    expect(all.map(({ interactionCount }) => interactionCount).sort((a, b) => a - b)).toEqual([
      0,
      ...names.map(() => 4),
    ]);
  });
});

eachProxy(" with rolltape proxy-config", 120_000, (proxy) => {
  it("loads workers that come and go, without dropping a call, and a killed worker's call is answered", async () => {
    const root = temporaryFolder();
    const folder = join(root, "workers");
    const env = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-the-front-test" };
    const serve = async (tag: string) => {
      const args = ["serve", "server.port=0", `server.worker_tag=${tag}`, `server.workers_folder=${folder}`];
      const worker = new KillableProcess(tag, [...args, `storage.directory=${join(root, tag)}`], env);
      await worker.start();
      return worker;
    };
    const one = await serve("one");
    const gateway = rolltape(
      ["gateway", "server.port=0", `gateway.workers_folder=${folder}`, "gateway.worker_return_seconds=60"],
      env,
    );
    const { url: gatewayUrl } = await gateway.line<{ url: string }>();
    const configuration = temporaryFolder();
    const listen = `127.0.0.1:${await findFreePort()}`;
    const settings = [`gateway.workers_folder=${folder}`, "gateway.unreachable_seconds=5"];
    const addresses = ["--gateway", gatewayUrl, "--listen", listen];
    const writing = proxy.watchOptions(configuration);
    const writer = rolltape(["proxy-config", proxy.command, ...settings, ...addresses, ...writing]);
    await writer.logged("watching the workers");
    const running = await proxy.run(configuration);
    const url = `http://${listen}`;
    const { key } = await new HttpTrainer(url, env.ROLLTAPE_ADMIN_API_KEY).openSession();
    expect(key.startsWith("sk-one.")).toBe(true);

    let isDone = false;
    const statuses: number[] = [];
    const load = (async () => {
      while (!isDone) statuses.push((await post(url, key, { messages, max_tokens: 2 })).status);
    })();
    const hasWorker = (tag: string) =>
      readFileSync(join(configuration, proxy.workersFile), "utf8").includes(` worker_${tag}`);
    const two = await serve("two");
    await until(() => hasWorker("two"));
    await two.stop();
    await until(() => !hasWorker("two") && running.loads() === 3);
    const { length } = statuses;
    await until(() => statuses.length > length + 20);
    isDone = true;
    await load;
    expect(new Set(statuses)).toEqual(new Set([200]));

    await one.kill();
    const waiting = post(url, key, { messages, max_tokens: 2 });
    await one.start();
    expect((await waiting).status).toBe(200);
    await one.stop();
    writer.process.kill("SIGTERM");
    gateway.process.kill("SIGTERM");
    expect((await writer.ended).code).toBe(0);
  });
});
