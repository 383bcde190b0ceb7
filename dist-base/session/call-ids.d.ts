import type { Message } from "../conversation/message.js";
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
export declare function digestCallIds(added: readonly Message[], before: BigUint64Array | number, digestKey?: Uint8Array): BigUint64Array | undefined;
/**
 * Returns the two hashes that are recorded of an interaction: of its input, and of input and output together. Undefined if no message
 * has tool calls.
 */
export declare function digestRecordedCallIds(input: BigUint64Array | undefined, output: readonly Message[], digestKey?: Uint8Array): BigUint64Array | undefined;
