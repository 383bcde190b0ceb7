import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request, and how the server answered it. */
export interface FrontCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Undefined if the connection was closed before the answer. */
  status?: number | undefined;
  /** The bytes of the answer so far. Undefined if answers are not kept, except those of refused calls. */
  answer?: string | undefined;
  /** The answer is complete. */
  ended: boolean;
}

export interface RecordingFront extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly FrontCall[];
}

/**
 * Starts a server that passes every request on to `target` and records it.
 *
 * @param keepAnswers records the answers of successful calls too
 */
export async function startRecordingFront(target: string, keepAnswers = false): Promise<RecordingFront> {
  const calls: FrontCall[] = [];
  const server = createServer((incoming, response) => {
    void buffer(incoming)
      .then((body) => {
        const { method = "", url: path = "", headers } = incoming;
        const call: FrontCall = { method, path, headers, body: body.toString(), ended: false };
        calls.push(call);
        forward(new URL(path, target), call, { body, keepAnswers }, response);
      })
      .catch(() => response.destroy());
  });
  const url = await listen(server);
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, calls, [Symbol.asyncDispose]: close };
}

/** Returns one line for each call. */
export function listCalls(calls: readonly FrontCall[]): string[] {
  return calls.map(({ method, path, status }) => `${method} ${path} ${status ?? "was not answered"}`);
}

/** Returns the refused calls with their requests and answers. */
export function listRefused(calls: readonly FrontCall[]): string[] {
  const refused = calls.filter(({ status = 0 }) => status >= 400);
  return refused.map(({ method, path, status, answer, body }) =>
    `${method} ${path} was answered with ${status} ${answer ?? ""}\n${body}`.slice(0, 100_000),
  );
}

interface Forwarded {
  readonly body: Buffer;
  readonly keepAnswers: boolean;
}

/** Every call has a connection of its own: the target may close an idle one in the moment in which a call takes it. */
function forward(url: URL, call: FrontCall, { body, keepAnswers }: Forwarded, response: ServerResponse): void {
  const outgoing = request(url, { method: call.method, headers: call.headers, agent: false }, (reply) => {
    call.status = reply.statusCode;
    if (keepAnswers || (reply.statusCode ?? 0) >= 400) {
      call.answer = "";
      // Keeps characters whole that end in another piece.
      const decoder = new TextDecoder();
      reply.on("data", (piece: Buffer) => (call.answer += decoder.decode(piece, { stream: true })));
    }
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.on("end", () => (call.ended = true));
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
