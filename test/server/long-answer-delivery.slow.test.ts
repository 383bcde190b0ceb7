import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LongJson } from "../../src/protocols/long-json.js";
import { AlternativesEngine } from "../helpers/alternatives-engine.js";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import { clientsLeft } from "../helpers/lost-answer.js";
import type { ProxyOptions, StartedSession } from "../helpers/proxy.js";
import { type RawCall, RawClient } from "../helpers/raw-client.js";
import { until } from "../helpers/until.js";
import { connectionLimits } from "./connection-limits.js";

/** Long answers are sent while they are written. They count as delivered or lost like those that are sent in one piece. */

const WIDTH = 20;
/** Their JSON has more bytes than the buffers between server and client. */
const TOKENS = 10_000;
/** A streamed response has its log probabilities five times. */
const STREAMED_TOKENS = 3000;

const messages = [{ role: "user", content: "hello" }];
const CHAT: RawCall = {
  path: "/v1/chat/completions",
  body: { model: "tiny", messages, logprobs: true, top_logprobs: WIDTH },
};
const response = (extra: object = {}): RawCall => ({
  path: "/v1/responses",
  body: { model: "tiny", input: "x", include: ["message.output_text.logprobs"], top_logprobs: WIDTH, ...extra },
});
const WHOLE = [
  ["chat completion", CHAT],
  ["response", response({ store: false })],
] as const;
const STREAMED = response({ store: false, stream: true });

interface Started extends ListeningProxy<AlternativesEngine> {
  readonly started: StartedSession;
  readonly client: RawClient;
  /** Resolves when the client has read this text at the end of what it received. */
  readonly hasRead: (end: string) => Promise<void>;
}

async function start(options: ProxyOptions<AlternativesEngine> = {}): Promise<Started> {
  const server = await listeningProxy({ engine: new AlternativesEngine(TOKENS, WIDTH), ...options });
  const started = await server.proxy.session();
  const client = new RawClient(new URL(server.url), started);
  let tail = "";
  client.socket.on("data", (bytes: Buffer) => {
    tail = (tail + bytes.toString("latin1")).slice(-100);
  });
  // Adding a listener resumes the socket.
  client.socket.pause();
  return { ...server, started, client, hasRead: (end) => until(() => tail.endsWith(end)) };
}

const leftOut = ({ proxy, started }: Started) => proxy.context.registry.get(started.id).leftOut.reasonOf(0);
const recorded = ({ proxy, started }: Started) =>
  until(() => proxy.context.registry.get(started.id).interactionCount === 1);
/** Memory of calls in flight and of unsent answers. */
const inFlight = ({ proxy: { context } }: Started) =>
  context.store.bytes - context.registry.bytes - context.conversations.bytes;

function failAfterFirstPiece(): void {
  const pieces = vi.spyOn(LongJson.prototype, "pieces").mockImplementation(function* () {
    yield "first piece";
    yield "second piece";
    throw new Error("There is no third piece.");
  });
  onTestFinished(() => pieces.mockRestore());
}

const LAST_CHUNK = "\r\n0\r\n\r\n";

