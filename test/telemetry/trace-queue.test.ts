import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FromSpanThread, ToSpanThread } from "../../src/telemetry/span-thread.js";
import { Trace } from "../../src/telemetry/trace.js";
import { TraceQueue } from "../../src/telemetry/trace-queue.js";
import { captureLog } from "../helpers/captured-log.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Keeps the messages that it gets, and emits those of the test. */
class FakeThread extends EventEmitter {
  readonly told: ToSpanThread[] = [];
  terminated = false;

  postMessage(message: ToSpanThread): void {
    this.told.push(message);
  }

  unref(): void {}

  terminate(): Promise<number> {
    this.terminated = true;
    return Promise.resolve(1);
  }

  say(message: FromSpanThread): void {
    this.emit("message", message);
  }

  /** The number of traces in each message so far. */
  get sizes(): number[] {
    return this.told.map((message) => (message.kind === "write" ? message.traces.length : 0));
  }
}

async function open() {
  const thread = new FakeThread();
  const { logger, lines } = captureLog();
  const opening = TraceQueue.open(thread as unknown as Worker, logger);
  thread.say({ kind: "ready" });
  const queue = await opening;
  const add = (count: number) => {
    for (let i = 0; i < count; i++) queue.add(endedTrace());
  };
  return { thread, queue, lines, add };
}

function endedTrace(): Trace {
  const trace = new Trace({ name: "a", kind: "server" }, { id: "1", newSpanId: () => "2", onEnd: () => undefined });
  trace.steps({ choice: 3 }).enter("render");
  trace.end();
  return trace;
}

it("hands over what has ended four times a second", async () => {
  const { thread, add } = await open();
  add(2);
  vi.advanceTimersByTime(249);
  expect(thread.told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(thread.sizes).toEqual([2]);
  vi.advanceTimersByTime(1000);
  expect(thread.sizes).toEqual([2]);
});

it("hands over the spans of a trace as JSON", async () => {
  const { thread, queue } = await open();
  const trace = endedTrace();
  queue.add(trace);
  vi.advanceTimersByTime(250);
  const [message] = thread.told;
  const [text = ""] = message?.kind === "write" ? message.traces : [];
  expect(JSON.parse(text)).toEqual({ id: "1", root: trace.root, children: trace.children });
  expect(trace.children).toMatchObject([{ name: "render", values: [{ choice: 3 }] }]);
});

it("drops traces while 4096 wait or are being written", async () => {
  const { thread, add } = await open();
  add(4000);
  vi.advanceTimersByTime(250);
  add(100);
  vi.advanceTimersByTime(250);
  add(100);
  vi.advanceTimersByTime(250);
  expect(thread.sizes).toEqual([4000, 96]);
  thread.say({ kind: "written", traces: 4000 });
  add(4100);
  vi.advanceTimersByTime(250);
  expect(thread.sizes).toEqual([4000, 96, 4000]);
});

it("logs what the thread reports", async () => {
  const { thread, lines } = await open();
  thread.say({ kind: "log", level: "warn", fields: { lost: 1 }, text: "lost" });
  thread.say({ kind: "log", level: "info", fields: { lost: 2 }, text: "back" });
  expect(lines).toMatchObject([
    { level: 40, lost: 1, msg: "lost" },
    { level: 30, lost: 2, msg: "back" },
  ]);
});

it.each([
  ["failed", { err: { message: "out of memory" } }],
  ["ended", { level: 50 }],
])("logs once that the thread has %s, and drops later traces", async (how, logged) => {
  const { thread, queue, lines, add } = await open();
  if (how === "failed") thread.emit("error", new Error("out of memory"));
  thread.emit("exit");
  add(1);
  vi.advanceTimersByTime(500);
  expect([thread.told, vi.getTimerCount()]).toEqual([[], 0]);
  await queue.close();
  expect(lines).toMatchObject([logged]);
});

it("posts the remaining traces once when it is closed, and resolves when the thread has ended", async () => {
  const { thread, queue, add } = await open();
  add(3);
  const closed = vi.fn<() => void>();
  const closing = Promise.all([queue.close(), queue.close()]).then(closed);
  add(1);
  await vi.advanceTimersByTimeAsync(1999);
  expect([closed.mock.calls.length, thread.terminated]).toEqual([0, false]);
  thread.emit("exit");
  await closing;
  await queue.close();
  expect(thread.told.map(({ kind }) => kind)).toEqual(["write", "close"]);
  expect(thread.sizes).toEqual([3, 0]);
  expect(vi.getTimerCount()).toBe(0);
});

it("terminates the thread two seconds after it was closed if it has not ended", async () => {
  const { thread, queue } = await open();
  const closing = queue.close();
  await vi.advanceTimersByTimeAsync(2000);
  await closing;
  expect(thread.terminated).toBe(true);
});
