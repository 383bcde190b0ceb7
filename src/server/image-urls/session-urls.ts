import { LRUCache } from "lru-cache";
import { type HashedFile, hashFile } from "../../protocols/image-reader.js";
import type { Session } from "../../session/session.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { hashText } from "../../support/hash-text.js";

/** Addresses that a session remembers. */
const MAX_URLS = 1000;
/** Images of a session that are fetched at the same time. */
const MAX_FETCHES = 8;

/** An address whose image was fetched. */
interface KnownUrl {
  readonly sha256: string;
  /** Undefined if no call in flight uses the file. The session then has it if one of the calls was recorded. */
  bytes: Uint8Array | undefined;
  /** Calls in flight that use the file. */
  calls: number;
}

/**
 * The image addresses of one session. The file that was fetched first from an address is kept, so that a conversation that is sent again
 * has the same images.
 */
export class SessionUrls {
  readonly #session: Session;
  /** By the hash of the address. */
  readonly #known = new LRUCache<string, KnownUrl>({ max: MAX_URLS });
  /** Limits parallel fetches. */
  readonly fetches = new Semaphore(MAX_FETCHES);

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Returns the file of an address; undefined if it must be fetched.
   *
   * @param onEnd registers a listener for the end of the call
   */
  find(url: string, onEnd: (listener: () => void) => void): HashedFile | undefined {
    const known = this.#known.get(hashText(url));
    if (!known) return undefined;
    const { sha256 } = known;
    if (known.bytes) return hold(known, known.bytes, onEnd);
    const bytes = this.#session.imageFile(sha256);
    return bytes && { sha256, bytes };
  }

  /** Keeps the file that was fetched from an address, and returns it. If another call has kept one meanwhile, returns that one. */
  keep(url: string, bytes: Uint8Array, onEnd: (listener: () => void) => void): HashedFile {
    const earlier = this.find(url, onEnd);
    if (earlier) return earlier;
    const known: KnownUrl = { ...hashFile(bytes), calls: 0 };
    this.#known.set(hashText(url), known);
    return hold(known, bytes, onEnd);
  }
}

/** Keeps the file in memory until the call ends. */
function hold(known: KnownUrl, bytes: Uint8Array, onEnd: (listener: () => void) => void): HashedFile {
  known.calls++;
  onEnd(() => {
    if (--known.calls === 0) known.bytes = undefined;
  });
  return { sha256: known.sha256, bytes };
}
