import type { FastifyBaseLogger } from "fastify";
import type { InjectOptions, Response } from "light-my-request";
import { pino } from "pino";
import { type Config, parseConfig } from "../../src/config/index.js";
import type { Engine } from "../../src/engine/engine.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { type ChatModelOptions, loadChatModel } from "../../src/model/load-chat-model.js";
import { createServer } from "../../src/server/app.js";
import type { NamedEngineOptions } from "../../src/server/named-engines.js";
import type { ServerServices } from "../../src/server/services.js";
import type { ServerSettings } from "../../src/server/settings.js";
import { toServerSettings } from "../../src/server/start.js";
import { openOutbox } from "../../src/server/storage/open-archive.js";
import { openServerStorage } from "../../src/server/storage/server-storage.js";
import { openWeightVersion } from "../../src/server/storage/weight-version.js";
import { SessionRegistry } from "../../src/session/session-registry.js";
import type { Telemetry } from "../../src/telemetry/telemetry.js";
import { ScriptedEngine } from "./scripted-engine.js";

export const ADMIN_KEY = "sk-admin-0123456789abcdef";

const DEFAULTS = parseConfig({});

export interface ProxyOptions<E extends Engine> {
  readonly engine?: E;
  readonly model?: ChatModelOptions;
  /** Further models. `model` is the tiny one by default. */
  readonly engines?: readonly (Omit<NamedEngineOptions, "model"> & Partial<Pick<NamedEngineOptions, "model">>)[];
  /** Folder of the model. Default: the tiny model. */
  readonly folder?: string;
  readonly settings?: Partial<ServerSettings>;
  readonly timeoutMilliseconds?: number;
  readonly retention?: { milliseconds: number; bytes: number };
  readonly messageFilters?: readonly RegExp[];
  readonly workerTag?: string;
  /** Default: no log. */
  readonly logger?: FastifyBaseLogger;
  /** Default: no traces. */
  readonly telemetry?: Telemetry | undefined;
  /** Keys of the section `storage`. Default: sessions are not stored. */
  readonly storage?: { readonly directory: string } & Partial<Config["storage"]>;
}

interface Completion {
  readonly id: string;
  readonly choices: readonly [{ readonly message: object }];
}

export interface Turn {
  readonly id: string;
  readonly messages: readonly object[];
}

export interface StartedSession {
  readonly id: string;
  readonly key: string;
}

/** A response of the proxy. */
export class Reply {
  readonly status: number;
  readonly raw: Buffer;
  readonly headers: Response["headers"];

  constructor(response: Pick<Response, "statusCode" | "rawPayload" | "headers">) {
    this.status = response.statusCode;
    this.raw = response.rawPayload;
    this.headers = response.headers;
  }

  json<T>(): T {
    return JSON.parse(this.raw.toString()) as T;
  }

  /** The error in the body. */
  get error(): { code: string; message: string; type: string; param: string | null } & Record<string, unknown> {
    return this.json<{ error: Reply["error"] }>().error;
  }

  /** Status and error code, such as `409 session_active`; only the status if there is no error. */
  get refusal(): string {
    return this.status < 400 ? String(this.status) : `${this.status} ${this.error.code}`;
  }
}

/** A proxy in this process, called without sockets, with shorthands for tests. */
export class Proxy<E extends Engine = ScriptedEngine> {
  readonly engine: E;
  readonly context: ServerServices;
  readonly app: Awaited<ReturnType<typeof createServer>>["app"];

  private constructor(engine: E, app: Proxy<E>["app"], context: ServerServices) {
    this.engine = engine;
    this.app = app;
    this.context = context;
  }

  static async start<E extends Engine = ScriptedEngine>(options: ProxyOptions<E> = {}): Promise<Proxy<E>> {
    const engine = (options.engine ?? new ScriptedEngine()) as E;
    const model = await loadChatModel(options.folder ?? (await ensureTinyModel()).folder, options.model);
    const config = parseConfig(options.storage ? { storage: options.storage } : {});
    const needs = {
      modelDigest: model.digest,
      storeBytes: 1 << 30,
      logger: options.logger ?? pino({ level: "silent" }),
    };
    const storage = await openServerStorage(config, needs);
    const registry = new SessionRegistry({
      adminKey: ADMIN_KEY,
      timeoutMilliseconds: options.timeoutMilliseconds ?? 3_600_000,
      retention: options.retention ?? { milliseconds: 300_000, bytes: 1 << 30 },
      messageFilters: options.messageFilters ?? [],
      workerTag: options.workerTag,
      taggedKeysOnly: options.workerTag !== undefined,
      records: storage?.records,
      digestKey: storage?.digestKey,
    });
    registry.restore();
    const settings: ServerSettings = {
      ...toServerSettings(DEFAULTS, ADMIN_KEY, "tiny"),
      maxBodyBytes: 64 * 1024 * 1024,
      maxPromptCharacters: 64 * 1024 * 1024,
      knownRequestBytes: 64 * 1024 * 1024,
      drainSeconds: 5,
      shutdownSeconds: 1,
      ...options.settings,
    };
    const { app, context } = await createServer({
      registry,
      engine,
      model,
      engines: options.engines?.map((each) => ({ model, ...each })),
      settings,
      weightVersion: openWeightVersion(storage),
      storage,
      outbox: await openOutbox(config, needs.logger),
      telemetry: options.telemetry,
      ...(options.logger ? { logger: options.logger } : {}),
    });
    return new Proxy(engine, app, context);
  }

  async request(options: InjectOptions, key: string | null = ADMIN_KEY): Promise<Reply> {
    const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...options.headers };
    return new Reply(await this.app.inject({ ...options, headers }));
  }

  post(url: string, payload: object, key: string | null = ADMIN_KEY): Promise<Reply> {
    return this.request({ method: "POST", url, payload }, key);
  }

  async session(body: object = {}): Promise<StartedSession> {
    await this.post("/grant_capacity", {});
    const started = (await this.post("/rl/start_session", body)).json<{
      session_id: string;
      session_api_key: string;
    }>();
    return { id: started.session_id, key: started.session_api_key };
  }

  chat({ key }: StartedSession, messages: readonly object[], extra: object = {}, headers = {}): Promise<Reply> {
    return this.request(
      { method: "POST", url: "/v1/chat/completions", payload: { model: "tiny", messages, ...extra }, headers },
      key,
    );
  }

  /** Makes a chat call. Returns its id, and the conversation with its answer. */
  async turn(session: StartedSession, messages: readonly object[], extra: object = {}): Promise<Turn> {
    const { id, choices } = (await this.chat(session, messages, extra)).json<Completion>();
    return { id, messages: [...messages, choices[0].message] };
  }

  end({ key }: StartedSession): Promise<Reply> {
    return this.post("/rl/end_session", {}, key);
  }

  reward({ key }: StartedSession, reward: unknown, interactionId?: string): Promise<Reply> {
    return this.post("/rl/set_reward", { reward, interaction_id: interactionId }, key);
  }

  export({ id }: StartedSession, extra: object = {}): Promise<Reply> {
    return this.post("/export_trajectories", { session_id: id, ...extra });
  }

  async close(): Promise<void> {
    await this.context.archive?.close(1);
    await this.app.close();
    await this.context.storage?.records.committed().catch(() => undefined);
    await this.context.storage?.storage.close();
  }
}
