import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { formatUrl } from "../format-url.js";
import { HeartbeatWatch } from "./heartbeat.js";
import { answerProbe, type Readiness } from "./probe-answers.js";

/** `workerData` of the thread. */
export interface ProbeThreadData {
  readonly host: string;
  readonly port: number;
  readonly stallSeconds: number;
  readonly beats: Int32Array;
}

/** The one message of the thread: where it listens, or why it cannot. */
export type ProbeThreadStart = { readonly url: string } | { readonly error: string };

/** A client must send its request within this time. */
const REQUEST_MS = 5000;
/** If more are open, the oldest is closed: a probe needs its connection only briefly. */
const MAX_CONNECTIONS = 64;

const { host, port, stallSeconds, beats } = workerData as ProbeThreadData;
const heartbeat = new HeartbeatWatch(beats);
let readiness: Readiness | undefined;
parentPort?.on("message", (report: Readiness) => {
  readiness = report;
});

const server = createServer(
  { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 },
  ({ method, url = "" }, response) => {
    const [path = ""] = url.split("?", 1);
    const main = { readiness, stallSeconds, silentMilliseconds: heartbeat.measure() };
    const { statusCode, body } = answerProbe(method, path, main);
    response.writeHead(statusCode, { "content-type": "application/json; charset=utf-8", connection: "close" });
    response.end(JSON.stringify(body));
  },
);

const open = new Set<Socket>();
server.on("connection", (socket) => {
  open.add(socket);
  socket.once("close", () => open.delete(socket));
  const [oldest] = open;
  if (open.size > MAX_CONNECTIONS) oldest?.destroy();
});

const report = (start: ProbeThreadStart) => parentPort?.postMessage(start);
server.once("error", ({ message: error }) => report({ error }));
server.listen({ host, port }, () => report({ url: formatUrl(server.address() as AddressInfo) }));
