import { parseConfig } from "../../src/config/index.js";
import { startGateway } from "../../src/gateway/start.js";

/** Runs the gateway of the workers at these addresses. Prints one JSON line with its URL. */

const config = parseConfig({ server: { port: 0 }, gateway: { workers: process.argv.slice(2) } });
const gateway = await startGateway(config);
console.log(JSON.stringify({ event: "ready", url: gateway.url }));
process.on("SIGTERM", () => void gateway.close({ deadline: 0, workersEnded: true }).then(() => process.exit()));
