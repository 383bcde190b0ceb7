import { once } from "node:events";
import { createServer, type Socket } from "node:net";

export interface RawRequest {
  /** Method and path. */
  readonly line: string;
  readonly body: string;
  readonly socket: Socket;
}

export interface RawServer {
  readonly url: string;
  /** All complete requests so far. */
  readonly requests: readonly RawRequest[];
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** Starts a server that reads requests. The test writes every byte of the answers. */
export function startRawServer(answer: (request: RawRequest) => unknown): Promise<RawServer> {
  const requests: RawRequest[] = [];
  return startRaw((socket) => {
    let received = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on("data", (data) => {
      received = Buffer.concat([received, data]);
      for (let next = wholeRequest(received); next; next = wholeRequest(received)) {
        received = received.subarray(next.bytes);
        const request = { line: next.line, body: next.body, socket };
        requests.push(request);
        void answer(request);
      }
    });
  }, requests);
}

/** Starts a server whose connections the test handles. */
export async function startRaw(
  onConnection: (socket: Socket) => void,
  requests: readonly RawRequest[] = [],
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  return {
    url: `http://127.0.0.1:${Object(tcp.address()).port}`,
    requests,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      tcp.close();
    },
  };
}

function wholeRequest(bytes: Buffer): { line: string; body: string; bytes: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const end = headEnd + 4 + length;
  if (bytes.length < end) return undefined;
  const line = head.split("\r\n", 1)[0]?.replace(/ HTTP.*/, "") ?? "";
  return { line, body: bytes.toString("utf8", headEnd + 4, end), bytes: end };
}
