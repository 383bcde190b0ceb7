import type { FastifyBaseLogger } from "fastify";
import { observeUpdates } from "../../admin-api/weights/observe-updates.js";
import type { WeightMetrics } from "../../admin-api/weights/weight-metrics.js";
import type { WeightTargets } from "../../admin-api/weights/weight-targets.js";
import { WeightUpdates } from "../../admin-api/weights/weight-updates.js";
import type { Engine } from "../../engine/engine.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { CurrentVersion } from "../current-version.js";
import type { ServerStorage } from "../storage/server-storage.js";
import { EmbeddedTargets } from "./embedded-targets.js";
import { EMBEDDED, KnownWeights } from "./known-weights.js";
import { ServerTargets } from "./server-targets.js";
import { UpdateFence } from "./update-fence.js";

/** The weight updates of a server. */
export interface ServerWeights {
  readonly updates: WeightUpdates;
  readonly targets: WeightTargets;
  readonly known: KnownWeights;
  /** Keeps the updates of several gateways apart. */
  readonly fence: UpdateFence;
}

interface WeightsOptions {
  readonly engine: Engine;
  readonly model: Pick<ChatModel, "folder">;
  readonly weightVersion: CurrentVersion;
  readonly storage?: ServerStorage | undefined;
  readonly metrics: WeightMetrics;
  readonly logger: FastifyBaseLogger;
  /** See {@link openWeightVersion}. */
  readonly scope?: string | undefined;
}

/**
 * Opens the weight updates of a server, as they were before a restart. Returns undefined if the engine cannot load weights.
 *
 * An interrupted update of engine servers is restored as a failed one, which holds model calls. Servers with other weights than
 * those of the current version stay drained. The embedded engine loads the weights of the current version again.
 */
export async function openWeights(options: WeightsOptions): Promise<ServerWeights | undefined> {
  const { engine, model, weightVersion, storage, metrics, logger, scope } = options;
  const known = new KnownWeights(weightVersion, storage, scope);
  const targets = chooseTargets(engine, weightVersion, known, model.folder);
  if (!targets) return undefined;
  const updates = new WeightUpdates(targets, observeUpdates(logger, metrics));
  const weights = { updates, targets, known, fence: new UpdateFence(known) };
  engine.servers?.update.useAdapter(known.adapter);
  if (engine.servers) await restoreServers(weights, logger);
  else await restoreEmbedded(weights, logger);
  return weights;
}

function chooseTargets(
  { servers, localWeights }: Engine,
  current: CurrentVersion,
  known: KnownWeights,
  modelFolder: string,
): WeightTargets | undefined {
  if (servers) return new ServerTargets(servers, current, known, modelFolder);
  return localWeights && new EmbeddedTargets(localWeights, current, known);
}

async function restoreServers({ updates, targets, known }: ServerWeights, logger: FastifyBaseLogger): Promise<void> {
  const servers = await targets.servers();
  const outdated = servers.filter(({ version }) => version !== targets.version);
  if (known.update?.mode === "lora") {
    logger.error({ ...known.update }, "the load of an adapter was interrupted; the weights before it are in effect");
    known.end(servers);
  }
  const { update } = known;
  if (update) {
    await targets.pause([], []);
    const error = `The server stopped during the weight update to version ${update.version}.`;
    updates.interrupt({ target: update, error }, servers);
    logger.error({ ...update, servers }, "a weight update was interrupted; model calls are held until it is repeated");
  } else if (outdated.length > 0) {
    await targets.drain(outdated.map(({ url }) => url));
    logger.warn({ servers: outdated }, "engine servers without the current weights stay drained");
  }
}

/** A process has the weights of its configuration when it starts. */
async function restoreEmbedded({ updates, targets, known }: ServerWeights, logger: FastifyBaseLogger): Promise<void> {
  const { update } = known;
  const { version, path } = known.find(EMBEDDED);
  const servers = await targets.servers();
  if (update) {
    known.end(servers);
    logger.error(
      { ...update, current: version },
      "a weight update was interrupted; the weights before it are in effect",
    );
  }
  if (path === null || version === null) return;
  const target = { version, mode: "path", path } as const;
  try {
    await targets.pause([], []);
    await targets.load(EMBEDDED, target, new AbortController().signal);
    await targets.release(servers, false);
    logger.info({ version, path }, "weights loaded again");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    updates.interrupt({ target, error: `The weights could not be loaded again: ${reason}` }, [
      { url: EMBEDDED, version: null, path: null, draining: false },
    ]);
    logger.error({ version, path, error: reason }, "the weights could not be loaded again; model calls are held");
  }
}
