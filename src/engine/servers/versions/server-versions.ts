/** Tracks the weight versions that one engine server names with its tokens. */
export class ServerVersions {
  #last: number | null | undefined;
  #hasNamed = false;
  #isStreamed = false;
  #isStale = false;
  #changes = 0;

  /** The version that the server named or was given last. Null: its last reply named none. Undefined: it has not replied yet. */
  get last(): number | null | undefined {
    return this.#last;
  }

  /** A reply of the server has named a version. */
  get hasNamed(): boolean {
    return this.#hasNamed;
  }

  /** The server could not be given the current version, so it names an earlier one. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Differs from an earlier value if the server was being given a version in between, outside a pause. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Requests to the server are streamed, even if the client's call is not: it names no spans of versions, and weights changed during
   * one of its generations. The parts of a stream show which tokens came before the change.
   */
  get isStreamed(): boolean {
    return this.#isStreamed;
  }

  /** Notes what a reply named. */
  replied(version: number | undefined, saysDefault: boolean): void {
    if (version !== undefined) this.#hasNamed = true;
    if (version !== undefined || saysDefault || this.#last === undefined) this.#last = version ?? null;
  }

  /** Notes that the server was given a version. */
  given(version: number): void {
    this.#last = version;
    this.#isStale = false;
  }

  /** Notes that the server is being given a version while generations may run on it. */
  beginChange(): void {
    this.#changes++;
  }

  /** @param hadVersion the server had the version already, so nothing has changed */
  endChange(hadVersion: boolean): void {
    this.#changes += hadVersion ? -1 : 1;
  }

  /** Notes that the server could not be given a version. */
  refused(): void {
    this.#isStale = true;
  }

  /** Notes whether a part of a reply has an uncertain version that a stream would have shown. */
  noteReply(hasSpans: boolean, isUncertain: boolean): void {
    if (hasSpans) this.#isStreamed = false;
    else if (isUncertain) this.#isStreamed = true;
  }
}
