import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A connection on which a test writes HTTP by itself. Closed with the test. */
export interface RawConnection {
  readonly socket: Socket;
  /** Returns everything that was received. */
  readonly received: () => string;
  /** Returns true once the server has ended its side. */
  readonly ended: () => boolean;
}

/** Connects to a server on this machine and sends a text. */
export async function openConnection(port: number | string, text = ""): Promise<RawConnection> {
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  let received = "";
  let ended = false;
  socket.on("data", (bytes) => (received += bytes.toString("latin1")));
  socket.once("end", () => (ended = true));
  await once(socket, "connect");
  socket.write(text);
  return { socket, received: () => received, ended: () => ended };
}

/** Returns the head of a request. */
export function requestHead(method: string, path: string, ...headers: readonly string[]): string {
  return [`${method} ${path} HTTP/1.1`, "host: x", ...headers, "", ""].join("\r\n");
}
