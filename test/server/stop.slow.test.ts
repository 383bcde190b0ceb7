import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { drain, type StopReport } from "../../src/server/drain.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { ADMIN_KEY, type Proxy, type ProxyOptions, type StartedSession } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";

/** Stops a server while it sends answers. */

const ADMIN: StartedSession = { id: "", key: ADMIN_KEY };
const CHAT = { path: "/v1/chat/completions", body: { model: "tiny", messages: [{ role: "user", content: "hello" }] } };

/** Padding that makes a batch of one row larger than all buffers between server and client. */
const PADDING = 2_000_000;

async function start(shutdownSeconds: number, options: ProxyOptions<ScriptedEngine> = {}) {
  const { proxy, url } = await listeningProxy({ ...options, settings: { shutdownSeconds } });
  const session = await proxy.session();
  const logger = pino({ level: "silent" });
  const errors = vi.spyOn(logger, "error");
  let report: StopReport | undefined;
  const stop = async () => (report = await drain(proxy.context, logger));
  return { proxy, url: new URL(url), session, errors, stop, report: () => report };
}

async function endedSession(proxy: Proxy, session: StartedSession): Promise<void> {
  await proxy.chat(session, CHAT.body.messages);
  await proxy.end(session);
}

/** Asks for a large export and reads nothing of it. Resolves when the server writes it. */
async function askForExport(proxy: Proxy, url: URL, { id }: StartedSession): Promise<RawClient> {
  const client = new RawClient(url, ADMIN);
  client.send({ path: "/export_batch", body: { session_ids: [id], pad_to_multiple_of: PADDING } });
  await until(() => proxy.context.registry.get(id).state === "exported");
  return client;
}

it("waits until a slow client has the whole batch", async () => {
  const { proxy, url, session, stop, report } = await start(3600);
  await endedSession(proxy, session);
  const client = await askForExport(proxy, url, session);
  const stopped = stop();
  expect(report()).toBeUndefined();
  client.read();
  await until(() => client.socket.readableEnded);
  client.leave();
  expect(await stopped).toEqual({ abortedCalls: 0, lostSessions: [], cutAnswers: [], lostChanges: 0, complete: true });
  const [head = "", body = ""] = client.received.split("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  expect(length).toBeGreaterThan(16 * PADDING);
  expect(client.received.length).toBe(head.length + 4 + length);
  expect(body).not.toBe("");
});

it("cuts the batch at the limit, and logs its bytes and its session", async () => {
  const { proxy, url, session, stop, errors } = await start(0);
  await endedSession(proxy, session);
  const client = await askForExport(proxy, url, session);
  const { complete, lostSessions, cutAnswers } = await stop();
  expect({ complete, lostSessions }).toEqual({ complete: false, lostSessions: [session.id] });
  expect(cutAnswers).toEqual([
    { route: "POST /export_batch", bytesSent: expect.any(Number), bytes: expect.any(Number), sessions: [session.id] },
  ]);
  const [cut] = cutAnswers;
  const { bytesSent, bytes } = { bytesSent: cut?.bytesSent ?? 0, bytes: cut?.bytes ?? 0 };
  expect(bytes).toBeGreaterThan(16 * PADDING);
  expect(bytesSent).toBeLessThan(bytes);
  expect(bytesSent).toBeGreaterThan(0);
  const [[logged] = []] = errors.mock.calls;
  expect(logged).toMatchObject({ ids: [session.id], cutAnswers: [{ route: "POST /export_batch", bytesSent, bytes }] });
  client.leave();
});

it("waits until a stream has ended, and cuts it at the limit", async () => {
  const { proxy, url, session, stop, report } = await start(3600);
  const release = proxy.engine.hold();
  const client = new RawClient(url, session);
  client.read();
  client.send({ ...CHAT, body: { ...CHAT.body, stream: true } });
  await until(() => proxy.engine.calls.length === 1);
  const stopped = stop();
  expect(report()).toBeUndefined();
  release();
  await until(() => client.socket.readableEnded);
  client.leave();
  expect(client.received).toMatch(/connection: close.*data: \[DONE\]/is);
  expect((await stopped).cutAnswers).toEqual([]);
});

it("sends an error to calls that it aborts at the limit", async () => {
  const { proxy, url, session, stop } = await start(0);
  proxy.engine.hold();
  const client = new RawClient(url, session);
  client.read();
  client.send(CHAT);
  await until(() => proxy.engine.calls.length === 1);
  expect(await stop()).toMatchObject({ abortedCalls: 1, cutAnswers: [], complete: true });
  await until(() => client.received.includes("call_aborted"));
});

it("closes idle connections at once, and other connections after their answers", async () => {
  const { proxy, url, session, stop } = await start(3600);
  await endedSession(proxy, session);
  const idle = await openConnection(url.port, requestHead("GET", "/livez"));
  await until(() => idle.received().includes("200 OK"));
  expect(idle.received()).toMatch(/connection: keep-alive/i);
  const stopped = stop();
  await until(idle.ended);
  const late = await openConnection(url.port, requestHead("GET", "/livez"));
  await until(late.ended);
  expect(late.received()).toMatch(/200 OK.*connection: close/is);
  expect((await proxy.export(session)).status).toBe(200);
  expect((await stopped).complete).toBe(true);
});

it("is incomplete if an ended session was not exported, but not if an active one was not", async () => {
  const { proxy, session, stop } = await start(0);
  await proxy.chat(session, CHAT.body.messages);
  expect(await stop()).toMatchObject({ lostSessions: [session.id], complete: true });
  await proxy.end(session);
  expect(await stop()).toMatchObject({ lostSessions: [session.id], complete: false });
});
