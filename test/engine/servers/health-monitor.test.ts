import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HealthMonitor } from "../../../src/engine/servers/pool/health-monitor.js";

let healthy = true;
let checks: number[] = [];
let monitor: HealthMonitor;

function start(intervalMilliseconds: number): void {
  checks = [];
  healthy = true;
  const began = Date.now();
  monitor = new HealthMonitor({
    intervalMilliseconds,
    check: async () => {
      checks.push(Date.now() - began);
      if (!healthy) throw new Error("down");
    },
  });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  monitor.close();
  vi.useRealTimers();
});

describe("HealthMonitor", () => {
  it("checks a healthy server at a fixed interval", async () => {
    start(10_000);
    await vi.advanceTimersByTimeAsync(35_000);
    expect(checks).toEqual([10_000, 20_000, 30_000]);
    expect(monitor.healthy).toBe(true);
  });

  it("checks a server that is down at growing intervals of at most 30 seconds", async () => {
    start(10_000);
    healthy = false;
    monitor.reportFailure();
    expect(monitor.healthy).toBe(false);
    await vi.advanceTimersByTimeAsync(120_000);
    const pauses = checks.map((at, index) => at - (checks[index - 1] ?? 0));
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it("returns to the fixed interval when the server is up again", async () => {
    start(10_000);
    healthy = false;
    monitor.reportFailure();
    await vi.advanceTimersByTimeAsync(1_600);
    healthy = true;
    await vi.advanceTimersByTimeAsync(22_000);
    expect(monitor.healthy).toBe(true);
    expect(checks).toEqual([500, 1_500, 3_500, 13_500, 23_500]);
  });

  it("reports a server as down after one failed check, and stops when closed", async () => {
    start(1_000);
    healthy = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(monitor.healthy).toBe(false);
    monitor.close();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(checks).toEqual([1_000]);
  });

  it("makes no checks with an interval of 0, and follows the reports of requests", async () => {
    start(0);
    monitor.reportFailure();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(monitor.healthy).toBe(false);
    monitor.reportSuccess();
    expect(monitor.healthy).toBe(true);
    expect(checks).toEqual([]);
  });

  it("makes no checks while suspended, and starts over when restarted", async () => {
    start(10_000);
    monitor.reportFailure();
    monitor.suspend();
    healthy = false;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(checks).toEqual([]);
    healthy = true;
    monitor.restart();
    expect(monitor.healthy).toBe(true);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(checks).toEqual([110_000, 120_000]);
  });

  it("ignores the result of a check that ran when it was suspended", async () => {
    let fail = () => {};
    monitor = new HealthMonitor({
      intervalMilliseconds: 10_000,
      check: () => new Promise((_, reject) => (fail = () => reject(new Error("paused")))),
    });
    await vi.advanceTimersByTimeAsync(10_000);
    monitor.suspend();
    fail();
    await vi.advanceTimersByTimeAsync(10);
    expect(monitor.healthy).toBe(true);
  });

  it("reports the state unknown before the first answer or failure", async () => {
    start(10_000);
    expect([monitor.state, monitor.healthy]).toEqual(["unknown", true]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(monitor.state).toBe("up");
    start(10_000);
    monitor.reportFailure();
    expect(monitor.state).toBe("down");
    monitor.restart();
    expect(monitor.state).toBe("unknown");
    monitor.reportReached();
    expect(monitor.state).toBe("up");
  });

  it("does not report a server as healthy because of a late answer if it makes checks", async () => {
    start(10_000);
    monitor.reportFailure();
    monitor.reportSuccess();
    expect(monitor.healthy).toBe(false);
  });

  it("says once that the server is down, whether a check or a request finds it out", async () => {
    const downs: string[] = [];
    const make = (name: string, check: () => Promise<void>) =>
      (monitor = new HealthMonitor({ intervalMilliseconds: 1_000, check, onDown: () => void downs.push(name) }));
    make("check", () => Promise.reject(new Error("down")));
    await vi.advanceTimersByTimeAsync(20_000);
    monitor.reportFailure();
    monitor.close();
    make("request", async () => undefined);
    for (const _ of ["once", "again"]) monitor.reportFailure();
    expect(downs).toEqual(["check", "request"]);
  });

  it("is not up because of a request while checks fail, nor after a failed check", async () => {
    start(1_000);
    healthy = false;
    await vi.advanceTimersByTimeAsync(1_000);
    monitor.restart();
    expect(monitor.state).toBe("unknown");
    healthy = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(monitor.state).toBe("up");
  });

  it("makes no checks after it was restarted and closed", async () => {
    start(1_000);
    monitor.close();
    monitor.restart();
    monitor.reportFailure();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(checks).toEqual([]);
  });

  it("ends a check when it is closed, and one that takes longer than 5 seconds", async () => {
    const signals: AbortSignal[] = [];
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), milliseconds);
      return controller.signal;
    });
    monitor = new HealthMonitor({
      intervalMilliseconds: 1_000,
      check: (signal) => {
        signals.push(signal);
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("late"))));
      },
    });
    await vi.advanceTimersByTimeAsync(5_999);
    expect([monitor.healthy, signals.length]).toEqual([true, 1]);
    await vi.advanceTimersByTimeAsync(2);
    expect(monitor.healthy).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    monitor.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    timeout.mockRestore();
  });
});
