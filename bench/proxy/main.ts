import { runMeasurements } from "../kit/report.js";
import { firstTurns } from "./rows/first-turns.js";
import { front } from "./rows/front.js";
import { growing } from "./rows/growing.js";
import { images } from "./rows/images.js";
import { openStreams } from "./rows/open-streams.js";
import { throughput } from "./rows/throughput.js";
import { traces } from "./rows/traces.js";

/**
 * Measures the cost of the proxy, compared with a proxy that only forwards bytes. Engine, proxies and this load generator share the
 * machine's processors. The exit status does not depend on the times.
 *
 *   npm run bench:proxy [-- name…]
 */

await runMeasurements({
  throughput,
  "first-turns": firstTurns,
  growing,
  "open-streams": openStreams,
  front,
  images,
  traces,
});
