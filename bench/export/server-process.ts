import { listen } from "../../src/http/listen.js";
import { ADMIN_KEY } from "../kit/servers.js";
import { AGENT_RUN, WORKER_RUN } from "./load.js";
import { createRecordedServer } from "./recorded-server.js";

/**
 * Runs the proxy with the sessions of {@link AGENT_RUN}, or of one worker. Argument: path of a Unix socket, or `--worker=` and the tag of a
 * worker. Prints one JSON line with its URL.
 */

const [argument] = process.argv.slice(2);
const workerTag = /^--worker=(.*)$/.exec(argument ?? "")?.[1];
const socket = workerTag === undefined ? (argument ?? null) : null;
const { app } = await createRecordedServer(workerTag === undefined ? AGENT_RUN : WORKER_RUN, ADMIN_KEY, workerTag);
const url = await listen(app, { host: "127.0.0.1", port: 0, socket });
console.log(JSON.stringify({ event: "ready", url }));
process.on("SIGTERM", () => void app.close().then(() => process.exit()));
