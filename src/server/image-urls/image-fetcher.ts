import type { Session } from "../../session/session.js";
import { ImageClient, type ImageClientOptions } from "./image-client.js";
import { SessionUrls } from "./session-urls.js";

/** Fetches images that model calls name by address, and remembers the addresses of each session. */
export class ImageFetcher {
  readonly client: ImageClient;
  readonly #sessions = new WeakMap<Session, SessionUrls>();

  constructor(options: ImageClientOptions) {
    this.client = new ImageClient(options);
  }

  forSession(session: Session): SessionUrls {
    const urls = this.#sessions.get(session) ?? new SessionUrls(session);
    this.#sessions.set(session, urls);
    return urls;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
