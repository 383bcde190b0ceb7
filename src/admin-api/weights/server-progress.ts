import type { StepFailure, TargetServer } from "./weight-targets.js";
import type { WeightServerRecord } from "./weights-schemas.js";

/** The progress of an update on one engine server. */
export class ServerProgress {
  readonly url: string;
  readonly draining: boolean;
  state: WeightServerRecord["state"] = "pending";
  #version: number | null;
  #path: string | null;
  #seconds: number | null = null;
  #error: string | null = null;

  constructor({ url, version, path, draining }: TargetServer) {
    this.url = url;
    this.draining = draining;
    this.#version = version;
    this.#path = path;
  }

  get version(): number | null {
    return this.#version;
  }

  get target(): TargetServer {
    return { url: this.url, version: this.#version, path: this.#path, draining: this.draining };
  }

  get error(): string | null {
    return this.#error;
  }

  /** False if the update leaves the server out. */
  get takesPart(): boolean {
    return this.state !== "excluded";
  }

  has(version: number, path: string | null): boolean {
    return path !== null && this.#version === version && this.#path === path;
  }

  exclude(error: string | null = null): void {
    this.state = "excluded";
    this.#error = error;
  }

  /** Notes that the server begins to load. Its weights are unknown until {@link loaded}. */
  loading(): void {
    this.state = "loading";
    this.#error = null;
  }

  /** Notes that the server has lost its weights, as intended. */
  lost(): void {
    this.#version = null;
    this.#path = null;
  }

  loaded(version: number, path: string | null, seconds: number | null): void {
    this.state = "loaded";
    this.#version = version;
    this.#path = path;
    this.#seconds = seconds;
    this.#error = null;
  }

  fail({ message, unchanged }: StepFailure): void {
    this.state = "failed";
    this.#error = message;
    if (unchanged) return;
    this.#version = null;
    this.#path = null;
  }

  toRecord(): WeightServerRecord {
    return {
      url: this.url,
      version: this.#version,
      state: this.state,
      seconds: this.#seconds,
      error: this.#error,
    };
  }
}
