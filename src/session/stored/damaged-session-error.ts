import { SessionError } from "../errors.js";

/** A part of a session that cannot be read. */
export interface SessionDamage {
  /** The damaged part, for example `interaction 3`; undefined if it is the session as a whole. */
  readonly what?: string;
  /** For example `its checksum is wrong`. */
  readonly reason: string;
  /** The index of the interaction that is damaged; undefined if it is another part. */
  readonly interaction?: number;
}

/** The stored data of a session is damaged. Repeating the call does not help. */
export class DamagedSessionError extends SessionError {
  readonly damage: SessionDamage;

  /** @param session its id */
  constructor(session: string, damage: SessionDamage, cause?: unknown) {
    super("session_damaged", `Session ${session} is damaged: ${describeDamage(damage)}.`, { cause });
    this.damage = damage;
  }
}

/** Returns the damage without its session, for example `interaction 3: its checksum is wrong`. */
export function describeDamage({ what, reason }: SessionDamage): string {
  return what === undefined ? reason : `${what}: ${reason}`;
}

/** The native session's error for the tokens of an interaction, whose number it calls the index of a part. */
const PART = /^(?:\w+: )?parts\[(\d+)\]: (.+)$/s;
const CHECKSUM = "checksum: the bytes are damaged";

/** Returns the damage because of which the data of a session could not be restored. */
export function describeRestoreError(error: unknown): SessionDamage {
  const message = error instanceof Error ? error.message : String(error);
  const [, index, reason = ""] = PART.exec(message) ?? [];
  if (index === undefined) return { reason: message };
  const described =
    reason === CHECKSUM ? "the checksum of its tokens is wrong" : `its tokens cannot be read: ${reason}`;
  return { what: `interaction ${index}`, reason: described, interaction: Number(index) };
}
