import { pino } from "pino";
import { expect, it } from "vitest";
import { captureLog } from "../helpers/captured-log.js";
import { until } from "../helpers/until.js";
import { stoppableAddress } from "./stoppable-address.js";
import { Gateway, startWorker } from "./workers.js";

/** A gateway logs one line without a stack if it ends a call itself, or if a connection breaks. */

async function setUp(returnMilliseconds = 0) {
  const { logger, lines } = captureLog();
  const worker = await startWorker("one");
  const address = await stoppableAddress(worker.url);
  const gateway = await Gateway.start({ urls: [address.url] }, 60, undefined, undefined, {
    unreachableMilliseconds: 200,
    returnMilliseconds,
    logger,
  });
  const { key } = await gateway.session();
  lines.length = 0;
  return { lines, worker, address, gateway, key };
}

const { warn } = pino.levels.values;

/** A model call. */
const call = (key: string, stream: boolean): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
  body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], stream }),
});

it("logs a warning with the reason for a call whose worker becomes unreachable", async () => {
  const { lines, address, gateway, key } = await setUp();
  address.stop();
  expect((await gateway.chat(key, "hello")).refusal).toBe("503 worker_unavailable");
  expect(lines).toEqual([
    {
      level: warn,
      reqId: expect.any(String) as string,
      code: "worker_unavailable",
      reasons: ["The worker has become unreachable."],
      msg: expect.stringContaining("Worker one does not answer.") as string,
    },
  ]);
});

it("logs a warning with the reason for a call whose worker does not return in time", async () => {
  const { lines, address, gateway, key } = await setUp(700);
  await address.close();
  expect((await gateway.chat(key, "hello")).refusal).toBe("503 worker_unavailable");
  const reasons = [expect.stringContaining("ECONNREFUSED")];
  expect(lines.filter(({ code }) => code !== undefined)).toMatchObject([
    { level: warn, code: "worker_unavailable", reasons },
  ]);
  expect(JSON.stringify(lines)).not.toContain("stack");
});

it("logs a warning for a stream whose worker becomes unreachable", async () => {
  const { lines, worker, address, gateway, key } = await setUp();
  const waitsAfterFirst = (frame: number) => (frame > 0 ? new Promise<void>(() => undefined) : undefined);
  worker.proxy.engine.fallback = { ids: [300, 301, 302], perFrame: 1, beforeFrame: waitsAfterFirst };
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, call(key, true));
  expect(answer.status).toBe(200);
  address.stop();
  await expect(answer.text()).rejects.toThrow("terminated");
  const reasons = ["The worker has become unreachable."];
  expect(lines).toEqual([
    { level: warn, reqId: expect.any(String) as string, reasons, msg: "answer failed after its headers were sent" },
  ]);
});

it("logs no warning if the client disconnects", async () => {
  const { lines, worker, gateway, key } = await setUp();
  const { engine } = worker.proxy;
  engine.hold();
  for (const stream of [false, true]) {
    const controller = new AbortController();
    const { length } = engine.calls;
    const answer = fetch(`${gateway.url}/v1/chat/completions`, { ...call(key, stream), signal: controller.signal });
    const failed = answer.then(
      () => "answered",
      () => "failed",
    );
    await until(() => engine.calls.length > length);
    controller.abort();
    expect(await failed).toBe("failed");
    await until(() => engine.aborted.length > length);
  }
  expect(lines.filter(({ level }) => level >= Number(warn))).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain("stack");
});
