import type { OpenSource } from "../sources/open-source.js";
import { createViewer } from "./app.js";
import type { PageFiles } from "./page-files.js";

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