describe.each(WHOLE)("a long %s", (_, call) => {
  it("is delivered once the client has read it", async () => {
    const server = await start();
    server.client.send(call);
    server.client.read();
    await server.hasRead(LAST_CHUNK);
    server.client.leave();
    await clientsLeft(server.proxy);
    expect(leftOut(server)).toBeUndefined();
  });

  it("is undelivered if the client leaves before it has read all of it", async () => {
    const server = await start();
    server.client.send(call);
    await until(() => server.client.socket.readableLength > 0);
    server.client.leave();
    await clientsLeft(server.proxy);
    expect(leftOut(server)).toBe("undelivered");
  });

  it("loses its connection if the client stops reading", async () => {
    const server = await start({ settings: { connections: connectionLimits({ sendTimeoutMilliseconds: 50 }) } });
    server.client.send(call);
    await until(() => server.proxy.app.connections.size === 0);
    await expect.poll(() => leftOut(server)).toBe("undelivered");
  });

  it("counts the memory of its tokens towards the store until it is sent", async () => {
    const server = await start();
    server.client.send(call);
    await until(() => server.client.socket.readableLength > 0);
    const tokens = 8 * TOKENS * (1 + WIDTH);
    expect(inFlight(server)).toBeGreaterThan(tokens);
    expect(inFlight(server)).toBeLessThan(2 * tokens);
    server.client.read();
    await server.hasRead(LAST_CHUNK);
    await expect.poll(() => inFlight(server)).toBe(0);
  });

  it("counts as a call in flight until it is sent", async () => {
    const sessionLimits = { tokens: 1e9, calls: 1e9, bytes: 1e9, concurrentCalls: 1 };
    const server = await start({ settings: { sessionLimits } });
    server.client.send(call);
    await until(() => server.client.socket.readableLength > 0);
    expect((await server.proxy.chat(server.started, messages)).refusal).toBe("429 too_many_calls");
    server.client.read();
    await server.hasRead(LAST_CHUNK);
    await expect.poll(async () => (await server.proxy.chat(server.started, messages)).refusal).toBe("200");
  });

  it("is not begun before its interaction is on disk", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-long-answer-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const server = await start({ storage: { directory } });
    let onDisk = () => {};
    const flushed = new Promise<void>((resolve) => {
      onDisk = resolve;
    });
    const flushing = vi.spyOn(server.proxy.context.registry, "flushed").mockReturnValue(flushed);
    const warnings = vi.spyOn(process, "emitWarning");
    onTestFinished(() => flushing.mockRestore());
    onTestFinished(() => warnings.mockRestore());
    server.client.send(call);
    server.client.read();
    await recorded(server);
    // The ends of some iterations of the event loop, in which an answer that does not wait would begin.
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(server.client.received).toBe("");
    onDisk();
    await server.hasRead(LAST_CHUNK);
    expect(warnings).not.toHaveBeenCalled();
  });

  it("ends with its connection if the rest cannot be written", async () => {
    const server = await start();
    failAfterFirstPiece();
    server.client.send(call);
    server.client.read();
    await until(() => server.client.socket.readableEnded || server.client.socket.destroyed);
    expect(server.client.received).toContain("first piece");
    expect(server.client.received.endsWith(LAST_CHUNK)).toBe(false);
    expect((await server.proxy.request({ url: "/health" })).status).toBe(200);
  });

  it("ends with its connection for a client of HTTP/1.0, which knows no chunks", async () => {
    const server = await start();
    const body = JSON.stringify(call.body);
    const fields = `authorization: Bearer ${server.started.key}\r\ncontent-type: application/json\r\n`;
    server.client.read();
    server.client.socket.write(
      `POST ${call.path} HTTP/1.0\r\n${fields}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await until(() => server.client.socket.readableEnded);
    const json = server.client.received.slice(server.client.received.indexOf("\r\n\r\n") + 4);
    expect(JSON.parse(json)).toHaveProperty("usage");
    expect(leftOut(server)).toBeUndefined();
  });
});

describe("a streamed response with long closing events", () => {
  const startStream = (options: ProxyOptions<AlternativesEngine> = {}) =>
    start({ engine: new AlternativesEngine(STREAMED_TOKENS, WIDTH), ...options });
  const END = `"truncation":"disabled"}}\n\n${LAST_CHUNK}`;

  it("is delivered once the client has read it", async () => {
    const server = await startStream();
    server.client.send(STREAMED);
    server.client.read();
    await server.hasRead(END);
    server.client.leave();
    await clientsLeft(server.proxy);
    expect(leftOut(server)).toBeUndefined();
  });

  it("is delivered if the client leaves within the closing events, because it has the content", async () => {
    const server = await startStream();
    server.client.send(STREAMED);
    server.client.socket.on("data", () => {
      if (server.client.received.includes("event: response.output_text.done")) server.client.leave();
    });
    server.client.read();
    await clientsLeft(server.proxy);
    expect(server.client.received.endsWith(END)).toBe(false);
    expect(leftOut(server)).toBeUndefined();
  });

  it("counts the memory of its tokens towards the store until it is sent", async () => {
    const server = await startStream();
    server.client.send(STREAMED);
    server.client.socket.on("data", () => {
      if (server.client.received.includes("event: response.output_text.done")) server.client.socket.pause();
    });
    server.client.read();
    await until(() => server.client.socket.isPaused());
    const tokens = 8 * STREAMED_TOKENS * (1 + WIDTH);
    expect(inFlight(server)).toBeGreaterThan(tokens);
    server.client.socket.removeAllListeners("data");
    server.client.read();
    await expect.poll(() => inFlight(server)).toBe(0);
  });

  it("loses its connection if the client stops reading, and its content counts as delivered", async () => {
    const server = await startStream({ settings: { connections: connectionLimits({ sendTimeoutMilliseconds: 50 }) } });
    server.client.send(STREAMED);
    server.client.socket.on("data", () => {
      if (server.client.received.includes("event: response.output_text.done")) server.client.socket.pause();
    });
    server.client.read();
    await until(() => server.proxy.app.connections.size === 0);
    expect(server.client.received.endsWith(END)).toBe(false);
    expect(leftOut(server)).toBeUndefined();
  });

  it("ends with its connection if the rest cannot be written", async () => {
    const server = await startStream();
    failAfterFirstPiece();
    server.client.send(STREAMED);
    server.client.read();
    await until(() => server.client.socket.readableEnded || server.client.socket.destroyed);
    expect(server.client.received).toContain("first piece");
    expect(server.client.received.endsWith(LAST_CHUNK)).toBe(false);
    expect((await server.proxy.request({ url: "/health" })).status).toBe(200);
  });
});
