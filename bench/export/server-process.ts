import { listen } from "../../src/http/listen.js";
import { ADMIN_KEY } from "../kit/servers.js";
import { AGENT_RUN } from "./load.js";
import { createRecordedServer } from "./recorded-server.js";

/** Runs the proxy with the sessions of {@link AGENT_RUN}. Argument: path of a Unix socket. Prints one JSON line with its URL. */

const { app } = await createRecordedServer(AGENT_RUN, ADMIN_KEY);
const [socket = null] = process.argv.slice(2);
const url = await listen(app, { host: "127.0.0.1", port: 0, socket });
console.log(JSON.stringify({ event: "ready", url }));
process.on("SIGTERM", () => void app.close().then(() => process.exit()));
