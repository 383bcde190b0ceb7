import type { FastifyBaseLogger } from "fastify";
import type { WeightMetrics } from "./weight-metrics.js";
import type { UpdateObserver } from "./weight-updates.js";

/** Returns an observer that logs and counts updates. */
export function observeUpdates(logger: FastifyBaseLogger, metrics: WeightMetrics): UpdateObserver {
  return {
    began({ version, target_version, mode, path, servers }) {
      const excluded = servers.filter(({ state }) => state === "excluded").map(({ url }) => url);
      logger.info({ version, target_version, mode, path, servers: servers.length, excluded }, "weight update began");
    },
    ended(outcome, { state, version, paused_seconds, error, servers }) {
      const isOver = state === "idle";
      metrics.count(outcome, isOver ? (paused_seconds ?? 0) : undefined);
      const facts = { version, paused_seconds, servers };
      if (outcome === "succeeded") logger.info(facts, "weight update succeeded");
      else if (outcome === "given_up") logger.warn(facts, "weight update was given up");
      else logger.error({ ...facts, error, held: !isOver }, "weight update failed");
    },
  };
}
