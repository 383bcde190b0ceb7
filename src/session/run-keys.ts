import { createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import type { SessionStart } from "./session-summary.js";
import type { SessionRecords } from "./stored/session-records.js";

/** A run. Its sessions are started by their first model calls and inherit its values. */
export interface RunStart extends SessionStart {
  readonly runId: string;
}

export interface KeyedRun {
  readonly run: RunStart;
  readonly key: string;
}

/** Name of the secrets in the storage. */
const SECRETS = "run_secrets";
/** Number of admin keys, the newest first, whose run keys stay valid with a storage. */
const MAX_SECRETS = 8;
const SALT = "rolltape run keys";
/** A guess of the admin key from a run key takes as long as this derivation: some 50 ms. */
const SCRYPT = { N: 1 << 14, r: 8, p: 1 };
const RUN_KEY = /^rk-([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

/** Returns true if a key has the form of a run key, which differs from that of all session keys that a server makes. */
export const isRunKey = (key: string): boolean => RUN_KEY.test(key);

/**
 * Run keys: `rk-<what the run decides>.<signature>`. The secret of the signature is derived from the admin key, which all workers behind
 * a gateway share. So a run key is valid on all of them, including workers that join later, and workers do not exchange runs.
 */
export class RunKeys {
  readonly #adminKey: string;
  readonly #records: Pick<SessionRecords, "readValue" | "saveValue"> | undefined;
  #secrets: readonly Buffer[] | undefined;

  /** @param records where the secrets are stored. Absent: run keys end with the admin key */
  constructor(adminKey: string, records?: Pick<SessionRecords, "readValue" | "saveValue">) {
    this.#adminKey = adminKey;
    this.#records = records;
  }

  start(start: SessionStart): KeyedRun {
    const run = { ...start, runId: `${start.taskId}-run-${randomBytes(9).toString("hex")}` };
    const payload = Buffer.from(JSON.stringify(run)).toString("base64url");
    const [secret] = this.#readSecrets();
    return { run, key: `rk-${payload}.${sign(secret, payload).toString("base64url")}` };
  }

  /** Returns the run of a key; undefined if the key is not a run key or was signed with an unknown secret. */
  find(key: string): RunStart | undefined {
    const [, payload, signature] = RUN_KEY.exec(key) ?? [];
    if (payload === undefined || signature === undefined) return undefined;
    const received = Buffer.from(signature, "base64url");
    const isKnown = this.#readSecrets().some((secret) => timingSafeEqual(sign(secret, payload), received));
    return isKnown ? (JSON.parse(Buffer.from(payload, "base64url").toString()) as RunStart) : undefined;
  }

  /**
   * Returns the secrets, the one for new keys first. With a storage, run keys stay valid if the admin key is another one at the next
   * start, as session keys do. Derived when they are first needed, because most servers have no runs.
   */
  #readSecrets(): readonly [Buffer, ...Buffer[]] {
    const [known, ...others] = this.#secrets ?? [];
    if (known) return [known, ...others];
    const current = scryptSync(this.#adminKey, SALT, 32, SCRYPT);
    const stored = ((this.#records?.readValue(SECRETS) as readonly string[] | undefined) ?? []).map((text) =>
      Buffer.from(text, "base64url"),
    );
    const secrets = [current, ...stored.filter((secret) => !secret.equals(current))].slice(0, MAX_SECRETS);
    this.#secrets = secrets;
    this.#records?.saveValue(
      SECRETS,
      secrets.map((secret) => secret.toString("base64url")),
    );
    return [current, ...secrets.slice(1)];
  }
}

function sign(secret: Buffer, payload: string): Buffer {
  return createHmac("sha256", secret).update(payload).digest();
}
