import { AGENT_RUN } from "./load.js";
import { createRecordedServer } from "./recorded-server.js";

/** Runs the proxy with the sessions of {@link AGENT_RUN}. Prints one JSON line with its URL. */

const { app } = await createRecordedServer(AGENT_RUN, process.env["BENCH_ADMIN_KEY"] ?? "");
const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ event: "ready", url }));
process.on("SIGTERM", () => void app.close().then(() => process.exit()));
