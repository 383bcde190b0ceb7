import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { parseObject } from "./sglang/request.js";

export interface RecordedRequest {
  readonly method: string;
  readonly url: URL;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** The body as an object. */
  readonly json: Record<string, unknown>;
  /** Number of the connection, from 0. Requests with the same number used the same connection. */
  readonly connection: number;
}

export interface RecordingServer {
  readonly url: string;
  readonly requests: RecordedRequest[];
  readonly connections: number;
  close(): Promise<void>;
}

export interface RecordingOptions {
  readonly port?: number | undefined;
  /** The address that it listens on, default loopback. */
  readonly host?: string | undefined;
  /** Does not parse bodies, and does not keep requests. */
  readonly fast?: boolean | undefined;
}

/** An HTTP server that records every request. */
export async function startRecordingServer(
  { port = 0, host = "127.0.0.1", fast = false }: RecordingOptions,
  answer: (request: RecordedRequest, response: ServerResponse) => Promise<void>,
): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const sockets = new Map<Socket, number>();
  const server = createServer((incoming, response) => {
    readRequest(incoming, sockets, fast)
      .then((request) => {
        if (!fast) requests.push(request);
        return answer(request, response);
      })
      .catch(() => response.socket?.destroy());
  });
  server.on("connection", (socket) => sockets.set(socket, sockets.size));
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${readAddress(server).port}`,
    requests,
    get connections() {
      return sockets.size;
    },
    close: () => closeServer(server),
  };
}

async function readRequest(
  incoming: IncomingMessage,
  sockets: ReadonlyMap<Socket, number>,
  fast: boolean,
): Promise<RecordedRequest> {
  const url = new URL(incoming.url ?? "/", "http://localhost");
  const body = await buffer(incoming);
  return {
    method: incoming.method ?? "GET",
    url,
    path: url.pathname,
    headers: incoming.headers,
    body,
    json: fast ? {} : parseObject(body.toString("utf8")),
    connection: sockets.get(incoming.socket) ?? -1,
  };
}

function readAddress(server: Server): AddressInfo {
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
