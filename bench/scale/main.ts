import { runMeasurements } from "../kit/report.js";
import { measureController } from "./rows/controller.js";
import { measureGateway } from "./rows/gateway.js";
import { measureOpenSessions } from "./rows/open-sessions.js";

/**
 * The costs of docs/explanation/scale.md: a controller with simulated rollout workers, a gateway with simulated proxies, and a proxy with
 * many open sessions.
 *
 *   npm run bench:scale [-- controller|gateway|sessions …]
 */
await runMeasurements({
  controller: measureController,
  gateway: measureGateway,
  sessions: measureOpenSessions,
});
process.exit(0);
