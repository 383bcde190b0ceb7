import { PassThrough } from "node:stream";
import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { onHalfOpen } from "../../src/http/half-open.js";

/** The check whether a client that closed its side of the connection is still there. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function watch({ closed = false } = {}) {
  const socket = new PassThrough();
  if (closed) Object.defineProperty(socket, "readableEnded", { value: true });
  const probe = vi.fn<() => void>();
  const stop = onHalfOpen({ request: { raw: { socket } } } as unknown as FastifyReply, probe);
  return { socket, probe, stop };
}

describe("a client that closes its side of the connection", () => {
  it("is probed at once, and then after longer and longer pauses", () => {
    const { socket, probe } = watch();
    vi.advanceTimersByTime(60_000);
    expect(probe).toHaveBeenCalledTimes(0);
    socket.emit("end");
    const counts = [0, 1, 5, 25, 100, 1000, 5000, 15_000, 15_000].map((pause) => {
      vi.advanceTimersByTime(pause);
      return probe.mock.calls.length;
    });
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("is probed if it had closed before", async () => {
    const { probe } = watch({ closed: true });
    await Promise.resolve();
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it("is not probed any more once it is gone", () => {
    const { socket, probe } = watch();
    socket.emit("end");
    socket.destroy();
    vi.advanceTimersByTime(60_000);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it("is not probed any more once its answer is complete, also by a timer that waits", () => {
    const { socket, probe, stop } = watch();
    socket.emit("end");
    stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it("is not probed once its answer is complete, and the connection keeps no listener", async () => {
    for (const closed of [false, true]) {
      const { socket, probe, stop } = watch({ closed });
      const before = new PassThrough().listenerCount("end");
      stop();
      socket.emit("end");
      await Promise.resolve();
      vi.advanceTimersByTime(60_000);
      expect([probe.mock.calls.length, socket.listenerCount("end")]).toEqual([0, before]);
    }
  });
});
