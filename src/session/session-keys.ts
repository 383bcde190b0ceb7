import { randomBytes } from "node:crypto";
import { hashText } from "../support/hash-text.js";
import { SessionError } from "./errors.js";
import type { Session } from "./session.js";
import { readKeyTag } from "./worker-tag.js";

const MIN_KEY_LENGTH = 16;

/** Creates a session key: `sk-`, the worker's tag if it has one, and 32 random bytes in base64url. */
export function newSessionKey(workerTag?: string): string {
  const prefix = workerTag === undefined ? "sk-" : `sk-${workerTag}.`;
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

export interface SessionKeysOptions {
  readonly adminKey: string;
  /** Part of every session key and session id. It makes them unique among servers and across restarts. */
  readonly workerTag?: string | undefined;
  /** Rejects keys chosen by the caller that lack the tag, because a gateway could not find their worker. */
  readonly taggedKeysOnly?: boolean;
}

/** The keys of all sessions. Of a key, only the hash is kept. A session has at most one key, and a key belongs to the session that got it last. */
export class SessionKeys {
  readonly #options: SessionKeysOptions;
  readonly #adminHash: string;
  readonly #sessions = new Map<string, Session>();
  readonly #hashes = new Map<Session, string>();

  constructor(options: SessionKeysOptions) {
    this.#options = options;
    this.#adminHash = hashText(options.adminKey);
  }

  /** @param keyHash the {@link hashText} of a key */
  find(keyHash: string): Session | undefined {
    return this.#sessions.get(keyHash);
  }

  /** Returns the hash of a session's key; undefined if it was revoked. */
  hashOf(session: Session): string | undefined {
    return this.#hashes.get(session);
  }

  /** Gives a key to a session. Returns the session that had it before. */
  bind(session: Session, key: string): Session | undefined {
    return this.#bind(session, hashText(key));
  }

  #bind(session: Session, keyHash: string): Session | undefined {
    const previous = this.#sessions.get(keyHash);
    // Without this, sealing the previous session would revoke the key of the new one.
    if (previous) this.#hashes.delete(previous);
    this.#sessions.set(keyHash, session);
    this.#hashes.set(session, keyHash);
    return previous;
  }

  /** @throws SessionError if the key of a stored session is the admin key now */
  restore(session: Session, keyHash: string): void {
    if (keyHash === this.#adminHash) {
      const message = `The admin key is the key of the stored session ${session.id}, whose agent would get all rights. Use another admin key.`;
      throw new SessionError("invalid_value", message);
    }
    this.#bind(session, keyHash);
  }

  /** Returns false if the session has no key. */
  revoke(session: Session): boolean {
    const keyHash = this.#hashes.get(session);
    if (keyHash === undefined) return false;
    this.#sessions.delete(keyHash);
    return this.#hashes.delete(session);
  }

  /** @throws SessionError if a caller may not choose this key */
  check(key: string): void {
    if (key.length < MIN_KEY_LENGTH) {
      const message = `api_key must have at least ${MIN_KEY_LENGTH} characters; received ${key.length}.`;
      throw new SessionError("invalid_value", message, { param: "api_key" });
    }
    const { workerTag, taggedKeysOnly } = this.#options;
    if (taggedKeysOnly && workerTag !== undefined && readKeyTag(key) !== workerTag) {
      const message =
        `api_key must be \`sk-${workerTag}.\` followed by at least 16 characters; received a key without that tag. ` +
        "The gateway in front of this server uses the tag to find the server of a key.";
      throw new SessionError("invalid_value", message, { param: "api_key" });
    }
    const keyHash = hashText(key);
    if (keyHash === this.#adminHash) {
      throw new SessionError("invalid_value", "api_key must not be the admin key.", { param: "api_key" });
    }
    if (this.find(keyHash)?.state === "active") {
      throw new SessionError("api_key_in_use", "api_key is already used by an active session.", { param: "api_key" });
    }
  }
}
