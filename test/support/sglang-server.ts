import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { type ServerContext, type SglangServerOptions, sendJson } from "./sglang-context.js";
import { controlRoute } from "./sglang-control.js";
import { answerGenerate } from "./sglang-generate.js";
import type { Fault, GenerateRequest } from "./sglang-protocol.js";
import { BadRequest, parseObject } from "./sglang-request.js";
import { SglangScheduler } from "./sglang-scheduler.js";

export type { SglangServerOptions } from "./sglang-context.js";

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** The body as an object. */
  readonly json: Record<string, unknown>;
  /** Counts connections from 0: two requests with the same number came over one. */
  readonly connection: number;
}

export interface SglangServer {
  readonly url: string;
  /** Every request so far; empty when the server is `fast`. */
  readonly requests: readonly RecordedRequest[];
  /** The requests of one path. */
  to(path: string): RecordedRequest[];
  readonly connections: number;
  readonly scheduler: SglangScheduler;
  /** The next `times` requests to /generate (default 1) that no earlier fault waits for have this fault. */
  fault(fault: Fault, times?: number): void;
  close(): Promise<void>;
}

/**
 * A server that answers as SGLang's HTTP server does (`/generate`, streamed and not, and the control endpoints), with
 * invented tokens, or with faults on demand.
 */
export async function startSglangServer(options: SglangServerOptions = {}): Promise<SglangServer> {
  const context = makeContext(options);
  const requests: RecordedRequest[] = [];
  const sockets = new Map<Socket, number>();
  const server = createServer((request, response) => {
    handle(context, requests, sockets, request, response).catch((error: unknown) => answerError(response, error));
  });
  server.on("connection", (socket) => sockets.set(socket, sockets.size));
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${addressOf(server).port}`,
    requests,
    to: (path) => requests.filter((request) => request.path === path),
    get connections() {
      return sockets.size;
    },
    scheduler: context.scheduler,
    fault: (fault, times = 1) => void context.faults.push(...Array<Fault>(times).fill(fault)),
    close: () => closeServer(server),
  };
}

function makeContext(options: SglangServerOptions): ServerContext {
  return {
    options,
    contextLength: options.contextLength ?? 131_072,
    faults: [],
    scheduler: new SglangScheduler({
      complete: options.complete ?? ((request) => inventedCompletion(request, 8)),
      tokenMilliseconds: options.tokenMilliseconds ?? 0,
      maxRunning: options.maxRunning ?? Number.POSITIVE_INFINITY,
      weightVersion: options.weightVersion ?? "default",
      eosTokenId: options.eosTokenId ?? 2,
    }),
    reply: {
      text: options.text ?? !options.skipTokenizerInit,
      weightVersionSpans: options.weightVersionSpans ?? false,
      cachedTokens: options.cachedTokens ?? (() => 0),
    },
  };
}

/** Ids below 509 that depend on nothing but their place, so that a resumed completion goes on with the right ones. */
export function inventedCompletion({ inputLength }: GenerateRequest, tokens: number): number[] {
  return Array.from({ length: tokens }, (_, index) => 3 + (((inputLength + index) * 7919) % 506));
}

async function handle(
  context: ServerContext,
  requests: RecordedRequest[],
  sockets: ReadonlyMap<Socket, number>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const method = request.method ?? "GET";
  const body = await buffer(request);
  if (!context.options.fast) {
    const connection = sockets.get(request.socket) ?? -1;
    const { headers } = request;
    requests.push({ method, path, headers, body, connection, json: parseObject(body.toString("utf8")) });
  }
  const { apiKey, missingPaths } = context.options;
  if (missingPaths?.includes(path)) return sendJson(response, 404, { detail: "Not Found" });
  if (apiKey && path !== "/health" && request.headers.authorization !== `Bearer ${apiKey}`) {
    return sendJson(response, 401, { error: "Unauthorized" });
  }
  if (path === "/generate") return answerGenerate(context, body, response);
  controlRoute(context, path, body, response);
}

function answerError(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const status = error instanceof BadRequest || error instanceof SyntaxError ? 400 : 500;
  if (!response.headersSent) sendJson(response, status, { error: { message } });
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address;
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
