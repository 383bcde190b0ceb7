import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request of a program, and how the server answered it. */
export interface FrontCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Undefined if the connection was closed before the answer. */
  status?: number | undefined;
  /** The answer of a refused call. */
  refusal?: string | undefined;
}

/** Starts a server that passes every request on to `target` and records it. It ends with the test. */
export async function startRecordingFront(target: string): Promise<{ url: string; calls: readonly FrontCall[] }> {
  const calls: FrontCall[] = [];
  const server = createServer((incoming, response) => {
    void buffer(incoming)
      .then((body) => {
        const { method = "", url: path = "", headers } = incoming;
        const call: FrontCall = { method, path, headers, body: body.toString() };
        calls.push(call);
        forward(new URL(path, target), call, body, response);
      })
      .catch(() => response.destroy());
  });
  const url = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, calls };
}

/** Returns one line for each call. */
export function listCalls(calls: readonly FrontCall[]): string[] {
  return calls.map(({ method, path, status }) => `${method} ${path} ${status ?? "was not answered"}`);
}

/** Returns the refused calls with their requests and answers. */
export function listRefused(calls: readonly FrontCall[]): string[] {
  const refused = calls.filter(({ status = 0 }) => status >= 400);
  return refused.map(({ method, path, status, refusal, body }) =>
    `${method} ${path} was answered with ${status} ${refusal ?? ""}\n${body}`.slice(0, 100_000),
  );
}

function forward(url: URL, call: FrontCall, body: Buffer, response: ServerResponse): void {
  const outgoing = request(url, { method: call.method, headers: call.headers }, (reply) => {
    call.status = reply.statusCode;
    if ((reply.statusCode ?? 0) >= 400) {
      call.refusal = "";
      reply.on("data", (chunk: Buffer) => (call.refusal += chunk.toString()));
    }
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
    reply.on("error", () => response.destroy());
  });
  outgoing.on("error", () => response.destroy());
  // What the server sees when the program leaves.
  response.on("close", () => outgoing.destroy());
  outgoing.end(body);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
