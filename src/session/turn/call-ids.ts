import type { Message } from "../../conversation/message.js";
import { native } from "../../native/addon.js";

/**
 * Running hashes of tool call ids.
 *
 * Messages are compared without the ids of their tool calls. If two recorded interactions differ only in these ids, the
 * hashes show which of them a request continues. The hash of a message list is 0 until a message has tool calls. Each
 * message with tool calls replaces it with a keyed hash of the previous value and the message's ids.
 */

/**
 * Returns the hash after each message, those of `before` included; undefined if no message has tool calls.
 *
 * @param before the hashes of the messages before `added`, or their number if none of them has tool calls
 * @param digestKey the key of the session's digests. Default: the key of this process
 */
export function digestCallIds(
  added: readonly Message[],
  before: BigUint64Array | number,
  digestKey?: Uint8Array,
): BigUint64Array | undefined {
  const known = typeof before === "number" ? before : before.length;
  if (typeof before === "number" && !added.some(hasCalls)) return undefined;
  const numbers = new BigUint64Array(known + added.length);
  if (typeof before !== "number") numbers.set(before);
  let last = numbers[known - 1] ?? 0n;
  added.forEach((message, i) => {
    last = addCallIds(last, message, digestKey);
    numbers[known + i] = last;
  });
  return numbers;
}

/**
 * Returns the two hashes that are recorded of an interaction: of its input, and of input and output together. Undefined if no message
 * has tool calls.
 */
export function digestRecordedCallIds(
  input: BigUint64Array | undefined,
  output: readonly Message[],
  digestKey?: Uint8Array,
): BigUint64Array | undefined {
  if (input === undefined && !output.some(hasCalls)) return undefined;
  const ofInput = input?.at(-1) ?? 0n;
  return BigUint64Array.of(
    ofInput,
    output.reduce((last, message) => addCallIds(last, message, digestKey), ofInput),
  );
}

function hasCalls({ toolCalls }: Message): boolean {
  return toolCalls !== undefined && toolCalls.length > 0;
}

/** Returns the hash after `message`, given the hash before it. */
function addCallIds(before: bigint, message: Message, digestKey: Uint8Array | undefined): bigint {
  const { toolCalls = [] } = message;
  if (toolCalls.length === 0) return before;
  const ids = [before.toString(), ...toolCalls.map(({ id }) => id)];
  const digest = native.digestMessages([JSON.stringify(ids)], undefined, digestKey);
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0);
}
