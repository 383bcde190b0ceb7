import { endAndLinger, lingerBeforeClose } from "../linger.js";
import { SendProgress } from "./send-progress.js";
import { measureWaiting } from "./waiting-memory.js";
/** A connection is reset if it refuses this many times more requests than may wait. */
const RESET_FACTOR = 10;
/** Memory of requests that a connection may refuse after the memory of waiting requests is full. More reset the connection. */
const MAX_BYTES_WITHOUT_ROOM = 128 * 1024;
/** Memory of requests that are received and dropped after the last answer. More reset the connection. */
const MAX_LATE_BYTES = 1024 * 1024;
/** Several parts of an answer listen to the socket, and Node warns of more than ten listeners of one event. */
const MAX_LISTENERS = 32;
/** Time after which a connection is closed if the client still sends requests after the last answer. */
const LATE_CLOSE_MS = 1000;
/**
 * Handles the requests of one connection one after the other: a request waits until the answer before it is sent. If that answer
 * closes the connection, the request is not handled at all, because its own answer could not be delivered.
 */
export class Connection {
    #socket;
    #limits;
    #waiting = [];
    #progress = new SendProgress();
    #current;
    #refused = 0;
    #refusedBytes = 0;
    #bytesWithoutRoom = 0;
    #lateBytes = 0;
    #closing;
    /** Answer to bytes that are not a valid request. It is sent after all other answers and closes the connection. */
    #finalAnswer;
    /** @param closing closes the connection after its next answer */
    constructor(socket, limits, closing) {
        socket.setMaxListeners(MAX_LISTENERS);
        this.#socket = socket;
        this.#limits = limits;
        this.#closing = closing;
    }
    /** The answers that were not sent yet. */
    get openAnswers() {
        return this.#current ? [this.#current, ...this.#waiting.map(({ answer }) => answer)] : [];
    }
    /**
     * Returns the answer in progress if the client stopped reading it this long ago. Call this at short intervals.
     *
     * @param now milliseconds of a monotonic clock
     */
    findUnread(milliseconds, now) {
        const isStalled = this.#progress.measurePause(this.#socket, now) >= milliseconds;
        return isStalled ? this.#current : undefined;
    }
    /** Calls `start` when it is the request's turn. Never calls it if the connection closes first. */
    accept(answer, start) {
        if (!this.#socket.writable)
            return this.#closeLate(answer);
        if (!this.#current && this.#refused === 0)
            return this.#begin({ answer, start });
        const { maxWaiting, memory } = this.#limits;
        const bytes = measureWaiting(answer.request);
        const hasRoom = memory.take(bytes);
        if (hasRoom && this.#refused === 0 && this.#waiting.length < maxWaiting) {
            this.#waiting.push({ answer, start, bytes });
            return;
        }
        // Node keeps refused requests, too, until the connection closes.
        if (hasRoom)
            this.#refusedBytes += bytes;
        else
            this.#bytesWithoutRoom += bytes;
        this.#refuse();
    }
    /** Forgets the requests that wait. Call this when the connection has closed. */
    dropWaiting() {
        for (const { bytes } of this.#waiting.splice(0))
            this.#limits.memory.giveBack(bytes);
        this.#limits.memory.giveBack(this.#refusedBytes);
        this.#refusedBytes = 0;
    }
    /** Sends a text after the answers to all requests that were received completely, and closes the connection. */
    endWith(text) {
        if (this.#finalAnswer !== undefined)
            return;
        this.#finalAnswer = text;
        if (!this.#current?.requestComplete)
            endAndLinger(this.#socket, text);
    }
    /** Closes the connection now if it is idle, else after the answer in progress. */
    closeSoon() {
        this.#closing = true;
        if (this.#current)
            this.#closeAfter(this.#current);
        else
            this.#socket.destroySoon();
    }
    #begin({ answer, start }) {
        this.#current = answer;
        if (this.#closing || answer.isLast)
            this.#closeAfter(answer);
        const { connections } = this.#limits;
        connections.begin(this.#socket, answer.needsKey);
        answer.onReceived(() => {
            if (this.#current === answer)
                connections.received(this.#socket);
        });
        answer.begin(() => {
            connections.end(this.#socket, answer.statusCode);
            this.#next();
        });
        start();
    }
    #closeAfter(answer) {
        answer.closeAfter();
        // Node's own version closes both directions. This one keeps reading: the client closes its side once it has the answer.
        this.#socket.destroySoon = () => void this.#socket.end();
    }
    /** Starts the next request, if its answer can be delivered on the connection. */
    #next() {
        this.#current = undefined;
        if (!this.#socket.writable) {
            this.dropWaiting();
            return;
        }
        const next = this.#waiting.shift();
        if (next)
            this.#limits.memory.giveBack(next.bytes);
        // Once the final answer is set, nothing more is read, so an incomplete body stays incomplete.
        if (next && (this.#finalAnswer === undefined || next.answer.requestComplete))
            this.#begin(next);
        else if (this.#finalAnswer !== undefined)
            endAndLinger(this.#socket, this.#finalAnswer);
        else if (this.#refused > 0)
            this.#socket.destroySoon();
        else if (this.#closing)
            this.#socket.end();
    }
    /** Closes the connection a little later: if it were closed at once, the client could lose the end of the last answer. */
    #closeLate(answer) {
        this.#lateBytes += measureWaiting(answer.request);
        if (this.#lateBytes > MAX_LATE_BYTES)
            this.#socket.destroy();
        setTimeout(() => this.#socket.destroy(), LATE_CLOSE_MS).unref();
    }
    #refuse() {
        if (this.#refused === 0) {
            // If none waits, the headers of the answer in progress may have been sent. `#next` then closes the connection.
            (this.#waiting.at(-1)?.answer ?? this.#current)?.closeAfter();
            lingerBeforeClose(this.#socket);
        }
        this.#refused++;
        // Further requests stay in the buffers of the operating systems, so the client has to wait. Not at once: when Node has read this
        // request, it would resume the socket.
        process.nextTick(() => void this.#socket.pause());
        const isTooMany = this.#refused > this.#limits.maxWaiting * RESET_FACTOR;
        if (isTooMany || this.#bytesWithoutRoom > MAX_BYTES_WITHOUT_ROOM)
            this.#socket.destroy();
    }
}
//# sourceMappingURL=connection.js.map