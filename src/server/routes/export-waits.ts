import type { ExportWaits } from "../../session/export/exporter.js";
import type { ExportServices } from "../services.js";

/**
 * Returns the waits of an export. They also end when the server shuts down.
 *
 * @param signal aborts when the client disconnects
 */
export function toWaits(
  body: { wait_seconds: number; drain_seconds?: number | undefined },
  { settings, shutdown }: ExportServices,
  signal: AbortSignal,
): ExportWaits {
  return {
    waitMilliseconds: body.wait_seconds * 1000,
    drainMilliseconds: (body.drain_seconds ?? settings.drainSeconds) * 1000,
    signal: AbortSignal.any([signal, shutdown.signal]),
  };
}
