import { expect, it, onTestFinished, vi } from "vitest";
import { Heartbeat, HeartbeatWatch } from "../../../src/http/probes/heartbeat.js";

/** The watch sees `beats` change or not, at times that the test chooses. */
function watching() {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const watch = new HeartbeatWatch(beats);
  watch.stop();
  let now = Math.ceil(performance.now());
  const beat = () => Atomics.add(beats, 0, 1);
  const after = (milliseconds: number) => watch.measure((now += milliseconds));
  beat();
  after(0);
  return { beat, after };
}

it("measures the time since the last beat", () => {
  const { beat, after } = watching();
  beat();
  expect(after(250)).toBe(0);
  expect(after(250)).toBe(250);
  expect(after(400)).toBe(650);
  beat();
  expect(after(10)).toBe(0);
});

it("counts at most a second for the time in which the watching thread did not run either", () => {
  const { after } = watching();
  after(250);
  expect(after(3_600_000)).toBeLessThanOrEqual(1250);
});

it("beats while the event loop runs, until it is stopped", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heartbeat = new Heartbeat();
  vi.advanceTimersByTime(1000);
  expect(heartbeat.beats[0]).toBe(4);
  heartbeat.stop();
  vi.advanceTimersByTime(1000);
  expect(heartbeat.beats[0]).toBe(4);
});
