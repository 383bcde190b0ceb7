import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request to the front. */
export interface FrontCall {
  readonly method: string;
  readonly path: string;
  /** What the client sent. */
  readonly body: string;
}

/**
 * Starts a server that forwards requests to the proxy at `target`. It ends with the test.
 *
 * @param answer answers a request itself and returns true, or returns false to forward it
 * @returns its URL, and the requests that it received
 */
export async function frontProxy(
  target: string,
  answer: (call: FrontCall, response: ServerResponse) => boolean,
): Promise<{ readonly url: string; readonly calls: readonly FrontCall[] }> {
  const calls: FrontCall[] = [];
  const forward = (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const options = { method: incoming.method, headers: incoming.headers };
    const forwarded = request(new URL(incoming.url ?? "/", target), options, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    forwarded.end(body);
  };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const call = { method: incoming.method ?? "", path: incoming.url ?? "", body: body.toString() };
      calls.push(call);
      if (!answer(call, response)) forward(incoming, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}
