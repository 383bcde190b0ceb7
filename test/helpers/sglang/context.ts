import type { ServerResponse } from "node:http";
import type { EngineVision } from "../engine-vision.js";
import type { WeightLoads } from "../weight-loads.js";
import type { Fault, GenerateRequest } from "./protocol.js";
import type { ReplyOptions } from "./reply.js";
import type { SchedulerOptions, SglangScheduler } from "./scheduler.js";

export interface SglangServerOptions extends Partial<SchedulerOptions>, Partial<ReplyOptions> {
  /** Answers large prompts fast: does not parse input ids and keeps no bodies. */
  readonly fast?: boolean;
  /** Keeps no requests, for long runs. */
  readonly forgetful?: boolean;
  /** Returns the fault of a request to /generate, unless one is queued. */
  readonly drawFault?: (request: GenerateRequest) => Fault | undefined;
  /** Started with --incremental-streaming-output. */
  readonly incremental?: boolean;
  /** Tokens per frame of a stream; default 1. */
  readonly streamInterval?: number;
  /** Sends the frames of streams in pieces of this many bytes. */
  readonly pieceBytes?: number;
  readonly contextLength?: number;
  /** Started with --skip-tokenizer-init: no text, and no stop strings. */
  readonly skipTokenizerInit?: boolean;
  readonly apiKey?: string;
  /** Started with --admin-api-key: pausing, continuing and aborting require this key. */
  readonly adminApiKey?: string;
  /** Fields of /server_info that replace those of the real server. Undefined removes a field, as in older builds. */
  readonly serverInfo?: Readonly<Record<string, unknown>>;
  /** Time limit of /health, which needs a token; default: the real server's 20 s. */
  readonly healthMilliseconds?: number;
  /** The model sees images. */
  readonly vision?: EngineVision;
  /** Paths that return 404, as in builds without them. */
  readonly missingPaths?: readonly string[];
  /** Paths that never answer, like those that need the scheduler during a long prefill. */
  readonly silentPaths?: readonly string[];
  /** Started with --enable-lora. */
  readonly lora?: boolean;
  readonly port?: number;
  /** The address that it listens on, default loopback. */
  readonly host?: string;
}

/** State that the routes share. */
export interface ServerContext {
  readonly options: SglangServerOptions;
  readonly reply: ReplyOptions;
  readonly contextLength: number;
  readonly scheduler: SglangScheduler;
  readonly faults: Fault[];
  readonly loads: WeightLoads;
  /** Paths of the adapters by name. */
  readonly adapters: Map<string, string>;
  /** The server has freed its memory. */
  readonly asleep: { value: boolean };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value));
}

/** Like FastAPI's `Response(status_code=…)`, which has no content type. */
export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": 0 }).end();
}

/** A text without a content type. */
export function sendPlain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(text) }).end(text);
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text, "utf8");
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}
