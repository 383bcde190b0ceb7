import { connect } from "node:net";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import type { Readiness } from "../../../src/http/probes/probe-answers.js";
import { ProbePort } from "../../../src/http/probes/probe-port.js";
import { probeWhileBlocked } from "../../helpers/probe-while-blocked.js";
import { until } from "../../helpers/until.js";

const READY: Readiness = { statusCode: 200, body: { status: "ok", warnings: ["a reason"] } };

async function open(options: { port?: number; stallSeconds?: number } = {}): Promise<ProbePort> {
  const settings = { host: "127.0.0.1", port: 0, stallSeconds: 3600, logger: pino({ level: "silent" }), ...options };
  const probes = await ProbePort.open(settings);
  if (!probes) throw new Error("there is no port for probes");
  onTestFinished(() => probes.close());
  return probes;
}

async function get({ url }: ProbePort, path: string, init?: RequestInit) {
  const reply = await fetch(url + path, init);
  return [reply.status, (await reply.json()) as unknown];
}

it("is alive but not ready until it is started", async () => {
  const probes = await open();
  expect(await get(probes, "/livez")).toEqual([200, { status: "ok" }]);
  expect(await get(probes, "/readyz")).toEqual([503, { status: "starting" }]);
  await probes.start(() => READY);
  await expect.poll(() => get(probes, "/readyz")).toEqual([200, READY.body]);
  expect(await get(probes, "/health?verbose")).toEqual([200, READY.body]);
});

it("answers HEAD, and refuses other methods and paths with 404", async () => {
  const probes = await open();
  const head = await fetch(`${probes.url}/livez`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const refusal = { error: expect.objectContaining({ code: "not_found" }) as unknown };
  expect(await get(probes, "/metrics")).toEqual([404, refusal]);
  expect(await get(probes, "/livez", { method: "POST", body: "{}" })).toEqual([404, refusal]);
});

it("reports a change at once when it is asked to", async () => {
  const probes = await open();
  let readiness = READY;
  await probes.start(() => readiness);
  readiness = { statusCode: 503, body: { status: "draining" } };
  await probes.refresh();
  await expect.poll(() => get(probes, "/readyz")).toEqual([503, { status: "draining" }]);
  expect(await get(probes, "/livez")).toEqual([200, { status: "ok" }]);
});

it("drops a report that is older than the last one", async () => {
  const probes = await open();
  let readiness: Readiness | Promise<Readiness> = READY;
  await probes.start(() => readiness);
  let answerEarly: (readiness: Readiness) => void = () => undefined;
  readiness = new Promise((resolve) => (answerEarly = resolve));
  const early = probes.refresh();
  readiness = { statusCode: 503, body: { status: "draining" } };
  await probes.refresh();
  answerEarly(READY);
  await early;
  await expect.poll(() => get(probes, "/readyz")).toEqual([503, { status: "draining" }]);
  expect(await get(probes, "/readyz")).toEqual([503, { status: "draining" }]);
});

it("answers while the main thread is blocked", async () => {
  const probes = await open();
  await probes.start(() => READY);
  await expect.poll(() => get(probes, "/readyz")).toEqual([200, READY.body]);
  expect(probeWhileBlocked(`${probes.url}/livez`)).toEqual([{ status: 200, body: { status: "ok" } }]);
  expect(probeWhileBlocked(`${probes.url}/readyz`)).toEqual([{ status: 200, body: READY.body }]);
});

it("fails with the time if the main thread is blocked for stall_seconds, and recovers when it runs again", async () => {
  const probes = await open({ stallSeconds: 1 });
  await probes.start(() => READY);
  await expect.poll(() => get(probes, "/readyz")).toEqual([200, READY.body]);
  const answers = probeWhileBlocked(`${probes.url}/livez`, 503);
  expect(answers.at(-1)?.body).toEqual({
    status: "stalled",
    stalled_seconds: expect.any(Number) as number,
    message: expect.stringMatching(/^The main thread has not run for [\d.]+ s\.$/) as string,
  });
  expect(probeWhileBlocked(`${probes.url}/readyz`, 503).at(-1)?.body).toMatchObject({ status: "stalled" });
  await expect.poll(() => get(probes, "/livez")).toEqual([200, { status: "ok" }]);
  await expect.poll(() => get(probes, "/readyz")).toEqual([200, READY.body]);
});

it("does not count a stall before it is started", async () => {
  const probes = await open({ stallSeconds: 0.001 });
  expect(probeWhileBlocked(`${probes.url}/livez`)).toEqual([{ status: 200, body: { status: "ok" } }]);
});

it("closes the oldest connection for a new one, so that silent clients do not keep probes out", async () => {
  const probes = await open();
  const sockets = Array.from({ length: 100 }, () =>
    connect({ host: "127.0.0.1", port: Number(new URL(probes.url).port) }),
  );
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  for (const socket of sockets) socket.on("error", () => undefined).resume();
  await until(() => sockets.filter((socket) => socket.closed).length >= 36);
  expect(await get(probes, "/livez")).toEqual([200, { status: "ok" }]);
  expect(sockets[0]?.closed).toBe(true);
  expect(sockets[99]?.closed).toBe(false);
});

it("names the setting if its port is taken", async () => {
  const port = Number(new URL((await open()).url).port);
  await expect(open({ port })).rejects.toThrow(
    `server.probe_port cannot be opened: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
  );
});

it("refuses connections after it is closed", async () => {
  const probes = await open();
  await probes.close();
  await expect(get(probes, "/livez")).rejects.toThrow("fetch failed");
});
