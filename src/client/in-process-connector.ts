import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import type { buildConnector } from "undici";

/** Connections to an HTTP server of this process: a pair of streams in memory each, no socket. It need not listen. */
export function inProcessConnector(server: Server): buildConnector.connector {
  return (_options, callback) => {
    const [near, far] = duplexPair();
    closeTogether(near, far);
    closeTogether(far, near);
    server.emit("connection", far);
    // A connection is never there at once: the client is not ready to be told.
    queueMicrotask(() => callback(null, asSocket(near)));
  };
}

/** As with sockets: when one end goes, the other end hears of it. */
function closeTogether(one: Duplex, other: Duplex): void {
  one.once("close", () => other.destroy());
  // An end that goes by an error tells its owner; here is no one else to tell.
  one.on("error", () => {});
}

/** What an HTTP client calls on a socket beside the stream: nothing here keeps the process alive. */
function asSocket(stream: Duplex): Socket {
  const itself = () => stream;
  return Object.assign(stream, { ref: itself, unref: itself, setKeepAlive: itself, setNoDelay: itself }) as Socket;
}
