/**
 * Identifies a request by its content, and by the header `idempotency-key` if its client sent one.
 *
 * @param contentKey digest of the request's content
 * @param keyHash hash of the header, without spaces
 */
export function identifyRequest(contentKey: string, keyHash: string | undefined): string {
  return keyHash === undefined ? contentKey : `${keyHash} ${contentKey}`;
}

/** Returns true if no other request is identified in the same way, whatever its content. */
export const isUnique = (request: string): boolean => request.includes(" ");

/** The nearness of an attempt that a retry cannot repeat. */
export const NOT_REPEATED = -2;

/** One attempt at a request: a model call that is running, has failed, or was recorded as an interaction. */
export class Attempt {
  /** A number is the index of the recorded interaction. */
  outcome: "running" | "failed" | number = "running";
  /** The attempt that this one repeats. Undefined if there is none or if it failed. */
  earlier: Attempt | undefined;
  /** The attempt that repeats this one. */
  retry: Attempt | undefined;
  /** Identifies the request. Equal for all attempts at it, but also for other requests with the same content. */
  readonly request: string;
  /** Counts up in the order in which attempts begin. */
  readonly number: number;
  /** How often the client had sent the request before. */
  readonly retryCount: number;

  constructor(request: string, number: number, retryCount: number) {
    this.request = request;
    this.number = number;
    this.retryCount = retryCount;
  }

  /**
   * Returns how near an attempt with this retry count is to this one, which may repeat it. The nearest has the greatest count below. One
   * with the same count follows after all of these: some clients send the same number with every retry.
   */
  nearnessOf(retryCount: number): number {
    if (retryCount < this.retryCount) return retryCount;
    return retryCount === this.retryCount ? NOT_REPEATED + 1 : NOT_REPEATED;
  }
}
