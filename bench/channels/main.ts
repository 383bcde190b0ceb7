import { runMeasurements } from "../kit/report.js";
import { exporting } from "./rows/exporting.js";
import { replies } from "./rows/replies.js";

/**
 * Measures what routed experts cost: in replies, compared with scanning and decoding the same bytes, and in batches, compared with memcpy.
 * Both sides of a ratio run in turns in this process, and are measured by its processor time. The exit status does not depend on the times.
 *
 *   npm run bench:channels [-- name…]
 */

await runMeasurements({ replies, export: exporting });
