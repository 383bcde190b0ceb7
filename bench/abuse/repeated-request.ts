import { Pool, request } from "undici";
import { AT_ONCE, type Attack, describeAnswer } from "./attack.js";

export interface RepeatedRequest {
  readonly name: string;
  readonly path: string;
  readonly body: () => string;
  /** Sent instead of the session's key. */
  readonly key?: string;
}

const headersWith = (key: string) => ({ "content-type": "application/json", authorization: `Bearer ${key}` });

/** An attack that sends one request again and again, a few at the same time. */
export function repeatRequest({ name, path, body, key: otherKey }: RepeatedRequest): Attack {
  let bytes: Buffer | undefined;
  const makeBytes = (): Buffer => (bytes ??= Buffer.from(body()));
  return {
    name,
    bytes: () => makeBytes().length,
    once: async ({ url, key }) => {
      const headers = headersWith(otherKey ?? key);
      // The server may close the connection before it has the whole body.
      const reply = await request(url + path, { method: "POST", headers, body: makeBytes() }).catch(() => undefined);
      await reply?.body.dump();
    },
    run: async ({ url, key }, signal, onAnswer) => {
      const pool = new Pool(url, { connections: AT_ONCE, headersTimeout: 0, bodyTimeout: 0 });
      const headers = headersWith(otherKey ?? key);
      const work = async (): Promise<void> => {
        while (!signal.aborted) {
          try {
            const reply = await pool.request({ path, method: "POST", headers, body: makeBytes(), signal });
            onAnswer(describeAnswer(reply.statusCode, await reply.body.text()));
          } catch {
            if (!signal.aborted) onAnswer("connection closed");
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      await pool.destroy();
    },
  };
}
