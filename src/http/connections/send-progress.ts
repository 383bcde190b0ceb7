import type { Socket } from "node:net";
import { countAccepted } from "./http-answer.js";

/**
 * Measures how long a client has read nothing. Progress means that the operating system accepts bytes for the client. A client that
 * reads slowly makes progress; a client that only sends further requests does not.
 */
export class SendProgress {
  #accepted = 0;
  #since = 0;

  /**
   * Returns the milliseconds for which bytes wait and the operating system has accepted none. They count from the first call that
   * found this.
   *
   * @param now milliseconds of a monotonic clock
   */
  measurePause(socket: Socket, now: number): number {
    const accepted = countAccepted(socket);
    if (socket.writableLength === 0 || accepted !== this.#accepted) {
      this.#accepted = accepted;
      this.#since = now;
    }
    return now - this.#since;
  }
}
