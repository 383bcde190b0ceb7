import type { App } from "../../http/app-type.js";
import { createApp } from "../../http/create-app.js";
import { earlyAnswer } from "../../http/early-answer.js";
import { errorHandler } from "../../http/error-handler.js";
import type { Source } from "../api.js";
import { Access } from "./access.js";
import type { PageFiles } from "./page-files.js";
import { secureHeaders } from "./secure-headers.js";
import { viewRoutes } from "./view-routes.js";

/** A viewer serves one browser. */
const CONNECTIONS = {
  maxConnections: 256,
  headersTimeoutMilliseconds: 10_000,
  requestTimeoutMilliseconds: 10_000,
  sendTimeoutMilliseconds: 60_000,
};

export interface Viewer {
  readonly app: App;
  /** Path that opens the page, once. */
  readonly firstPath: string;
}

/** Creates the viewer as a Fastify application that does not listen yet. */
export async function createViewer(source: Source, page: PageFiles): Promise<Viewer> {
  const app = createApp({ maxBodyBytes: 1, connections: CONNECTIONS, needsKey: () => true });
  secureHeaders(app);
  const access = new Access();
  access.register(app);
  await app.register(earlyAnswer);
  await app.register(errorHandler);
  viewRoutes(app, { source, page });
  await app.ready();
  return { app, firstPath: access.firstPath };
}
