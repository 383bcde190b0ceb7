import type { Message } from "../conversation/message.js";
import { native } from "../native/addon.js";

/**
 * Messages are compared without the ids of their tool calls. Where two recorded calls are the same but for these ids, they
 * tell which one a request continues. Each message list has a number for all ids in it: 0 while there are none, then a keyed
 * hash of the number before and the ids of the next message with calls.
 */

/**
 * The numbers of a message list, by message; undefined if no message has tool calls.
 *
 * @param before the numbers of the messages before `added`, or how many there are if none of them has tool calls
 */
export function digestCallIds(added: readonly Message[], before: BigUint64Array | number): BigUint64Array | undefined {
  const known = typeof before === "number" ? before : before.length;
  if (typeof before === "number" && !added.some(hasCalls)) return undefined;
  const numbers = new BigUint64Array(known + added.length);
  if (typeof before !== "number") numbers.set(before);
  let last = numbers[known - 1] ?? 0n;
  added.forEach((message, i) => {
    last = withCallsOf(message, last);
    numbers[known + i] = last;
  });
  return numbers;
}

/** What is recorded of an interaction: the number of its input, and that of input and output together. */
export function recordedCallIds(
  input: BigUint64Array | undefined,
  output: readonly Message[],
): { readonly callIds?: BigUint64Array } {
  if (input === undefined && !output.some(hasCalls)) return {};
  const ofInput = input?.at(-1) ?? 0n;
  return {
    callIds: BigUint64Array.of(
      ofInput,
      output.reduce((last, message) => withCallsOf(message, last), ofInput),
    ),
  };
}

function hasCalls({ toolCalls }: Message): boolean {
  return toolCalls !== undefined && toolCalls.length > 0;
}

function withCallsOf(message: Message, before: bigint): bigint {
  if (!hasCalls(message)) return before;
  const ids = [before.toString(), ...(message.toolCalls ?? []).map(({ id }) => id)];
  const digest = native.digestMessages([JSON.stringify(ids)]);
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0);
}
