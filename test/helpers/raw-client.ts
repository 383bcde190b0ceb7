import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { StartedSession } from "./proxy.js";

export interface RawCall {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client whose connection the test controls. It reads nothing until the test says so, and is closed after the test. */
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

  /** Closes the sending direction only. */
  halfClose(): void {
    this.socket.end();
  }
}
