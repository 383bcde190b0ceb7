import type { ExportRules } from "../../session/export/exporter.js";
import type { Split } from "../../session/session-summary.js";
import type { ExportServices } from "../services.js";

/**
 * Returns which sessions an export takes, and how long it waits for them. Its waits also end when the server shuts down.
 *
 * @param signal aborts when the client disconnects
 */
export function toExportRules(
  body: { split: Split; wait_seconds: number; drain_seconds?: number | undefined },
  { settings, shutdown }: ExportServices,
  signal: AbortSignal,
): ExportRules {
  return {
    split: body.split,
    waitMilliseconds: body.wait_seconds * 1000,
    drainMilliseconds: (body.drain_seconds ?? settings.drainSeconds) * 1000,
    signal: AbortSignal.any([signal, shutdown.signal]),
  };
}
