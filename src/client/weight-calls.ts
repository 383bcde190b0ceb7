import { z } from "zod";
import { Deadline } from "../support/async/deadline.js";
import { sleep } from "../support/async/sleep.js";
import { ProxyError } from "./errors.js";
import type { CallOptions, ProxyCalls } from "./proxy-calls.js";

const PATH = "/rl/weights";

/** Longest time for which the proxy holds its answer. After that, the update is polled. */
const WAIT_SECONDS = 20;
/** Added to the wait, because a gateway first reads all its workers. */
const CALL_SECONDS = WAIT_SECONDS + 40;
/** Loading a large model takes minutes on each server. */
const UPDATE_SECONDS = 3600;
const POLL_MS = 1_000;
const PROGRESS_MS = 250;

const version = z.int();
const serverReply = z.object({
  url: z.string(),
  version: version.nullable(),
  state: z.enum(["pending", "loading", "loaded", "failed", "excluded"]),
  seconds: z.number().nullable(),
  error: z.string().nullable(),
});

const statusReply = z
  .object({
    state: z.enum(["idle", "pausing", "loading", "external", "resuming", "failed"]),
    version,
    target_version: version.nullable(),
    mode: z.enum(["path", "external", "lora"]).nullable(),
    path: z.string().nullable(),
    started_at: z.number().nullable(),
    paused_seconds: z.number().nullable(),
    // Absent in the answers of older proxies.
    checked: z.boolean().nullable().default(null),
    not_checked: z.string().nullable().default(null),
    error: z.string().nullable(),
    servers: z.array(serverReply),
  })
  .transform(({ target_version, started_at, paused_seconds, not_checked, ...status }) => {
    return {
      ...status,
      targetVersion: target_version,
      startedAt: started_at,
      pausedSeconds: paused_seconds,
      notChecked: not_checked,
    };
  });

/** The weights of the engine servers, and the progress of an update. See docs/reference/weights.md. */
export type WeightsStatus = Readonly<z.output<typeof statusReply>>;

/** Weights that the engine loads from a path, or that the caller pushes to the engine servers itself. */
export type NewWeights =
  | {
      readonly version: number;
      readonly path: string;
      /** Loads the weights even if tensors of the model are missing or have other shapes. Default false. */
      readonly allowPartial?: boolean | undefined;
    }
  | {
      readonly version: number;
      readonly external: true;
      /** The engine servers free the memory of their devices until the update is finished with a path. Default false. */
      readonly sleep?: boolean | undefined;
    }
  | {
      readonly version: number;
      /** An adapter that is loaded beside others, under a name that no other one has had. Calls go on meanwhile. */
      readonly lora: { readonly name: string; readonly path: string };
    };

export interface WeightsOptions extends CallOptions {
  /** Addresses of engine servers to leave out. They are drained and keep their weights. */
  readonly exclude?: readonly string[] | undefined;
  /** Receives the progress a few times a second. */
  readonly onProgress?: ((status: WeightsStatus) => void) | undefined;
}

export interface FinishOptions extends WeightsOptions {
  /** The weights with which servers wake up that {@link NewWeights} put to sleep. */
  readonly path?: string | undefined;
}

/** The calls of a weight update. An update goes on if the caller stops waiting for it. */
export class WeightCalls {
  readonly #calls: ProxyCalls;

  constructor(calls: ProxyCalls) {
    this.#calls = calls;
  }

  status(options: CallOptions = {}): Promise<WeightsStatus> {
    return this.#calls.json({ method: "GET", path: PATH, idempotent: true, ...options }, statusReply);
  }

  update(weights: NewWeights, options: WeightsOptions): Promise<WeightsStatus> {
    return this.#run(PATH, { version: weights.version, ...writeWeights(weights) }, options);
  }

  /** @param path weights of servers that sleep */
  finish(version: number, { path, ...options }: FinishOptions): Promise<WeightsStatus> {
    return this.#run(`${PATH}/finish`, { version, path }, options);
  }

  giveUp(options: CallOptions): Promise<WeightsStatus> {
    const call = {
      method: "DELETE",
      path: PATH,
      idempotent: true,
      timeoutSeconds: 2 * CALL_SECONDS,
      ...options,
    } as const;
    return this.#calls.json(call, statusReply).catch((error: unknown) => {
      throw readFailure(error);
    });
  }

  /** Makes a call that begins or joins the update, and waits until the update stops running. */
  async #run(path: string, body: object, { exclude, onProgress, ...options }: WeightsOptions): Promise<WeightsStatus> {
    const { timeoutSeconds = UPDATE_SECONDS } = options;
    const expired = () =>
      new ProxyError("request_timed_out", `The weight update took more than ${timeoutSeconds} seconds. It goes on.`);
    using deadline = new Deadline(options.signal, timeoutSeconds, expired);
    const { signal } = deadline;
    const wait_seconds = onProgress ? 0 : Math.min(WAIT_SECONDS, timeoutSeconds);
    const call = {
      path,
      body: { ...body, exclude, wait_seconds },
      idempotent: true,
      signal,
      timeoutSeconds: CALL_SECONDS,
    };
    let status = await this.#calls.json(call, statusReply).catch((error: unknown) => {
      throw readFailure(error);
    });
    for (;;) {
      onProgress?.(status);
      if (status.state === "failed" || status.error !== null) throw failedError(status);
      if (status.state === "idle" || status.state === "external") return status;
      await sleep(onProgress ? PROGRESS_MS : POLL_MS, signal);
      status = await this.status({ signal });
    }
  }
}

function writeWeights(weights: NewWeights): object {
  if ("path" in weights) return { path: weights.path, allow_partial: weights.allowPartial };
  if ("lora" in weights) return { lora: weights.lora };
  return { mode: "external", sleep: weights.sleep };
}

/** Returns the weights in an error of {@link WeightCalls.update} or {@link WeightCalls.finish}; undefined for other errors. */
export function failedWeights(error: unknown): WeightsStatus | undefined {
  if (!(error instanceof ProxyError) || error.code !== "weights_failed") return undefined;
  return error.details["weights"] as WeightsStatus | undefined;
}

/** Returns an error of the proxy with its record in the form of this client. */
function readFailure(error: unknown): unknown {
  if (!(error instanceof ProxyError) || error.code !== "weights_failed") return error;
  const { success, data } = statusReply.safeParse(error.details["weights"]);
  const details = success ? { weights: data } : {};
  return new ProxyError(error.code, error.message, { status: error.status, details, cause: error });
}

function failedError(status: WeightsStatus): ProxyError {
  const message = `The weight update failed. ${status.error ?? ""}`;
  return new ProxyError("weights_failed", message, { status: 502, details: { weights: status } });
}
