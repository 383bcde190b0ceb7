/**
 * The typed contract of the native addon, and the only description of it.
 *
 * Units: a token id is an int32, a log probability a float32 in nats, a weight version an int32, and a length a number
 * of tokens. Tokens cross this boundary only as typed arrays. An interaction of a session is identified by its index in
 * completion order, from 0; `-1` means "none".
 *
 * Every error that the addon throws is an `Error` with a stable `code` of {@link NativeErrorCode}.
 */
export {};
//# sourceMappingURL=contract.js.map