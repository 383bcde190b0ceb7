import { Deadline } from "../../../support/async/deadline.js";
import { EngineError, NotLoadedError, type ServerUpdate } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import type { EngineServerOptions } from "../engine-server-options.js";
import type { ServerPool } from "../pool/server-pool.js";
import { KeyRefusedError, NotServedError } from "../wire/errors.js";
import type { PauseControl } from "./pause-control.js";

const DEFAULT_WEIGHTS_SECONDS = 1800;

/** Returns the steps of a weight update on the servers of a pool. */
export function createServerUpdate(
  pool: ServerPool,
  control: PauseControl,
  { weightsTimeoutSeconds = DEFAULT_WEIGHTS_SECONDS }: Pick<EngineServerOptions, "weightsTimeoutSeconds">,
): ServerUpdate {
  const find = (url: string): EngineServer => {
    const server = pool.servers.find((each) => each.url === url);
    if (!server) throw new RangeError(`The engine has no server with the URL ${url}.`);
    return server;
  };
  const limited = async (caller: AbortSignal | undefined, task: (signal: AbortSignal) => Promise<void>) => {
    using deadline = new Deadline(caller, weightsTimeoutSeconds || undefined, () => tooSlow(weightsTimeoutSeconds));
    await task(deadline.signal);
  };
  return {
    pause: (urls, cutAll) => control.pauseEach(urls, cutAll),
    requireSleep: (url) => find(url).requireSleep(),
    sleep: async (url, caller) => {
      let keepsWeights = true;
      await limited(caller, async (signal) => {
        keepsWeights = await find(url).sleep(signal).catch(refuseUnchanged);
      });
      return keepsWeights;
    },
    wake: (url, caller) => limited(caller, (signal) => find(url).wake(signal)),
    load: (url, weights, caller) =>
      limited(caller, async (signal) => {
        await find(url).loadWeights(weights, signal).catch(refuseUnchanged);
        pool.reportReached(url);
      }),
    finish: (url, version, caller) =>
      limited(caller, async (signal) => {
        const server = find(url);
        await server.flushCache(signal);
        if (await server.setWeightVersion(version, signal)) server.versions.given(version);
      }),
    resume: (urls) => control.resumeEach(urls),
    abandon: (url) => pool.abandon(url),
    release: () => control.release(),
    loadAdapter: (url, adapter, caller) =>
      limited(caller, async (signal) => {
        await find(url).loadAdapter(adapter, signal);
        pool.reportReached(url);
      }),
    useAdapter: (adapter) => {
      for (const server of pool.servers) server.adapters.use(adapter);
    },
  };
}

/** A server that refuses the key or does not know the request has not changed anything. */
function refuseUnchanged(error: unknown): never {
  if (error instanceof KeyRefusedError || error instanceof NotServedError) {
    throw new NotLoadedError(error.code, error.message, { cause: error });
  }
  throw error;
}

function tooSlow(seconds: number): EngineError {
  const message = `The engine did not answer within ${seconds} seconds.`;
  return new EngineError("engine_timeout", message);
}
