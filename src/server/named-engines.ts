import type { FastifyBaseLogger } from "fastify";
import type { WeightMetrics } from "../admin-api/weights/weight-metrics.js";
import type { Engine } from "../engine/engine.js";
import { ApiError } from "../http/errors.js";
import type { ChatModel } from "../model/chat-model.js";
import type { ModelRequest } from "../protocols/model-request.js";
import { EngineHealth, type HealthResult } from "./engine-health.js";
import { openImageTokens } from "./image-policy.js";
import type { ConversationMemory } from "./memory/conversation-memory.js";
import { RerenderedCalls } from "./rerendered-calls.js";
import type {
  AnsweringModel,
  AnsweringModels,
  CallServices,
  ExportServices,
  ModelServices,
  NamedEngine,
} from "./services.js";
import type { ServerStorage } from "./storage/server-storage.js";
import { openVersionLabels } from "./storage/version-labels.js";
import { openWeightVersion } from "./storage/weight-version.js";
import { openWeights } from "./weights/open-weights.js";

/** A model that the server answers besides its main one: an entry of `engines` in the configuration. */
export interface NamedEngineOptions {
  /** The `model` of requests that it answers. */
  readonly name: string;
  /** The model is not trained: its weights never change, and batches leave its interactions out. */
  readonly frozen: boolean;
  readonly engine: Engine;
  /** May be that of the main engine. */
  readonly model: ChatModel;
}

interface OpenOptions {
  readonly storage?: ServerStorage | undefined;
  readonly metrics: WeightMetrics;
  readonly logger: FastifyBaseLogger;
  /** Remembers the newest requests of each of the engines, in their order. */
  readonly conversations: readonly ConversationMemory[];
}

/** The models of a server, by their names. The first is the main one. */
export class NamedEngines implements AnsweringModels {
  readonly all: readonly NamedEngine[];
  readonly #byName: ReadonlyMap<string, NamedEngine>;
  readonly #main: NamedEngine;

  private constructor(main: NamedEngine, others: readonly NamedEngine[]) {
    this.#main = main;
    this.all = [main, ...others];
    this.#byName = new Map(this.all.map((each) => [each.name, each]));
  }

  /** @param main services of the main model, and what the others share with it */
  static async open(
    main: CallServices & ModelServices,
    engines: readonly NamedEngineOptions[],
    options: OpenOptions,
  ): Promise<NamedEngines> {
    const others = await Promise.all(
      engines.map((each, i) => openNamedEngine(main, each, { ...options, conversations: options.conversations[i] })),
    );
    const { modelName: name } = main.settings;
    return new NamedEngines(toNamedEngine({ name, frozen: false }, main), others);
  }

  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  get trained(): readonly NamedEngine[] {
    return this.all.filter(({ frozen }) => !frozen);
  }

  lookUp(name: string | undefined): NamedEngine | undefined {
    return name === undefined ? this.#main : this.#byName.get(name);
  }

  find(name: string | undefined): NamedEngine {
    const found = this.lookUp(name);
    if (found) return found;
    const message = `The model \`${String(name).slice(0, 100)}\` does not exist. This server answers ${this.names.join(", ")}.`;
    throw new ApiError("model_not_found", message, { param: "model" });
  }

  findTrained(name: string | undefined): NamedEngine {
    const { trained } = this;
    if (name === undefined && trained.length > 1) {
      const names = trained.map((each) => each.name).join(", ");
      const message = `\`model\` must be set, because several models are trained: ${names}.`;
      throw new ApiError("invalid_value", message, { param: "model" });
    }
    const found = this.find(name);
    if (!found.frozen) return found;
    const message = `\`model\` must name a model that is trained; ${found.name} is frozen.`;
    throw new ApiError("invalid_value", message, { param: "model" });
  }
}

function toNamedEngine(
  answering: AnsweringModel,
  main: CallServices & ModelServices,
  own: Partial<CallServices & ModelServices> = {},
): NamedEngine {
  const services = {
    ...main,
    ...own,
    answering,
    // These change.
    get draining() {
      return main.draining;
    },
    get cordoned() {
      return main.cordoned;
    },
  };
  return { ...answering, services };
}

async function openNamedEngine(
  main: CallServices & ModelServices,
  { name, frozen, engine, model }: NamedEngineOptions,
  options: Omit<OpenOptions, "conversations"> & { readonly conversations: ConversationMemory | undefined },
): Promise<NamedEngine> {
  const { storage, metrics, logger, conversations = main.conversations } = options;
  const settings = { ...main.settings, modelName: name };
  const scope = `:${name}`;
  const weightVersion = openWeightVersion(storage, undefined, scope);
  const warn = (key: string) => (message: string) => logger.warn({ key, model: name }, message);
  const weights = frozen
    ? undefined
    : await openWeights({ engine, model, weightVersion, storage, metrics, logger, scope });
  return toNamedEngine({ name, frozen }, main, {
    engine,
    model,
    settings,
    weightVersion,
    weights,
    versionLabels: openVersionLabels(storage, logger, scope),
    conversations,
    rerendered: new RerenderedCalls(warn("rollout.agent.chat_template_type")),
    imageTokens: openImageTokens({ model, engine, settings }, warn("rollout.agent.images")),
  });
}

/**
 * Returns the services of the model that a request names: those given, if the server answers only one model, whatever the name.
 *
 * @throws ApiError `model_not_found`, or `unsupported_parameter` if the model takes no images
 */
export function servicesFor(services: CallServices, request: Pick<ModelRequest, "model" | "images">): CallServices {
  if (services.engines === undefined) return services;
  const { name, services: found } = services.engines.find(request.model);
  if (request.images === undefined || found.imageTokens !== undefined) return found;
  const message = `The model \`${name}\` takes no images.`;
  throw new ApiError("unsupported_parameter", message, { param: "messages" });
}

/** Returns the services of one model for a control call; see {@link NamedEngines.findTrained}. Unknown names are refused. */
export function findTrained(services: ExportServices, name: string | undefined): ModelServices {
  return withoutOthers(services, name) ?? services.engines?.findTrained(name).services ?? services;
}

/** Returns the services of the models that a control call concerns: the named one, or all that are not frozen. */
export function listControlled(services: ExportServices, name: string | undefined): readonly ModelServices[] {
  const only = withoutOthers(services, name);
  if (only || !services.engines) return [services];
  return (name === undefined ? services.engines.trained : [services.engines.find(name)]).map((each) => each.services);
}

/** Returns the services of a server with one model. @throws ApiError `model_not_found` if the call names one, because it has no names */
function withoutOthers(services: ExportServices, name: string | undefined): ExportServices | undefined {
  if (services.engines) return undefined;
  if (name === undefined) return services;
  const message = `The server answers one model whatever its name, so \`model\` must be absent; received ${name.slice(0, 100)}.`;
  throw new ApiError("model_not_found", message, { param: "model" });
}

/** Returns the health of all engines: the first that does not work decides. */
export function openHealth({ all }: AnsweringModels): Pick<EngineHealth, "check"> {
  const checks = all.map(({ name, services }) => ({ name, health: new EngineHealth(services.engine) }));
  return {
    async check(): Promise<HealthResult> {
      for (const { name, result } of checks.map(({ name, health }) => ({ name, result: health.check() }))) {
        const answer = await result;
        if (!answer.ok) return { ok: false, message: `${name}: ${answer.message}` };
      }
      return { ok: true };
    },
  };
}
