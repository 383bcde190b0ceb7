import { pino } from "pino";
import { parseConfig } from "../../src/config/index.js";
import type { App } from "../../src/http/app-type.js";
import { createServer, createSglangEngine, ensureTinyModel, loadChatModel, SessionRegistry } from "../../src/index.js";
import { toServerSettings } from "../../src/server/start.js";
import { LocalSession } from "../../src/session/trajectory-store.js";
import { type LoadShape, makeLoad, recordConversation } from "./load.js";

const HOUR = 3_600_000;

/** A proxy whose sessions are recorded and ended. */
export interface RecordedServer {
  readonly app: App;
  readonly ids: readonly string[];
}

/** Creates a proxy whose sessions have the same names and tokens as those of the library. Its engine is never called. */
export async function createRecordedServer(shape: LoadShape, adminKey: string): Promise<RecordedServer> {
  const registry = new SessionRegistry({
    adminKey,
    timeoutMilliseconds: HOUR,
    retention: { milliseconds: HOUR, bytes: 1 << 30 },
  });
  const load = makeLoad(shape);
  registry.grant(load.length);
  const ids = load.map((conversation) => {
    const { session } = registry.start({});
    recordConversation(new LocalSession(session), conversation);
    return session.id;
  });
  const { folder } = await ensureTinyModel();
  const urls = ["http://127.0.0.1:9"];
  const { app } = await createServer({
    registry,
    engine: createSglangEngine({ urls, timeoutSeconds: 1, maxInflight: 1, contextLength: 1024 }),
    model: await loadChatModel(folder),
    settings: {
      ...toServerSettings(parseConfig({}), adminKey, "tiny"),
      knownRequestBytes: 0,
      drainSeconds: 0,
      shutdownSeconds: 0,
    },
    logger: pino({ level: "error" }, pino.destination(2)),
  });
  return { app, ids };
}
