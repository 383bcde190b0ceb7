import { describe, expect, it } from "vitest";
import { EpisodePace } from "../../../src/rollout/worker/rollout-worker.js";

describe("the pace of episodes", () => {
  it("allows no pause before an episode has ended", () => {
    expect(new EpisodePace().pause(0.5)).toBe(0);
  });

  it("allows a part of the mean duration, up to 250 ms", () => {
    const pace = new EpisodePace();
    pace.note(1000);
    expect(pace.pause(0.01)).toBe(10);
    expect(pace.pause(0.5)).toBe(250);
  });

  it("follows the newest episodes", () => {
    const pace = new EpisodePace();
    pace.note(1000);
    for (let episode = 0; episode < 100; episode++) pace.note(100);
    expect(pace.pause(0.1)).toBeGreaterThan(9.9);
    expect(pace.pause(0.1)).toBeLessThan(11);
  });
});
