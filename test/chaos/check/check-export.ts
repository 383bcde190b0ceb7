import type { Attempt, Outcome } from "../../soak/agents/attempt.js";
import { checkDefault } from "../../soak/check/check-batch.js";
import { checkTokens } from "../../soak/check/check-tokens.js";
import { isKnownRetry } from "../../soak/check/find-reason.js";
import type { Findings } from "../../soak/check/findings.js";
import { type Row, readBatch } from "../../soak/check/read-rows.js";
import type { Generation, GenerationLog } from "../../soak/engine/generation-log.js";
import type { ExportEvidence } from "../clients/exports.js";
import type { KnownSession, Ledger } from "../clients/ledger.js";
import type { ChaosFinding } from "./findings.js";
import { readReceivedText } from "./received-text.js";

export interface ExportContext {
  readonly log: GenerationLog;
  readonly ledger: Ledger;
  readonly findings: Findings<ChaosFinding>;
  /** Returns the text of tokens, as an agent reads it. */
  readonly decode: (ids: readonly number[]) => string;
  /** A gateway may have the whole answer of a worker when it is killed, which the worker cannot know. */
  readonly behindGateway: boolean;
}

/** The contents of a batch. */
export interface ExportCounts {
  rows: number;
  tokens: number;
  rewards: number;
  /** Rows of calls whose answer a kill cut. They are left out by default. */
  cutMarked: number;
  /** Rows of calls that the agent left. They are left out by default. */
  leftMarked: number;
  /** Rows of calls whose answer a kill cut. The server could not know this, so they are not left out. */
  cutUnknowable: number;
  /** Rows of calls that the agent left. The server could not know this, so they are not left out. */
  leftUnknowable: number;
  /** Rows of answered calls. The server could not know of the answer, so they are left out by default. */
  answersUnknowable: number;
}

interface Recorded {
  readonly row: Row;
  readonly generations: readonly Generation[];
}

interface SessionRecords {
  readonly own: readonly Recorded[];
  readonly attempts: ReadonlyMap<string, Attempt>;
}

const keyOf = ({ call, attempt }: { readonly call: number; readonly attempt: number }) => `${call}.${attempt}`;

/**
 * Checks two exports of the same sessions against the engine's log and against what the agents know.
 *
 * The full export must have each answered call exactly once, with the engine's tokens. By default, a batch must have the rows of
 * answered calls and must not have the rows of other calls, as far as the server can know:
 *
 * - That an answer was sent is stored with the next change, at most 50 ms later. A server that was killed before counts the call as
 *   undelivered, unless the agent continued from the answer or rewarded it. {@link Ledger.couldStoreAnswer}
 * - An answer that was cut is not stored as sent, so its row must be left out. The exception is a stream whose text was complete: an
 *   agent would read nothing from its missing end.
 * - If an agent continued from the answer to a retry, the row of the earlier attempt must be left out, however it ended. Across a kill,
 *   the server knows that a request is the retry of a call that it had answered only by its `idempotency-key`.
 * - If an agent left, the server must know it once it answered later requests, unless it had sampled the whole answer before.
 */
export function checkExport({ sessions, full, byDefault }: ExportEvidence, context: ExportContext): ExportCounts {
  const { findings } = context;
  const { rows } = readBatch(full);
  const counts = newCounts();
  const used = new Set<Generation>();
  const recorded = rows.map((row) => ({ row, generations: checkTokens(row, context.log, findings, used) ?? [] }));
  for (const session of sessions) checkSession(session, recorded, counts, context);
  const ids = new Set(sessions.map(({ id }) => id));
  for (const { session, id } of rows) if (!ids.has(session)) findings.add("unexplained", `${id} of session ${session}`);
  checkDefault(rows, readBatch(byDefault), findings);
  return counts;
}

export function newCounts(): ExportCounts {
  return {
    rows: 0,
    tokens: 0,
    rewards: 0,
    cutMarked: 0,
    leftMarked: 0,
    cutUnknowable: 0,
    leftUnknowable: 0,
    answersUnknowable: 0,
  };
}

