import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A request whose answer's body is read and dropped. */
export interface ReadJob {
  readonly url: string;
  readonly body: string;
  readonly key: string;
}

/** A client in a process of its own, which does not use the event loop of the server that is measured. */
export class BodyReader {
  readonly #child = fork(fileURLToPath(new URL("body-reader-process.ts", import.meta.url)));

  /** Sends a request and reads the body of the answer, which must be 200. */
  async post(url: string, body: string, key: string): Promise<void> {
    const answered = once(this.#child, "message") as Promise<[number]>;
    this.#child.send({ url, body, key } satisfies ReadJob);
    const [status] = await answered;
    if (status !== 200) throw new Error(`${url} answered ${status}`);
  }

  async close(): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, "exit");
  }
}
