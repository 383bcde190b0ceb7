/** A kind of conversation. Each kind fills another part of the server's memory. */
export interface Kind {
  readonly api: "chat" | "responses";
  readonly turns: number;
  /** Characters that the agent adds in a turn. */
  readonly characters: number;
}

/** Agents take turns through the kinds. */
export const KINDS: readonly [Kind, ...Kind[]] = [
  // Token ids, in native memory.
  { api: "chat", turns: 8, characters: 100_000 },
  // Many small objects, in the JavaScript heap.
  { api: "chat", turns: 100, characters: 40 },
  // Stored responses.
  { api: "responses", turns: 20, characters: 5_000 },
  // Large bodies, each in a session of its own.
  { api: "chat", turns: 1, characters: 1_000_000 },
];
