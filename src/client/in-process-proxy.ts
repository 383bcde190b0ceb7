import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { type Config, parseConfig } from "../config/index.js";
import type { ChatModel } from "../conversation/model.js";
import type { Engine } from "../engine/engine.js";
import { createServer } from "../server/app.js";
import { createRegistry, settingsOf } from "../server/start.js";

/** A proxy that does not listen, and its admin key. */
export interface InProcessProxy {
  readonly app: { readonly server: Server };
  readonly adminKey: string;
}

export interface EngineOptions {
  /** As `createSglangEngine` and the like make one. The caller closes it. */
  readonly engine: Engine;
  /** Tokenizer and chat template of the engine's model, as `loadChatModel` reads them. The caller closes it. */
  readonly tokenizer: ChatModel;
  /** What a server would read in its `rollout.agent` and `server`. Default: every key has its default. */
  readonly config?: Config | undefined;
}

interface Known extends Pick<EngineOptions, "tokenizer" | "config"> {
  readonly started: Promise<StartedProxy>;
}

interface StartedProxy extends InProcessProxy {
  /** Frees sessions that saw no call for too long, and exported ones that need not be kept. */
  readonly sweep: () => void;
}

/**
 * Clients of one engine share a proxy, since a program has a client for each episode. It lives as long as the engine: a
 * proxy that does not listen holds no socket, and nothing in it keeps the process alive.
 */
const proxies = new WeakMap<Engine, Known[]>();

/** Returns the proxy of this engine, tokenizer and configuration, which the first call creates. */
export async function inProcessProxy({ engine, tokenizer, config }: EngineOptions): Promise<InProcessProxy> {
  const known = proxies.get(engine) ?? [];
  proxies.set(engine, known);
  const found = known.find((each) => each.tokenizer === tokenizer && each.config === config);
  const entry = found ?? { tokenizer, config, started: start(engine, tokenizer, config ?? parseConfig({})) };
  if (!found) known.push(entry);
  try {
    const proxy = await entry.started;
    proxy.sweep();
    return proxy;
  } catch (error) {
    // The next client tries again.
    if (known.includes(entry)) known.splice(known.indexOf(entry), 1);
    throw error;
  }
}

async function start(engine: Engine, model: ChatModel, config: Config): Promise<StartedProxy> {
  const adminKey = `sk-admin-${randomBytes(32).toString("base64url")}`;
  const registry = createRegistry(config, adminKey);
  const settings = settingsOf(config, adminKey, config.model.name ?? model.name);
  // The configuration's engine is not the one that was given.
  const recordedConfig = { ...settings.recordedConfig, engine: engine.type };
  const { app } = await createServer({ registry, engine, model, settings: { ...settings, recordedConfig } });
  return { app, adminKey, sweep: () => registry.sweep() };
}
