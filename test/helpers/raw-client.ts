import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { StartedSession } from "./proxy.js";

export interface RawCall {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a chat completion of one message. */
export function question(content: string, extra: object = {}): RawCall {
  return { path: "/v1/chat/completions", body: { model: "tiny", messages: [{ role: "user", content }], ...extra } };
}

/** A client whose connection the test controls: it reads nothing until told to. It is closed when the test ends. */
export class RawClient {
  readonly socket: Socket;
  readonly #key: string;
  #received = "";

  constructor(url: URL, { key }: StartedSession) {
    this.#key = key;
    this.socket = connect({ port: Number(url.port), host: url.hostname, allowHalfOpen: true });
    this.socket.on("error", () => undefined);
    this.socket.on("data", (bytes) => {
      this.#received += bytes.toString("latin1");
    });
    this.socket.pause();
    onTestFinished(() => void this.socket.destroy());
  }

  /** Everything that was read, including status lines and chunk sizes. */
  get received(): string {
    return this.#received;
  }

  /** Number of answers with status 200 that were read. */
  get answers(): number {
    return this.#received.split("HTTP/1.1 200 OK").length - 1;
  }

  send({ path, body, headers = {} }: RawCall): void {
    const text = JSON.stringify(body);
    const fields = {
      host: "x",
      authorization: `Bearer ${this.#key}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
      ...headers,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`);
  }

  read(): void {
    this.socket.resume();
  }

  /** Closes the connection in both directions. */
  leave(): void {
    this.socket.destroy();
  }

  /** Forgets everything that was read. */
  forget(): void {
    this.#received = "";
  }

  /** Stops sending, but still reads. */
  halfClose(): void {
    this.socket.end();
  }
}
