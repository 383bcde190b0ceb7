export interface SglangOptions {
  /** Base addresses of the servers, or of one router in front of them. At least one. */
  readonly urls: readonly string[];
  /** How long one call may take in all, pauses for weight updates included. 0: as long as it takes. */
  readonly timeoutSeconds: number;
  /** Generations that may be in flight at once on each server; further ones wait here. */
  readonly connections: number;
  /** Tokens of prompt and output together. Absent: asked of the servers. */
  readonly contextLength?: number | undefined;
  readonly apiKey?: string | undefined;
}
