import type { App } from "../../http/app-type.js";
import { createApp } from "../../http/create-app.js";
import { earlyAnswer } from "../../http/early-answer.js";
import { errorHandler } from "../../http/error-handler.js";
import type { Source } from "../api.js";
import type { OpenSource } from "../sources/open-source.js";
import { Access } from "./access.js";
import type { PageFiles } from "./page-files.js";
import { secureHeaders } from "./secure-headers.js";
import { viewRoutes } from "./view-routes.js";

export interface RunningViewer {
  /** Address that opens the page, once. */
  readonly url: string;
  /** Stops the server and closes the source. */
  close(): Promise<void>;
}

/** Serves a source on the loopback interface. Resolves when the page can be opened. */
export async function startViewer(source: OpenSource, page: PageFiles, port: number): Promise<RunningViewer> {
  const { app, firstPath } = await createViewer(source, page);
  const address = await app.listen({ host: "127.0.0.1", port });
  const close = async () => {
    const closed = app.close();
    // Requests for changes would delay the end by seconds.
    app.server.closeAllConnections();
    await closed;
    await source[Symbol.asyncDispose]();
  };
  return { url: `${address}${firstPath}`, close };
}

/** A viewer serves one browser. */
const CONNECTIONS = {
  maxConnections: 256,
  headersTimeoutMilliseconds: 10_000,
  requestTimeoutMilliseconds: 10_000,
  sendTimeoutMilliseconds: 60_000,
};

interface Viewer {
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
