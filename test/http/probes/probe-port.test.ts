import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { ProbePort } from "../../../src/http/probes/probe-port.js";
import { createDeferred } from "../../../src/support/async/deferred.js";
import { captureLog } from "../../helpers/captured-log.js";

const OPTIONS = { host: "127.0.0.1", port: 0, stallSeconds: 3600 };

async function open() {
  const { logger, lines } = captureLog();
  const port = await ProbePort.open({ ...OPTIONS, logger });
  if (!port) throw new Error("The port is closed.");
  onTestFinished(() => port.close());
  const probe = async (path: string, method = "GET") => {
    const answer = await fetch(port.url + path, { method });
    const { status, headers } = answer;
    return { status, type: headers.get("content-type"), body: method === "HEAD" ? null : await answer.json() };
  };
  return { port, lines, probe };
}

it("opens no port if none is configured", async () => {
  expect(await ProbePort.open({ ...OPTIONS, port: null })).toBeUndefined();
});

it("rejects with the reason if the port is in use", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await expect(ProbePort.open({ ...OPTIONS, port })).rejects.toThrow("server.probe_port cannot be opened: listen");
});

it("answers probes on its thread: alive at once, ready as the main thread last reported", async () => {
  const { port, lines, probe } = await open();
  const type = "application/json; charset=utf-8";
  expect(await probe("/livez?x=1")).toEqual({ status: 200, type, body: { status: "ok" } });
  expect(await probe("/livez", "HEAD")).toEqual({ status: 200, type, body: null });
  expect(await probe("/readyz")).toEqual({ status: 503, type, body: { status: "starting" } });
  let state = "ready";
  await port.start(() => ({ statusCode: 200, body: { status: state } }));
  await expect.poll(() => probe("/health")).toEqual({ status: 200, type, body: { status: "ready" } });
  state = "draining";
  await port.refresh();
  await expect.poll(() => probe("/readyz")).toMatchObject({ body: { status: "draining" } });
  expect(lines).toEqual([{ level: pino.levels.values["info"], url: port.url, msg: "probes are answered" }]);
});

it("keeps the newest report if an older one takes longer, or if the readiness cannot be read", async () => {
  const { port, lines, probe } = await open();
  const answers = ["first", "second"].map((status) => ({ statusCode: 200 as const, body: { status } }));
  const slow = createDeferred<void>();
  let reads = 0;
  const started = port.start(async () => {
    const read = reads++;
    if (read === 0) await slow.promise;
    if (read > 1) throw new Error("gone");
    return answers[read] ?? { statusCode: 503, body: {} };
  });
  await port.refresh();
  await expect.poll(() => probe("/readyz")).toMatchObject({ body: { status: "second" } });
  slow.resolve();
  await started;
  await port.refresh();
  expect(lines.at(-1)).toMatchObject({ msg: "the readiness for probes cannot be read", err: { message: "gone" } });
  expect(await probe("/readyz")).toMatchObject({ body: { status: "second" } });
});
