import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { Batch } from "../../src/session/batch/batch.js";
import { createDeferred } from "../../src/support/async/deferred.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { ADMIN_KEY, type Proxy } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

/** Batches that are sent in parts: their padding gives them 20 MB. */
const PADDING = { pad_to_multiple_of: 1_200_000 };
const PARTS = 5;

afterEach(() => void vi.restoreAllMocks());

async function exportable(proxy: Proxy): Promise<string> {
  const session = await proxy.session();
  await proxy.chat(session, [{ role: "user", content: "hello" }]);
  await proxy.end(session);
  return JSON.stringify({ session_ids: [session.id], ...PADDING });
}

/** The bytes of the batch, which `inject` reads from one view. */
async function bytesOf(proxy: Proxy, body: string): Promise<Buffer> {
  return (await proxy.post("/export_batch", JSON.parse(body) as object)).raw;
}

async function post(url: string, body: string): Promise<IncomingMessage> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${ADMIN_KEY}` };
  const call = request(`${url}/export_batch`, { method: "POST", headers });
  call.end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return response;
}

async function readSlowly(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    await nextTurn();
  }
  return Buffer.concat(chunks);
}

/** Makes packing wait for the promise between the first part of a batch and the others. */
function holdBack(until: Promise<void>): MockInstance<Batch["complete"]> {
  const complete = Reflect.get(Batch.prototype, "complete") as Batch["complete"];
  return vi.spyOn(Batch.prototype, "complete").mockImplementation(async function (this: Batch) {
    await Promise.all([complete.call(this), until]);
  });
}

function watchBatches(): { released: () => number; parts: () => number } {
  const release = vi.spyOn(Batch.prototype, "release");
  const part = vi.spyOn(Batch.prototype, "part");
  return { released: () => release.mock.calls.length, parts: () => part.mock.calls.length };
}

describe("a large batch", () => {
  it("arrives whole at a client that reads slowly, with its length, and is released once", async () => {
    const { proxy, url } = await listeningProxy();
    const body = await exportable(proxy);
    const expected = await bytesOf(proxy, body);
    const { released, parts } = watchBatches();
    const response = await post(url, body);
    expect(response.headers["content-length"]).toBe(String(expected.length));
    expect((await readSlowly(response)).equals(expected)).toBe(true);
    await until(() => released() > 0);
    expect([released(), parts()]).toEqual([1, PARTS]);
  });

  it("arrives whole if its client sends another request before it has the answer", async () => {
    const { proxy, url } = await listeningProxy();
    const body = await exportable(proxy);
    const expected = await bytesOf(proxy, body);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const head = `POST /export_batch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ADMIN_KEY}\r\ncontent-type: application/json\r\n`;
    const rest = `content-length: ${body.length}\r\n\r\n${body}`;
    socket.write(`${head}${rest}${head}${rest}`);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => void chunks.push(chunk));
    await once(socket, "close");
    const received = Buffer.concat(chunks);
    expect(received.subarray(received.indexOf("\r\n\r\n") + 4).equals(expected)).toBe(true);
  });

  it("is sent while it is packed: the first part arrives before the others are written", async () => {
    const { proxy, url } = await listeningProxy();
    const body = await exportable(proxy);
    const expected = await bytesOf(proxy, body);
    const gate = createDeferred<void>();
    holdBack(gate.promise);
    const response = await post(url, body);
    await once(response, "readable");
    gate.resolve();
    expect((await readSlowly(response)).equals(expected)).toBe(true);
  });

  it("is cut if packing fails after its first part, and its session can be exported again", async () => {
    const { proxy, url } = await listeningProxy();
    const body = await exportable(proxy);
    const gate = createDeferred<void>();
    const held = holdBack(gate.promise);
    const { released } = watchBatches();
    const response = await post(url, body);
    await once(response, "readable");
    gate.reject(new Error("no memory"));
    await expect(readSlowly(response)).rejects.toMatchObject({ code: "ECONNRESET" });
    await until(() => released() > 0);
    expect(proxy.context.registry.countByState()).toMatchObject({ ended: 1, exported: 0 });
    held.mockRestore();
    expect((await readSlowly(await post(url, body))).equals(await bytesOf(proxy, body))).toBe(true);
  });

  it("is exported if its client disconnects before it is packed", async () => {
    const { proxy, url } = await listeningProxy();
    const body = await exportable(proxy);
    const gate = createDeferred<void>();
    holdBack(gate.promise);
    const { released } = watchBatches();
    const response = await post(url, body);
    await once(response, "readable");
    response.destroy();
    await until(() => released() > 0);
    expect(proxy.context.registry.countByState()).toMatchObject({ ended: 1, exported: 0 });
    gate.resolve();
    await until(() => proxy.context.registry.countByState().exported === 1);
  });

  it("is released if its client disconnects, and can be exported again", async () => {
    const { proxy, url } = await listeningProxy();
    const body = await exportable(proxy);
    const expected = await bytesOf(proxy, body);
    const { released } = watchBatches();
    const response = await post(url, body);
    await once(response, "readable");
    response.destroy();
    await until(() => released() > 0);
    expect((await readSlowly(await post(url, body))).equals(expected)).toBe(true);
  });
});
