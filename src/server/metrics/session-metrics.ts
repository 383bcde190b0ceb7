import { Gauge, Histogram, type Registry } from "prom-client";
import type { SessionFacts, SessionOutcome } from "../../session/session-events.js";
import type { SessionRegistry } from "../../session/session-registry.js";

const DURATION_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600];

const TURN_BUCKETS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Rewards of 0 and 1, which most graders give, fall into narrow buckets. */
const REWARD_BUCKETS = [-10, -1, -0.5, -0.01, 0, 0.25, 0.5, 0.75, 0.99, 1, 10, 100];

/**
 * Adds the metrics of a registry's sessions: gauges of current sessions, and histograms of finished ones.
 *
 * @returns a function that stops counting
 */
export function observeSessions(sessions: SessionRegistry, register: Registry): () => void {
  const registers = [register];
  addGauges(sessions, registers);
  const duration = new Histogram({
    name: "rolltape_session_duration_seconds",
    help: "Time from the start of a session to its end, or to its last call if it expired, by outcome.",
    labelNames: ["outcome", "split"],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const turns = new Histogram({
    name: "rolltape_session_turns",
    help: "Interactions of a session when it was finished, by outcome.",
    labelNames: ["outcome", "split"],
    buckets: TURN_BUCKETS,
    registers,
  });
  const rewards = new Histogram({
    name: "rolltape_rewards",
    help: "Rewards that were set, before any discount, by scope. A changed reward is counted again.",
    labelNames: ["scope", "split"],
    buckets: REWARD_BUCKETS,
    registers,
  });
  const onOver = (session: SessionFacts, outcome: SessionOutcome) => {
    const overAt = outcome === "expired" ? session.lastAccessAt : Date.now();
    const labels = { outcome, split: session.split };
    duration.observe(labels, (overAt - session.createdAt) / 1000);
    turns.observe(labels, session.interactionCount);
  };
  const onReward = ({ split }: SessionFacts, reward: number, scope: string) =>
    rewards.observe({ scope, split }, reward);
  sessions.events.on("over", onOver).on("reward", onReward);
  return () => void sessions.events.off("over", onOver).off("reward", onReward);
}

function addGauges(sessions: SessionRegistry, registers: Registry[]): void {
  new Gauge({
    name: "rolltape_sessions",
    help: "Sessions by state.",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [state, count] of Object.entries(sessions.countByState())) this.set({ state }, count);
    },
  });
  new Gauge({
    name: "rolltape_capacity_slots",
    help: "Granted slots that no session has taken.",
    registers,
    collect() {
      this.set(sessions.capacity);
    },
  });
  new Gauge({
    name: "rolltape_session_bytes",
    help: "Native memory that sessions hold, in bytes.",
    registers,
    collect() {
      let bytes = 0;
      for (const session of sessions.all()) bytes += session.data.size.native;
      this.set(bytes);
    },
  });
}
