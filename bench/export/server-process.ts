import { pino } from "pino";
import { parseConfig } from "../../src/config/index.js";
import { createServer, createSglangEngine, ensureTinyModel, loadChatModel, SessionRegistry } from "../../src/index.js";
import { toServerSettings } from "../../src/server/start.js";
import { StoredSession } from "../../src/session/trajectory-store.js";
import { AGENT_RUN, makeLoad, recordConversation } from "./load.js";

/**
 * Runs the proxy with recorded and ended sessions, which have the same names and tokens as those of the library. Its engine is
 * never called. Prints one JSON line with its URL.
 */

const adminKey = process.env["BENCH_ADMIN_KEY"] ?? "";
const HOUR = 3_600_000;

const registry = new SessionRegistry({
  adminKey,
  timeoutMilliseconds: HOUR,
  retention: { milliseconds: HOUR, bytes: 1 << 30 },
});
const load = makeLoad(AGENT_RUN);
registry.grant(load.length);
for (const conversation of load) {
  const { session } = registry.start({});
  recordConversation(new StoredSession(session), conversation);
}

const { folder } = await ensureTinyModel();
const { app } = await createServer({
  registry,
  engine: createSglangEngine({ urls: ["http://127.0.0.1:9"], timeoutSeconds: 1, maxInflight: 1, contextLength: 1024 }),
  model: await loadChatModel(folder),
  settings: {
    ...toServerSettings(parseConfig({}), adminKey, "tiny"),
    knownRequestBytes: 0,
    drainSeconds: 0,
    shutdownSeconds: 0,
  },
  logger: pino({ level: "error" }, pino.destination(2)),
});
const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ event: "ready", url }));
process.on("SIGTERM", () => void app.close().then(() => process.exit()));
