import { native } from "../../native/addon.js";
import type { Entry } from "../../storage/index.js";
import { runAtOnce } from "../../support/async/steps.js";
import { DamagedSessionError } from "./damaged-session-error.js";
import { decodeImages } from "./image-record.js";
import { decodeInteraction } from "./interaction-record.js";
import { type RecordName, readRecordKey } from "./keys.js";
import { loadSession } from "./load-session.js";
import { reasonOf } from "./offline-sessions.js";
import { decodeOutcome } from "./outcome-record.js";
import { nameRecord, RecordList } from "./read-session.js";
import { openJson } from "./sealed-json.js";
import type { StoredHead } from "./session-records.js";
import type { StoredProblem } from "./stored-problem.js";

const CHECKSUM_BYTES = 4;

/** A problem of a session. */
export interface SessionProblem extends Omit<StoredProblem, "what"> {
  /** Without the session, for example `interaction 3`. */
  readonly what: string;
  /** The damaged record, if the session can be restored without it. */
  readonly spare?: Entry;
}

/** Checks the records of a session and restores it as a server would. The records come in the order of their keys. */
export function* verifySession(head: StoredHead, records: readonly Entry[]): Generator<SessionProblem> {
  let isWhole = true;
  const spares = new Set<Entry>();
  for (const problem of checkRecords(records)) {
    if (problem.spare) spares.add(problem.spare);
    else isWhole = false;
    yield problem;
  }
  if (!isWhole || head.summary.freed) return;
  try {
    const list = new RecordList();
    for (const record of records) if (!spares.has(record)) runAtOnce(list.add(record));
    loadSession(head, list.read()).data.unload();
  } catch (error) {
    yield describeProblem(error, head.summary.interactionCount);
  }
}

/** @param interactions number of interactions of the session */
function describeProblem(error: unknown, interactions: number): SessionProblem {
  if (!(error instanceof DamagedSessionError)) return { what: "the data", reason: reasonOf(error) };
  const { what = "the data", reason, interaction } = error.damage;
  const dependents = interaction === undefined ? 0 : interactions - interaction - 1;
  return { what, reason, ...(dependents > 0 ? { dependents } : {}) };
}

/** Reports each damaged or missing record once. Those that depend on it are counted. */
function* checkRecords(records: readonly Entry[]): Generator<SessionProblem> {
  const problems: { readonly index: number; readonly problem: SessionProblem }[] = [];
  const intact = new Set<number>();
  let next = 0;
  for (const record of records) {
    const name = readName(record.key);
    if (name?.kind === "interaction") {
      if (name.index > next) {
        const what = name.index === next + 1 ? `interaction ${next}` : `interactions ${next} to ${name.index - 1}`;
        problems.push({ index: next, problem: { what, reason: "missing" } });
      }
      next = name.index + 1;
    }
    try {
      checkRecord(record, next);
      if (name?.kind === "interaction") intact.add(name.index);
    } catch (error) {
      // The scores of teachers can be asked for again.
      const spare = name?.kind === "response" || name?.kind === "channels" ? { spare: record } : {};
      const problem = { what: nameRecord(record.key), reason: reasonOf(error), ...spare };
      problems.push({ index: name?.kind === "interaction" ? name.index : Number.POSITIVE_INFINITY, problem });
    }
  }
  // Interactions are restored in their order, so that all intact ones depend on the first damaged one.
  const first = Math.min(...problems.map(({ index }) => index));
  const dependents = [...intact].filter((index) => index > first).length;
  for (const { index, problem } of problems)
    yield index === first && dependents > 0 ? { ...problem, dependents } : problem;
}

/** @param interactions the number of interactions up to and including the record */
function checkRecord({ key, value }: Entry, interactions: number): void {
  const { kind, index } = readRecordKey(key);
  if (kind === "interaction") return void decodeInteraction(value);
  if (index >= interactions) throw new Error(`interaction ${index} does not exist`);
  if (kind === "outcome") decodeOutcome(value);
  else if (kind === "channels") requireChecksum(value);
  else if (kind === "images") runAtOnce(decodeImages(value));
  // Its content concerns the API only. It is JSON with a checksum.
  else openJson(value);
}

/** Checks the checksum at the end of the items that were added to an interaction. */
function requireChecksum(added: Buffer): void {
  const end = added.length - CHECKSUM_BYTES;
  if (end < 0 || native.crc32c(added.subarray(0, end)) !== added.readUInt32LE(end)) {
    throw new Error("its checksum is wrong");
  }
}

function readName(key: Buffer): RecordName | undefined {
  try {
    return readRecordKey(key);
  } catch {
    return undefined;
  }
}
