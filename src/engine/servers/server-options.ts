/** Options of every engine that consists of servers. */
export interface ServerOptions {
  /** Base URLs of the servers, or the URL of one router in front of them. At least one. */
  readonly urls: readonly string[];
  /** Time limit of one call, including pauses for weight updates. 0: no limit. */
  readonly timeoutSeconds: number;
  /** Limit of generations in flight on each server. More generations wait in this process. */
  readonly connections: number;
  /** Limit of prompt and output tokens together. If undefined, the servers are asked. */
  readonly contextLength?: number | undefined;
  readonly apiKey?: string | undefined;
  /** Called with problems that fail no call. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Seconds between two health checks of a server if there are several; 0 for none. Default 10. */
  readonly healthSeconds?: number | undefined;
}

/** @throws RangeError if an option is out of range. */
export function checkServerOptions({ urls, connections, timeoutSeconds, healthSeconds = 0 }: ServerOptions): void {
  if (urls.length === 0) throw new RangeError("urls must contain at least one URL");
  if (new Set(urls).size < urls.length) throw new RangeError(`urls must be unique; received ${urls.join(", ")}`);
  if (!(Number.isInteger(connections) && connections > 0)) {
    throw new RangeError(`connections must be a positive integer; received ${connections}`);
  }
  if (!(timeoutSeconds >= 0)) throw new RangeError(`timeoutSeconds must be 0 or more; received ${timeoutSeconds}`);
  if (!(healthSeconds >= 0)) throw new RangeError(`healthSeconds must be 0 or more; received ${healthSeconds}`);
}
