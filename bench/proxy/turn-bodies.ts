import { body, user } from "./bodies.js";

/** Placeholder for the number of the turn, which has as many digits. */
const PLACE = "########";

/**
 * Returns a function that makes the bodies of a conversation's next turns. A body has the conversation's messages and a short new one
 * with the number of the turn.
 *
 * All bodies are the same buffer, in which only the number changes. So the load generator encodes no text for a call. A body is valid
 * until the next one is made: wait for the answer first.
 */
export function turnBodies(messages: readonly object[]): () => Buffer {
  const bytes = Buffer.from(body([...messages, user(`and number ${PLACE}?`)]));
  const place = bytes.lastIndexOf(PLACE);
  let turn = 0;
  return () => {
    bytes.write(String(turn++).padStart(PLACE.length, "0"), place, "latin1");
    return bytes;
  };
}