function checkSession(
  session: KnownSession,
  recorded: readonly Recorded[],
  counts: ExportCounts,
  context: ExportContext,
): void {
  const { findings } = context;
  const own = recorded.filter(({ row }) => row.session === session.id);
  const attempts = new Map(session.attempts.map((attempt) => [keyOf(attempt), attempt]));
  const found = new Set<string>();
  for (const { row } of own) {
    counts.rows++;
    counts.tokens += row.prompt.length + row.output.length;
    const attempt = attempts.get(keyOf(row));
    if (!attempt || found.has(keyOf(row))) {
      findings.add("unexplained", `${describe(row)}: no agent made this call, or it has two rows`);
      continue;
    }
    found.add(keyOf(row));
    if (row.parent !== attempt.parent) {
      findings.add("parents", `${describe(row)} has the parent ${row.parent}, expected ${attempt.parent}`);
    }
    checkReward(session, row, counts, findings);
    checkOutcome(row, attempt, { own, attempts }, counts, context);
  }
  for (const { outcome, ...attempt } of session.attempts) {
    if (outcome.kind !== "answered" || found.has(keyOf(attempt))) continue;
    findings.add("missing", `${outcome.id} of session ${session.id}, call ${keyOf(attempt)}`);
  }
}

function checkReward(
  { rewards }: KnownSession,
  row: Row,
  counts: ExportCounts,
  findings: ExportContext["findings"],
): void {
  const expected = rewards.get(row.id);
  if (expected !== undefined) counts.rewards++;
  if (row.ownReward === expected) return;
  findings.add("rewards", `${describe(row)} has the reward ${row.ownReward}, expected ${expected}`);
}

function checkOutcome(
  row: Row,
  attempt: Attempt,
  recorded: SessionRecords,
  counts: ExportCounts,
  context: ExportContext,
): void {
  const { findings, ledger } = context;
  const { outcome } = attempt;
  if (outcome.kind === "answered") {
    checkAnswer(row, outcome, context);
    if (!row.undelivered) return;
    if (ledger.couldStoreAnswer(attempt)) findings.add("markedAnswered", describe(row));
    else counts.answersUnknowable++;
  } else if (outcome.kind === "failed") {
    findings.add("unexplained", `${describe(row)} ended as ${JSON.stringify(outcome)}`);
  } else if (row.undelivered) {
    if (outcome.kind === "lost") counts.cutMarked++;
    else counts.leftMarked++;
  } else {
    const reason = findReason(row, attempt, recorded, context);
    if (reason === undefined && outcome.kind === "lost") counts.cutUnknowable++;
    else if (reason === undefined) counts.leftUnknowable++;
    else findings.add("unmarked", `${describe(row)}, ${attempt.api}, ${outcome.kind}: ${reason}`);
  }
}

function checkAnswer(row: Row, answer: Extract<Outcome, { kind: "answered" }>, context: ExportContext): void {
  const { findings, decode } = context;
  if (row.id !== answer.id) findings.add("missing", `${describe(row)} was answered as ${answer.id}`);
  const text = decode(row.output.map(({ id }) => id));
  if (text !== answer.text) {
    findings.add("texts", `${row.id}: ${JSON.stringify(answer.text)}, expected ${JSON.stringify(text)}`);
  }
}

/** Returns why the server could know that the agent does not have the answer; undefined if it could not know. */
function findReason(
  row: Row,
  attempt: Attempt,
  { own, attempts }: SessionRecords,
  { decode, behindGateway, ledger }: ExportContext,
): string | undefined {
  const { outcome, knownAt, streamed, api, keyed } = attempt;
  const self = own.find((each) => each.row === row);
  const endedAt = self?.generations.at(-1)?.endedAt ?? 0;
  if (knownAt !== undefined && knownAt < endedAt)
    return "the server saw the connection close before the answer was sampled";
  if (outcome.kind === "lost" && !behindGateway) {
    const text = streamed ? readReceivedText(api, outcome.received) : "";
    if (!streamed || text !== decode(row.output.map(({ id }) => id))) {
      return `the answer was cut after ${outcome.received.length} characters`;
    }
  }
  const retries = own.filter((each) => each.row.call === row.call && each.row.attempt > row.attempt);
  const paired = retries.filter((retry) => {
    const later = attempts.get(keyOf(retry.row));
    return later && (keyed || ledger.isSameProcess(attempt, later));
  });
  const continued = paired.find((retry) => own.some((each) => each.row.parent === retry.row.id));
  const calls = { own: self?.generations ?? [], retry: continued?.generations ?? [] };
  if (!isKnownRetry(attempt, calls, [...attempts.values()])) return undefined;
  return continued && `the agent continued from attempt ${continued.row.attempt}`;
}

const describe = (row: Row): string => `interaction ${row.id} of session ${row.session}, call ${keyOf(row)}`;
