import { describe, expect, it, vi } from "vitest";
import { runSoak } from "./run-soak.js";

/** A short soak. `npm run soak` is the long one. */

vi.setConfig({ testTimeout: 180_000 });

const options = { calls: 400, sessions: 40, seed: 1, concurrency: 20, duration: 60, settleSeconds: 0 };

describe.each([
  { name: "directly", gateway: false, processes: ["proxy"] },
  { name: "through a gateway with two workers", gateway: true, processes: ["gateway", "worker 1", "worker 2"] },
])("agents that leave and retry, $name, on an engine with faults", ({ gateway, processes }) => {
  it("export every answered call exactly as the engine sampled it", async () => {
    const { problems, findings, tally, log, updates, watches } = await runSoak({ ...options, gateway });
    expect(problems).toEqual([]);
    expect(findings.total).toBe(0);

    // The run had calls of each outcome and each kind of fault.
    const outcomes = [...tally.outcomes.keys()].join("\n");
    for (const api of ["chat.completions", "responses", "messages", "generate_content"]) {
      expect(outcomes).toContain(`answered, ${api}\n`);
      expect(outcomes).toContain(`answered, ${api}, streamed`);
    }
    expect(outcomes).toContain("left before the answer");
    expect(outcomes).toContain("refused with 502");
    expect(tally.calls).toBe(options.calls);
    expect(tally.sessions).toBe(options.sessions);
    expect(tally.exported.rows).toBeGreaterThan(options.calls / 2);
    expect(log.faults.size).toBeGreaterThan(8);
    expect(updates.versions).toBeGreaterThan(0);
    expect(watches.map(({ name }) => name)).toEqual(processes);
  });
});
