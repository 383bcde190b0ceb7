import { setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.js";
import type { CutAnswer } from "./http-answer.js";

const POLL_MS = 50;

/** Time in which clients may close their sides after the operating system has accepted their last answers. */
const CLOSE_GRACE_MS = 2_000;

/**
 * Waits while a condition holds.
 *
 * @param deadline milliseconds since the epoch
 */
export async function waitWhile(condition: () => boolean, deadline: number): Promise<void> {
  while (Date.now() < deadline && condition()) await sleep(POLL_MS);
}

/** Stops accepting connections and waits until all answers were sent. */
export async function waitForAnswers(connections: Connections, deadline: number): Promise<void> {
  connections.stopListening();
  await waitWhile(() => connections.openAnswers > 0, deadline);
}

/**
 * Waits like {@link waitForAnswers}, and then closes all connections.
 *
 * It gives clients some time to close their connections first: the operating system still holds the last megabytes of an answer,
 * and in a container it drops them when the process ends.
 *
 * @returns the answers that were cut
 */
export async function finishAnswers(connections: Connections, deadline: number): Promise<CutAnswer[]> {
  await waitForAnswers(connections, deadline);
  const cut = connections.cut();
  await waitWhile(() => connections.size > 0, Date.now() + CLOSE_GRACE_MS);
  connections.destroy();
  return cut;
}
