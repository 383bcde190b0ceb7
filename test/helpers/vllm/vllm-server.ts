import type { ServerResponse } from "node:http";
import { type RecordedRequest, startRecordingServer } from "../recording-server.js";
import { sendJson } from "../sglang/context.js";
import type { Fault } from "../sglang/protocol.js";
import { SglangScheduler } from "../sglang/scheduler.js";
import { inventedCompletion } from "../sglang/sglang-server.js";
import { WeightLoads } from "../weight-loads.js";
import type { VllmContext, VllmServerOptions } from "./context.js";
import { vllmControl } from "./control.js";
import { answerVllm, isProbe } from "./generate.js";
import { DeadEngine, Refusal } from "./refusal.js";
import { EOS } from "./reply.js";

export type { VllmServerOptions } from "./context.js";

export interface VllmServer {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Returns the requests to a path, without probes of the log probabilities. */
  to(path: string): RecordedRequest[];
  /** The probes: requests that find out which log probabilities the server reports. */
  readonly probes: readonly RecordedRequest[];
  readonly scheduler: SglangScheduler;
  readonly loads: WeightLoads;
  /** Names of the loaded adapters. */
  readonly adapters: string[];
  /** Sleeps since `/sleep`. */
  readonly asleep: boolean;
  /** Queues this fault for the next `times` generations (default 1), after faults that are already queued. */
  fault(fault: Fault, times?: number): void;
  /** Gives this fault to the next probe. */
  probeFault(fault: Fault): void;
  /** Ends the engine's process. The server stays, and what runs fails. */
  killEngine(): void;
  close(): Promise<void>;
}

/**
 * A server that behaves like vLLM's (`/inference/v1/generate`, `/v1/completions` with token ids, and the control
 * endpoints of its development mode), with invented tokens, or with faults on demand.
 */
export async function startVllmServer(options: VllmServerOptions = {}): Promise<VllmServer> {
  const context = makeContext(options);
  const server = await startRecordingServer({ port: options.port }, (request, response) =>
    route(context, request, response).catch((error: unknown) => answerError(response, error)),
  );
  return {
    url: server.url,
    get requests() {
      return server.requests.filter((request) => !asksForLogprobs(request));
    },
    get probes() {
      return server.requests.filter(asksForLogprobs);
    },
    to: (path) => server.requests.filter((request) => request.path === path && !asksForLogprobs(request)),
    scheduler: context.scheduler,
    loads: context.loads,
    get adapters() {
      return [...context.adapters.keys()];
    },
    get asleep() {
      return context.asleep.value;
    },
    probeFault: (fault) => void context.probeFaults.push(fault),
    fault: (fault, times = 1) => void context.faults.push(...Array<Fault>(times).fill(fault)),
    killEngine: () => {
      context.died = true;
      context.scheduler.abort("", true);
    },
    close: () => server.close(),
  };
}

function asksForLogprobs({ headers }: RecordedRequest): boolean {
  return isProbe(headers["x-request-id"]);
}

function makeContext(options: VllmServerOptions): VllmContext {
  return {
    options,
    model: options.model ?? "tiny",
    contextLength: options.contextLength ?? 131_072,
    faults: [],
    probeFaults: [],
    loads: new WeightLoads(),
    died: false,
    adapters: new Map(),
    asleep: { value: false },
    scheduler: new SglangScheduler({
      complete: options.complete ?? ((request) => inventedCompletion(request, 8)),
      isForced: options.isForced,
      tokenMilliseconds: options.tokenMilliseconds ?? 0,
      maxRunning: Number.POSITIVE_INFINITY,
      weightVersion: options.weightVersion ?? "default",
      eosTokenId: options.eosTokenId ?? EOS,
      tokenText: options.tokenText,
      findsStops: options.findsStops,
      onOutcome: options.onOutcome,
    }),
  };
}

async function route(context: VllmContext, request: RecordedRequest, response: ServerResponse): Promise<void> {
  const { options } = context;
  const { path, headers, body, method } = request;
  if (options.apiKey && GUARDED.test(path) && headers.authorization !== `Bearer ${options.apiKey}`) {
    return sendJson(response, 401, { error: "Unauthorized" });
  }
  if (options.missingPaths?.includes(path)) return sendJson(response, 404, { detail: "Not Found" });
  const endpoint = method === "POST" ? ENDPOINTS[path] : undefined;
  if (endpoint === undefined) return vllmControl(context, request, response);
  if (context.died) throw new DeadEngine();
  if (endpoint === "generate" && options.scaleOut === false) throw new Refusal(DISABLED, FORBIDDEN);
  await answerVllm(context, endpoint, body, response);
}

/** Paths that need the key. The endpoints of the development mode do not. */
const GUARDED = /^\/(?:v1|inference)\//;

const ENDPOINTS: Readonly<Record<string, "generate" | "completions">> = {
  "/v1/completions": "completions",
  "/inference/v1/generate": "generate",
};

const DISABLED = "Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.";
const FORBIDDEN = { status: 403, type: "PermissionDeniedError" };

function answerError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return;
  const text = error instanceof Error ? error.message : String(error);
  const refusal = error instanceof Refusal ? error : new Refusal(text, { status: 500, type: "InternalServerError" });
  sendJson(response, refusal.status, refusal.body);
}
