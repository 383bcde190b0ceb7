import type { CutAnswer } from "./answer.js";
import type { Connections } from "./connections.js";
/**
 * Waits while a condition holds.
 *
 * @param deadline milliseconds since the epoch
 */
export declare function waitWhile(condition: () => boolean, deadline: number): Promise<void>;
/** Stops accepting connections and waits until all answers were sent. */
export declare function waitForAnswers(connections: Connections, deadline: number): Promise<void>;
/**
 * Waits like {@link waitForAnswers}, and then closes all connections.
 *
 * It gives clients some time to close their connections first: the operating system still holds the last megabytes of an answer,
 * and in a container it drops them when the process ends.
 *
 * @returns the answers that were cut
 */
export declare function finishAnswers(connections: Connections, deadline: number): Promise<CutAnswer[]>;
