/** The weights that an update loads, or that a trainer pushes during it. */
export interface UpdateTarget {
  readonly version: number;
  readonly mode: "path" | "external" | "lora";
  /** Null if `mode` is `external`. */
  readonly path: string | null;
  /** The servers free the memory of their devices until the update is finished. Only if `mode` is `external`. */
  readonly sleep?: boolean | undefined;
  /** Name of the adapter, if `mode` is `lora`. */
  readonly name?: string | undefined;
  /** Set if a gateway runs the update: identifies it among those of all gateways. */
  readonly id?: string | undefined;
}

/** The result of comparing new weights with those of the model before the pause. */
export interface WeightsCheck {
  readonly checked: boolean;
  /** A sentence that says why they were not; null if they were. */
  readonly reason: string | null;
}

/** Weights of one engine server. */
export interface TargetServer {
  readonly url: string;
  /** Null if it is not known. */
  readonly version: number | null;
  /** Path from which the weights were loaded; null if they were not, or if it is not known. */
  readonly path: string | null;
  /** The server is being drained. */
  readonly draining: boolean;
}

/** Why a step failed on one server. */
export interface StepFailure {
  readonly message: string;
  /** The server has the same weights as before the step. */
  readonly unchanged: boolean;
  readonly unreachable: boolean;
}

/** Failures by the URL of the server. */
export type StepFailures = ReadonlyMap<string, StepFailure>;

/** A step that failed on one server. */
export class StepError extends Error {
  readonly failure: StepFailure;

  constructor(failure: StepFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * The engine servers of a weight update, and the steps that it takes on them. A failed step leaves calls held and servers
 * paused.
 */
export interface WeightTargets {
  /** The current weight version. */
  readonly version: number;
  /** Returns the servers and what is known about their weights. */
  servers(): Promise<readonly TargetServer[]>;
  /** Returns the addresses in `exclude` in the spelling of {@link servers}. An unknown address is returned unchanged. */
  spell(exclude: readonly string[], servers: readonly TargetServer[]): string[];
  /** Returns true if the engine was paused with another call, which must also be resumed with another call. */
  isPaused(): Promise<boolean>;
  /** Undefined if every target is possible. @throws ApiError if the engine cannot load this target */
  check?(target: UpdateTarget): void;
  /**
   * Compares the tensors of new weights with those of the model. Undefined if the engine compares them itself.
   *
   * @throws ApiError `weights_incomplete`
   */
  compare?(target: UpdateTarget): Promise<WeightsCheck | undefined>;
  /** Notes that an update begins, so that it is known after a restart. Rejects if this cannot be noted. */
  begin(target: UpdateTarget): Promise<void>;
  /**
   * Does the work that needs no pause. Undefined if there is none.
   *
   * @param excluded servers that take no part
   */
  prepare?(target: UpdateTarget, excluded: readonly string[]): Promise<void>;
  /**
   * Holds all model calls, drains the excluded servers and pauses the others. Generations are cut and later resumed.
   */
  pause(urls: readonly string[], excluded: readonly string[]): Promise<StepFailures>;
  /** Makes a paused server free the memory of its device. Resolves to false if it loses its weights. @throws StepError */
  sleep?(url: string, signal: AbortSignal): Promise<boolean>;
  /** @throws StepError */
  wake?(url: string, signal: AbortSignal): Promise<void>;
  /** @throws StepError */
  load(url: string, target: UpdateTarget, signal: AbortSignal): Promise<void>;
  /** Flushes the caches of a server with new weights and sets its version. @throws StepError */
  finish(url: string, version: number, signal: AbortSignal): Promise<void>;
  /** Makes the version current. Resolves when it is stored. */
  commit(version: number): Promise<void>;
  /** Resumes servers. Calls are still held. */
  resume(urls: readonly string[]): Promise<StepFailures>;
  /** Sends servers no more requests. */
  drain(urls: readonly string[]): Promise<void>;
  /**
   * Notes the end of the update and lets held calls go on. Servers that an update had drained get requests again if they
   * have the current version.
   *
   * @param servers what is known about their weights
   * @param hold calls stay held, because the engine was paused before the update
   */
  release(servers: readonly TargetServer[], hold: boolean): Promise<void>;
  /** Notes what is known about a server's weights while an update runs. */
  note(server: TargetServer): void;
}

/** Takes a step for each server at once, and returns the failures of those whose step failed. Other errors are thrown. */
export async function tryEach(urls: readonly string[], step: (url: string) => Promise<void>): Promise<StepFailures> {
  const failures = new Map<string, StepFailure>();
  await Promise.all(
    urls.map((url) =>
      step(url).catch((error: unknown) => {
        if (!(error instanceof StepError)) throw error;
        failures.set(url, error.failure);
      }),
    ),
  );
  return failures;
}
