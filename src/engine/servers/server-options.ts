/** Options of every engine that consists of servers. */
export interface ServerOptions {
  /** Base addresses of the servers, or of one router in front of them. At least one. */
  readonly urls: readonly string[];
  /** Time limit of one call, including pauses for weight updates. 0: no limit. */
  readonly timeoutSeconds: number;
  /** Generations that may be in flight at once on each server; further ones wait here. */
  readonly connections: number;
  /** Tokens of prompt and output together. Absent: asked of the servers. */
  readonly contextLength?: number | undefined;
  readonly apiKey?: string | undefined;
  /** Called with problems that fail no call. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Seconds between two health checks of a server if there are several; 0 for none. Default 10. */
  readonly healthSeconds?: number | undefined;
}

/** @throws RangeError if an option is out of range. */
export function checkServerOptions({ urls, connections, timeoutSeconds, healthSeconds = 0 }: ServerOptions): void {
  if (urls.length === 0) throw new RangeError("the engine needs at least one URL");
  if (new Set(urls).size < urls.length) throw new RangeError("the engine's URLs must differ from each other");
  if (!(Number.isInteger(connections) && connections > 0)) {
    throw new RangeError("connections must be a positive integer");
  }
  if (!(timeoutSeconds >= 0)) throw new RangeError("timeoutSeconds must not be negative");
  if (!(healthSeconds >= 0)) throw new RangeError("healthSeconds must not be negative");
}
