import type { CaptureRequest, Exchange } from "./exchange.js";

/** Folders with weights, as the server sees them. */
export interface Folders {
  /** Weights of the same shape as the server's. */
  readonly other: string;
  /** The name of a tensor is right and its shape is not. */
  readonly wrongShape: string;
  /** No folder. */
  readonly missing: string;
}

export interface Stage {
  readonly folders: Folders;
  /** Sends a request, and keeps the answer under this name. */
  start(name: string, request: CaptureRequest): Exchange;
  /** Sends a request, and waits for the answer. */
  take(name: string, request: CaptureRequest): Promise<void>;
  /** Ends the process of the engine behind the server. */
  killEngine(): void;
}

/** Requests that show how one server answers, in this order. Against a double, the same requests are sent. */
export interface Script {
  /** How the server must be started. */
  readonly flags: string;
  readonly run: (stage: Stage) => Promise<void>;
}

export const get = (path: string): CaptureRequest => ({ method: "GET", path });

export const post = (path: string, body?: Readonly<Record<string, unknown>>): CaptureRequest => ({
  method: "POST",
  path,
  ...(body === undefined ? {} : { body }),
});
