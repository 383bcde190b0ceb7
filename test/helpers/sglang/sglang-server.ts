import type { ServerResponse } from "node:http";
import { type RecordedRequest, startRecordingServer } from "../recording-server.js";
import { WeightLoads } from "../weight-loads.js";
import { type ServerContext, type SglangServerOptions, sendJson } from "./context.js";
import { controlRoute } from "./control.js";
import { answerGenerate } from "./generate.js";
import { BadRequest, type Fault, type GenerateRequest } from "./protocol.js";
import { InvalidBody, UnknownField } from "./request.js";
import { SglangScheduler } from "./scheduler.js";

export type { SglangServerOptions } from "./context.js";

export interface SglangServer {
  readonly url: string;
  /** Every request so far. Empty if the server is `fast` or `forgetful`. */
  readonly requests: readonly RecordedRequest[];
  /** The requests of one path. */
  to(path: string): RecordedRequest[];
  readonly connections: number;
  readonly scheduler: SglangScheduler;
  readonly loads: WeightLoads;
  /** Names of the loaded adapters. */
  readonly adapters: string[];
  asleep: boolean;
  /** Has no adapters any more, as after a restart. */
  forgetAdapters(): void;
  /** Queues this fault for the next `times` requests to /generate (default 1), after faults that are already queued. */
  fault(fault: Fault, times?: number): void;
  close(): Promise<void>;
}

/**
 * A server that behaves like SGLang's HTTP server (`/generate`, streamed and not, and the control endpoints), with
 * invented tokens, or with faults on demand.
 */
export async function startSglangServer(options: SglangServerOptions = {}): Promise<SglangServer> {
  const context = makeContext(options);
  const { port, host, fast = false, forgetful = false } = options;
  const server = await startRecordingServer({ port, host, fast: fast || forgetful }, (request, response) =>
    route(context, request, response).catch((error: unknown) => answerError(response, error)),
  );
  return {
    url: server.url,
    requests: server.requests,
    to: (path) => server.requests.filter((request) => request.path === path),
    get connections() {
      return server.connections;
    },
    scheduler: context.scheduler,
    loads: context.loads,
    get adapters() {
      return [...context.adapters.keys()];
    },
    get asleep() {
      return context.asleep.value;
    },
    set asleep(value) {
      context.asleep.value = value;
    },
    forgetAdapters: () => context.adapters.clear(),
    fault: (fault, times = 1) => void context.faults.push(...Array<Fault>(times).fill(fault)),
    close: () => server.close(),
  };
}

function makeContext(options: SglangServerOptions): ServerContext {
  return {
    options,
    contextLength: options.contextLength ?? 131_072,
    faults: [],
    adapters: new Map(),
    asleep: { value: false },
    loads: new WeightLoads(),
    scheduler: new SglangScheduler({
      complete: options.complete ?? ((request) => inventedCompletion(request, 8)),
      isForced: options.isForced,
      tokenMilliseconds: options.tokenMilliseconds ?? 0,
      maxRunning: options.maxRunning ?? Number.POSITIVE_INFINITY,
      weightVersion: options.weightVersion ?? "default",
      eosTokenId: options.eosTokenId ?? 2,
      onOutcome: options.onOutcome,
      tokenText: options.tokenText,
      findsStops: options.findsStops,
      maxQueued: options.maxQueued,
    }),
    reply: {
      text: options.text ?? !options.skipTokenizerInit,
      weightVersionSpans: options.weightVersionSpans ?? true,
      cachedTokens: options.cachedTokens ?? (() => 0),
      experts: options.experts,
      allExperts: options.allExperts,
      masks: options.masks,
    },
  };
}

/** Ids below 509 that depend only on their position, so that a resumed completion continues with the right ones. */
export function inventedCompletion({ inputLength }: GenerateRequest, tokens: number): number[] {
  return Array.from({ length: tokens }, (_, index) => 3 + (((inputLength + index) * 7919) % 506));
}

const ADMIN_PATHS: ReadonlySet<string> = new Set([
  "/pause_generation",
  "/continue_generation",
  "/abort_request",
  "/update_weights_from_disk",
  "/update_weight_version",
  "/flush_cache",
  "/load_lora_adapter",
  "/unload_lora_adapter",
  "/release_memory_occupation",
  "/resume_memory_occupation",
]);

async function route(context: ServerContext, request: RecordedRequest, response: ServerResponse): Promise<void> {
  const { path, headers, body, method } = request;
  const { apiKey, adminApiKey, missingPaths, silentPaths } = context.options;
  if (silentPaths?.includes(path)) return;
  if (missingPaths?.includes(path)) return sendJson(response, 404, { detail: "Not Found" });
  const key = ADMIN_PATHS.has(path) ? (adminApiKey ?? apiKey) : apiKey;
  if (key && path !== "/health" && headers.authorization !== `Bearer ${key}`) {
    return sendJson(response, 401, { error: "Unauthorized" });
  }
  if (path === "/generate" && method === "POST") return answerGenerate(context, body, response);
  await controlRoute(context, request, response);
}

function answerError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UnknownField) return sendJson(response, 400, { error: message });
  if (error instanceof InvalidBody) {
    return sendJson(response, 400, { object: "error", message, type: "Bad Request", param: null, code: 400 });
  }
  const status = error instanceof BadRequest || error instanceof SyntaxError ? 400 : 500;
  sendJson(response, status, { error: { message } });
}
