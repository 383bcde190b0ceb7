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

/**
 * Creates a proxy whose sessions have the same names and tokens as those of the library. Its engine is never called.
 *
 * @param workerTag of a worker behind a gateway. Its sessions are of groups, of which each worker has two.
 */
export async function createRecordedServer(
  shape: LoadShape,
  adminKey: string,
  workerTag?: string,
): Promise<RecordedServer> {
  const registry = new SessionRegistry({
    adminKey,
    workerTag,
    timeoutMilliseconds: HOUR,
    retention: { milliseconds: HOUR, bytes: 1 << 30 },
  });
  const load = makeLoad(shape);
  registry.grant(load.length);
  const ids = load.map((conversation, index) => {
    const { session } = registry.start(workerTag === undefined ? {} : { groupId: `group-${index >> 1}` });
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
