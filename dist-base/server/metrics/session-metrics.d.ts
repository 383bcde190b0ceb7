import { type Registry } from "prom-client";
import type { SessionRegistry } from "../../session/session-registry.js";
/**
 * Adds the metrics of a registry's sessions: gauges of current sessions, and histograms of finished ones.
 *
 * @returns a function that stops counting
 */
export declare function observeSessions(sessions: SessionRegistry, register: Registry): () => void;
