import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readData, readEvents } from "../helpers/sse.js";
import { until } from "../helpers/until.js";

interface Chunk {
  readonly id: string;
  readonly choices: readonly {
    readonly delta: { readonly role?: string; readonly content?: string };
    readonly finish_reason: string | null;
    readonly logprobs: { readonly content: readonly { readonly logprob: number }[] } | null;
  }[];
  readonly usage?: { readonly completion_tokens: number } | null;
  readonly error?: { readonly code: string };
}

const KEEP_ALIVE_SECONDS = 0.05;

let proxy: Proxy;
let url: URL;
let session: StartedSession;
const sockets: Socket[] = [];
beforeAll(async () => {
  proxy = await Proxy.start({ settings: { keepAliveSeconds: KEEP_ALIVE_SECONDS } });
  url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const messages = [{ role: "user", content: "hello" }];
const ids = Array.from({ length: 12 }, (_, i) => 300 + i);
const stream = (extra: object = {}) => proxy.chat(session, messages, { stream: true, ...extra });
const joinContent = (chunks: readonly Chunk[]) => chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
const decodeText = (sampled: readonly number[]) =>
  proxy.context.model.decode(Int32Array.from(sampled), { skipSpecialTokens: true });

async function exported() {
  await proxy.end(session);
  return Object.values((await proxy.export(session)).json<WireExport>().interactions);
}

/** Sends a streaming call over its own socket, and reads nothing until `resume`. */
function open(calls = 1): { socket: Socket; received: () => string } {
  const body = JSON.stringify({ model: "tiny", messages, stream: true });
  const socket = connect(Number(url.port), url.hostname);
  sockets.push(socket);
  socket.pause();
  socket.on("error", () => undefined);
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString();
  });
  socket.pause();
  const call =
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${session.key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  socket.write(call.repeat(calls));
  return { socket, received: () => text };
}

describe("a streamed chat completion", () => {
  it("has the answer's text in chunks, its finish reason, and the recorded tokens", async () => {
    proxy.engine.replies.push({ ids, perFrame: 1 });
    const reply = await stream();
    expect(reply.headers["content-type"]).toMatch(/^text\/event-stream/);
    expect(reply.headers["cache-control"]).toBe("no-cache");
    expect(reply.headers["x-accel-buffering"]).toBe("no");
    const chunks = readData<Chunk>(reply.raw.toString());
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(joinContent(chunks)).toBe(decodeText(ids));
    expect(chunks.length).toBeGreaterThan(4);
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([
      ...chunks.slice(1).map(() => null),
      "stop",
    ]);
    expect(readEvents(reply.raw.toString()).at(-1)?.data).toBe("[DONE]");
    const [only] = await exported();
    expect(only?.interaction_id).toBe(chunks[0]?.id);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(numbers(only as never, "input_ids").slice(-ids.length)).toEqual(ids);
  });

  it("ends with the usage if the request includes it", async () => {
    proxy.engine.replies.push({ ids });
    const chunks = readData<Chunk>((await stream({ stream_options: { include_usage: true } })).raw.toString());
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: ids.length } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  it("has the log probability of every recorded token once, in order", async () => {
    proxy.engine.replies.push({ ids, perFrame: 5 });
    const chunks = readData<Chunk>((await stream({ logprobs: true })).raw.toString());
    const logprobs = chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
    expect(logprobs.map((entry) => entry.logprob)).toEqual(ids.map((_, i) => -(i + 1) / 8));
  });

  it("is sent while the engine generates, with keep-alives during pauses", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.engine.replies.push({ ids, perFrame: 6, beforeFrame: (frame) => (frame === 1 ? gate : undefined) });
    const { socket, received } = open();
    socket.resume();
    await until(() => received().includes(": keep-alive"));
    expect(received()).toContain(JSON.stringify(decodeText(ids.slice(0, 3))).slice(1, -1));
    expect(received()).not.toContain("[DONE]");
    release();
    await until(() => received().includes("[DONE]"));
  });

  it("sends keep-alives while it waits for the engine's first token", async () => {
    const release = proxy.engine.hold();
    const { socket, received } = open();
    socket.resume();
    await until(() => received().split(": keep-alive").length > 2);
    expect(received()).toMatch(/^HTTP\/1.1 200 OK/);
    release();
    await until(() => received().includes("[DONE]"));
  });

  it("is recorded before its end is sent, so that the agent can reward it immediately", async () => {
    proxy.engine.replies.push({ ids, perFrame: 3 });
    const { socket, received } = open();
    let countAtEnd = -1;
    socket.on("data", () => {
      if (received().includes("[DONE]")) countAtEnd = proxy.context.registry.get(session.id).interactionCount;
    });
    socket.resume();
    await until(() => countAtEnd >= 0);
    expect(countAtEnd).toBe(1);
  });
});

describe("errors of a stream", () => {
  it("before the first output are ordinary HTTP errors", async () => {
    proxy.engine.replies.push(new EngineError("engine_unavailable", "connection refused"));
    expect((await stream()).refusal).toBe("502 engine_unavailable");
    expect((await stream({ max_tokens: 0 })).refusal).toBe("400 invalid_value");
    expect(await exported()).toEqual([]);
  });

  it("after the first output are an event without [DONE], and nothing is recorded", async () => {
    const beforeFrame = (frame: number) => {
      if (frame === 2) throw new EngineError("engine_error", "it broke");
    };
    proxy.engine.replies.push({ ids, perFrame: 4, beforeFrame });
    const text = (await stream()).raw.toString();
    expect(readData<Chunk>(text).at(-1)?.error?.code).toBe("engine_error");
    expect(text).not.toContain("[DONE]");
    expect(await exported()).toEqual([]);
  });

  it("are an event if the session aborts the call", async () => {
    proxy.engine.replies.push({
      ids,
      perFrame: 4,
      beforeFrame: async (frame) => {
        if (frame !== 1) return;
        await proxy.end(session);
        void proxy.export(session, { drain_seconds: 0 });
        await until(() => proxy.engine.calls.at(-1)?.signal.aborted ?? false);
      },
    });
    expect(readData<Chunk>((await stream()).raw.toString()).at(-1)?.error?.code).toBe("call_aborted");
  });
});

describe("a client that disconnects", () => {
  it("aborts the engine request, and nothing is recorded", async () => {
    let aborted = false;
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.engine.replies.push({ ids, perFrame: 4, beforeFrame: (frame) => (frame === 1 ? gate : undefined) });
    const before = proxy.engine.calls.length;
    const { socket, received } = open();
    socket.resume();
    await until(() => received().includes("data: "));
    const call = proxy.engine.calls[before];
    call?.signal.addEventListener("abort", () => {
      aborted = true;
    });
    socket.destroy();
    await until(() => aborted);
    release();
    expect(await exported()).toEqual([]);
  });
});

describe("a client that reads slowly", () => {
  it("keeps pending tokens in native memory, and receives its whole answer", async () => {
    const many = Array.from({ length: 200_000 }, (_, i) => 300 + (i % 200));
    proxy.engine.context = 1 << 20;
    let written = 0;
    let frames = 0;
    // With small frames, the JSON around their text alone exceeds the buffers between server and client.
    const perFrame = 5;
    let finished = () => {};
    const sampled = new Promise<void>((resolve) => {
      finished = resolve;
    });
    proxy.engine.replies.push({
      ids: many,
      perFrame,
      beforeFrame: async (frame) => {
        frames = frame;
        if (frame % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
        if ((frame + 1) * perFrame >= many.length) finished();
      },
    });
    const { socket, received } = open();
    await sampled;
    written = socket.bytesRead;
    expect(frames * perFrame).toBeGreaterThan(100_000);
    expect(written).toBeLessThan(8 << 20);
    socket.resume();
    await until(() => received().includes("[DONE]"));
    const events = received()
      .split("data: ")
      .slice(1)
      .map((part) => part.slice(0, part.indexOf("\n\n")))
      .filter((part) => part.startsWith("{") && part.endsWith("}"));
    expect(events.length).toBeLessThan(many.length / perFrame);
    const [only] = await exported();
    expect(numbers(only as never, "loss_mask").reduce((sum, x) => sum + x, 0)).toBe(many.length);
    proxy.engine.context = 16_384;
  });
});

async function scrape(): Promise<string> {
  return (await proxy.request({ url: "/metrics" }, null)).raw.toString();
}

const POLL = { interval: 5, timeout: 20_000 };

async function openStreams(): Promise<number> {
  return Number(/rolltape_open_streams (\d+)/.exec(await scrape())?.[1]);
}

describe("metrics of streams", () => {
  it("count open streams, and measure the time to the first output", async () => {
    const release = proxy.engine.hold();
    const { socket, received } = open();
    socket.resume();
    await until(() => received().includes(": keep-alive"));
    expect(await openStreams()).toBeGreaterThan(0);
    release();
    await until(() => received().includes("[DONE]"));
    expect(await scrape()).toMatch(/rolltape_first_output_seconds_count [1-9]/);
    socket.destroy();
  });

  it("count a stream until its client disconnects, and do not count a stream that waits behind it on the same connection", async () => {
    const before = await openStreams();
    const release = proxy.engine.hold();
    const { socket } = open(2);
    socket.resume();
    await expect.poll(openStreams, POLL).toBe(before + 1);
    socket.destroy();
    await expect.poll(openStreams, POLL).toBe(before);
    release();
  });
});
