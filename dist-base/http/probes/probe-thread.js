import { createServer } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { formatUrl } from "../format-url.js";
import { HeartbeatWatch } from "./heartbeat.js";
import { answerProbe } from "./probe-answers.js";
/** A client must send its request within this time. */
const REQUEST_MS = 5000;
/** If more are open, the oldest is closed: a probe needs its connection only briefly. */
const MAX_CONNECTIONS = 64;
const { host, port, stallSeconds, beats } = workerData;
const heartbeat = new HeartbeatWatch(beats);
let readiness;
parentPort?.on("message", (report) => {
    readiness = report;
});
const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 }, ({ method, url = "" }, response) => {
    const [path = ""] = url.split("?", 1);
    const main = { readiness, stallSeconds, silentMilliseconds: heartbeat.measure() };
    const { statusCode, body } = answerProbe(method, path, main);
    response.writeHead(statusCode, { "content-type": "application/json; charset=utf-8", connection: "close" });
    response.end(JSON.stringify(body));
});
const open = new Set();
server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MAX_CONNECTIONS)
        oldest?.destroy();
});
const report = (start) => parentPort?.postMessage(start);
server.once("error", ({ message: error }) => report({ error }));
server.listen({ host, port }, () => report({ url: formatUrl(server.address()) }));
//# sourceMappingURL=probe-thread.js.map