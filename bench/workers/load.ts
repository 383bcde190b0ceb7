/** A session, and the address for its model calls. */
export interface Target {
  readonly url: string;
  readonly key: string;
}

/** The work of an agent process: to call the model in all these sessions at once, for some seconds. */
export interface Load {
  readonly targets: readonly Target[];
  readonly seconds: number;
}
