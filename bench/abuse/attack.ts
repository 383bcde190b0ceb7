/** The server under attack, and a session of the attacker. */
export interface Victim {
  readonly url: string;
  readonly key: string;
}

/** Counts of an attack until it was stopped. */
export interface AttackCounts {
  /** Number of answers by status and error code. */
  readonly answers: Readonly<Record<string, number>>;
  /** Size of one request; 0 if it has no body. */
  readonly megabytes: number;
}

/** An abuse of a server that slows down other clients. */
export interface Attack {
  readonly name: string;
  /** Sends one request and waits for its answer. Absent if the attack does not send whole requests. */
  once?(victim: Victim): Promise<void>;
  /** Attacks until the signal aborts. Calls `onAnswer` with status and error code of each answer. */
  run(victim: Victim, signal: AbortSignal, onAnswer: (answer: string) => void): Promise<void>;
  /** Size of one request in bytes. */
  readonly bytes: () => number;
}

/** Requests of one attacker at the same time. */
export const AT_ONCE = 4;

/** Returns status and error code of an answer. */
export function describeAnswer(status: number, text: string): string {
  const code = status < 400 ? undefined : (JSON.parse(text) as { error?: { code?: string } }).error?.code;
  return code === undefined ? String(status) : `${status} ${code}`;
}
