import type { Socket } from "node:net";

/** `max_connections`: a new connection, because no other was idle. `idle`: an idle connection, to make room for a new one. */
export type OverflowReason = "max_connections" | "idle";

/** Share of the connections that clients without a key may keep while others need them. */
const SHARE_WITHOUT_KEY = 0.5;

/** The state of a connection and of the request that it handles. */
interface ConnectionState {
  /** A request had a valid key, and none after it an invalid one. */
  hasKey: boolean;
  /** The request needs a key and was not refused. */
  isEntitled: boolean;
  /** The request was received completely. */
  isReceived: boolean;
  /** Counts the changes of all connections. */
  lastUse: number;
}

/**
 * Limits the open connections. If there are too many, the one that has been idle longest is closed. Without this, one client could
 * open all connections, send nothing, and lock out every other client.
 *
 * A connection is idle unless it has a request that needs a key, was received completely and was not refused. So neither an
 * incomplete request nor an unread error keeps a connection open. Clients without a key cannot replace all connections of
 * others: they replace their own once half of the connections are theirs.
 */
export class ConnectionLimit {
  readonly #max: number;
  readonly #states = new Map<Socket, ConnectionState>();
  /** Idle connections, the least recently used first. */
  readonly #idleWithKey = new Set<Socket>();
  readonly #idleWithoutKey = new Set<Socket>();
  #uses = 0;
  /** Called for each connection that was closed. */
  onOverflow: (reason: OverflowReason) => void = () => undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a new connection, and closes it or another one if there are too many. */
  add(socket: Socket): void {
    if (this.#states.size >= this.#max) {
      const idle = this.#findIdle();
      this.onOverflow(idle ? "idle" : "max_connections");
      (idle ?? socket).destroy();
      if (!idle) return;
      // Its `close` event comes later than the next connection may.
      this.#remove(idle);
    }
    const state = { hasKey: false, isEntitled: false, isReceived: false, lastUse: 0 };
    this.#states.set(socket, state);
    this.#recordUse(socket, state);
    socket.on("close", () => this.#remove(socket));
  }

  /** The connection begins to handle a request. */
  begin(socket: Socket, needsKey: boolean): void {
    const state = this.#states.get(socket);
    if (!state) return;
    state.isEntitled = needsKey;
    state.isReceived = false;
    this.#recordUse(socket, state);
  }

  /** The request was received completely. */
  received(socket: Socket): void {
    const state = this.#states.get(socket);
    if (!state) return;
    state.isReceived = true;
    this.#recordUse(socket, state);
  }

  /**
   * The answer to the request begins. Its status shows whether the key was valid, because a gateway without the admin key does not
   * check keys.
   */
  answering(socket: Socket, statusCode: number): void {
    const state = this.#states.get(socket);
    if (!state?.isEntitled) return;
    state.hasKey = statusCode < 400 || (state.hasKey && statusCode !== 401);
    state.isEntitled = statusCode < 400;
    this.#recordUse(socket, state);
  }

  /** The answer was sent. */
  end(socket: Socket, statusCode: number): void {
    // Streams do not report when their answer begins.
    this.answering(socket, statusCode);
    const state = this.#states.get(socket);
    if (!state) return;
    state.isEntitled = false;
    state.isReceived = false;
    this.#recordUse(socket, state);
  }

  /** Makes a connection the most recently used one, and lists it as idle if its new state is idle. */
  #recordUse(socket: Socket, state: ConnectionState): void {
    state.lastUse = this.#uses++;
    this.#idleWithKey.delete(socket);
    this.#idleWithoutKey.delete(socket);
    if (state.isEntitled && state.isReceived) return;
    (state.hasKey ? this.#idleWithKey : this.#idleWithoutKey).add(socket);
  }

  #findIdle(): Socket | undefined {
    const [withKey] = this.#idleWithKey;
    const [withoutKey] = this.#idleWithoutKey;
    if (!withKey || !withoutKey) return withKey ?? withoutKey;
    if (this.#idleWithoutKey.size >= SHARE_WITHOUT_KEY * this.#max) return withoutKey;
    return this.#lastUse(withKey) < this.#lastUse(withoutKey) ? withKey : withoutKey;
  }

  #lastUse(socket: Socket): number {
    return this.#states.get(socket)?.lastUse ?? 0;
  }

  #remove(socket: Socket): void {
    this.#states.delete(socket);
    this.#idleWithKey.delete(socket);
    this.#idleWithoutKey.delete(socket);
  }
}
