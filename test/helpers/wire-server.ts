import { once } from "node:events";
import type { EngineWire } from "./engine-frames.js";
import { type RawRequest, type RawServer, startRawServer } from "./raw-server.js";

const CONTEXT_LENGTH = 100_000;

/** An engine server whose replies to calls the test writes. It reports its model itself. */
export function startWireServer(wire: EngineWire, answer: (request: RawRequest) => unknown): Promise<RawServer> {
  return startRawServer((request) => {
    const isProbe = request.body.includes("rolltape-logprobs-");
    if (request.line === wire.path && !isProbe) return answer(request);
    const body = JSON.stringify({ data: [{ id: "m", max_model_len: CONTEXT_LENGTH }] });
    return request.socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  });
}

const FILLER = " ".repeat(64 * 1024);

/** Writes filler until the connection closes. Resolves with the number of bytes. */
export async function writeForEver({ socket }: RawRequest, head: string, filler = FILLER): Promise<number> {
  let bytes = 0;
  socket.write(head);
  while (!socket.destroyed) {
    bytes += filler.length;
    if (!socket.write(filler))
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return bytes;
}
