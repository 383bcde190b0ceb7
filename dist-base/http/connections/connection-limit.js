/** Share of the connections that clients without a key may keep while others need them. */
const SHARE_WITHOUT_KEY = 0.5;
/**
 * Limits the open connections. If there are too many, the one that has been idle longest is closed. Without this, one client could
 * open all connections, send nothing, and lock out every other client.
 *
 * A connection is idle unless it has a request that needs a key, was received completely and was not refused. So neither an
 * incomplete request nor an unread error keeps a connection open. Clients without a key cannot replace all connections of
 * others: they replace their own once half of the connections are theirs.
 */
export class ConnectionLimit {
    #max;
    #states = new Map();
    /** Idle connections, the least recently used first. */
    #idleWithKey = new Set();
    #idleWithoutKey = new Set();
    #uses = 0;
    /** Called for each connection that was closed. */
    onOverflow = () => undefined;
    constructor(max) {
        this.#max = max;
    }
    /** Counts a new connection, and closes it or another one if there are too many. */
    add(socket) {
        if (this.#states.size >= this.#max) {
            const idle = this.#findIdle();
            this.onOverflow(idle ? "idle" : "max_connections");
            (idle ?? socket).destroy();
            if (!idle)
                return;
            // Its `close` event comes later than the next connection may.
            this.#remove(idle);
        }
        this.#states.set(socket, { hasKey: false, isEntitled: false, isReceived: false, lastUse: 0 });
        this.#change(socket, {});
        socket.on("close", () => this.#remove(socket));
    }
    /** The connection begins to handle a request. */
    begin(socket, needsKey) {
        this.#change(socket, { isEntitled: needsKey, isReceived: false });
    }
    /** The request was received completely. */
    received(socket) {
        this.#change(socket, { isReceived: true });
    }
    /**
     * The answer to the request begins. Its status shows whether the key was valid, because a gateway without the admin key does not
     * check keys.
     */
    answering(socket, statusCode) {
        const state = this.#states.get(socket);
        if (!state?.isEntitled)
            return;
        const hasKey = statusCode < 400 || (state.hasKey && statusCode !== 401);
        this.#change(socket, { hasKey, isEntitled: statusCode < 400 });
    }
    /** The answer was sent. */
    end(socket, statusCode) {
        // Streams do not report when their answer begins.
        this.answering(socket, statusCode);
        this.#change(socket, { isEntitled: false, isReceived: false });
    }
    #change(socket, change) {
        const state = this.#states.get(socket);
        if (!state)
            return;
        Object.assign(state, change, { lastUse: this.#uses++ });
        this.#idleWithKey.delete(socket);
        this.#idleWithoutKey.delete(socket);
        if (state.isEntitled && state.isReceived)
            return;
        (state.hasKey ? this.#idleWithKey : this.#idleWithoutKey).add(socket);
    }
    #findIdle() {
        const [withKey] = this.#idleWithKey;
        const [withoutKey] = this.#idleWithoutKey;
        if (!withKey || !withoutKey)
            return withKey ?? withoutKey;
        if (this.#idleWithoutKey.size >= SHARE_WITHOUT_KEY * this.#max)
            return withoutKey;
        return this.#lastUse(withKey) < this.#lastUse(withoutKey) ? withKey : withoutKey;
    }
    #lastUse(socket) {
        return this.#states.get(socket)?.lastUse ?? 0;
    }
    #remove(socket) {
        this.#states.delete(socket);
        this.#idleWithKey.delete(socket);
        this.#idleWithoutKey.delete(socket);
    }
}
//# sourceMappingURL=connection-limit.js.map