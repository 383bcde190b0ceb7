import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { type Config, parseConfig } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";
import { createServer } from "../server/app.js";
import { withImagePolicy } from "../server/image-policy.js";
import { createRegistry, toServerSettings } from "../server/start.js";
import { startSweeps } from "../server/sweeps.js";
import { chooseTemplateType, withTemplateType } from "../server/template-type.js";
import { ProxyError } from "./errors.js";

/** A proxy that does not listen, and its admin key. */
export interface InProcessProxy {
  readonly app: { readonly server: Server };
  readonly adminKey: string;
}

export interface EngineOptions {
  /** An engine from `createSglangEngine` or a similar function. The caller closes it. */
  readonly engine: Engine;
  /** Tokenizer and chat template of the engine's model, from `loadChatModel`. The caller closes it. */
  readonly tokenizer: ChatModel;
  /**
   * Its `rollout.agent`, `server` and `model.name` apply as in a server. By default every key has its default, except
   * that `rollout.agent.chat_template_type` is `concat` if the chat template allows it.
   */
  readonly config?: Config | undefined;
}

interface SharedProxy extends Pick<EngineOptions, "tokenizer" | "config"> {
  readonly started: Promise<InProcessProxy>;
}

/**
 * Clients of one engine share a proxy, because a program has one client per episode. The proxy lives as long as the engine.
 * It need not be closed: without a socket, nothing in it keeps the process alive, and no timer keeps the engine alive.
 */
const proxies = new WeakMap<Engine, SharedProxy[]>();

/** Returns the proxy of this engine, tokenizer and configuration. The first call creates it. */
export async function inProcessProxy({ engine, tokenizer, config }: EngineOptions): Promise<InProcessProxy> {
  const shared = proxies.get(engine) ?? [];
  proxies.set(engine, shared);
  const found = shared.find((proxy) => proxy.tokenizer === tokenizer && isDeepStrictEqual(proxy.config, config));
  const entry = found ?? { tokenizer, config, started: start(engine, tokenizer, config ?? chooseDefaults(tokenizer)) };
  if (!found) shared.push(entry);
  try {
    return await entry.started;
  } catch (error) {
    // The next client tries again.
    if (shared.includes(entry)) shared.splice(shared.indexOf(entry), 1);
    throw error;
  }
}

/** Without a configuration, prompts continue recorded tokens if the chat template allows it. */
function chooseDefaults(model: ChatModel): Config {
  const config = parseConfig({});
  return withTemplateType(config, chooseTemplateType(config, model, "library"));
}

async function start(engine: Engine, model: ChatModel, given: Config): Promise<InProcessProxy> {
  const config = withImagePolicy(given, { model, engine });
  if (config.storage.directory !== null) {
    const message =
      "storage.directory must be null: a proxy in this process is never closed, so its sessions cannot be stored. Use `rolltape serve`.";
    throw new ProxyError("invalid_value", message, { param: "storage.directory" });
  }
  const adminKey = `sk-admin-${randomBytes(32).toString("base64url")}`;
  const registry = createRegistry(config, adminKey);
  const settings = toServerSettings(config, adminKey, config.model.name ?? model.name);
  // Batches name the caller's engine, not the engine of the configuration.
  const recordedConfig = { ...settings.recordedConfig, engine: engine.type };
  const { app, context } = await createServer({ registry, engine, model, settings: { ...settings, recordedConfig } });
  startSweeps(context, config);
  return { app, adminKey };
}
