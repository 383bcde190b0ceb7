import type { Attempt } from "../agents/attempt.js";
import type { Generation, GenerationLog } from "../engine/generation-log.js";
import { checkTokens } from "./check-tokens.js";
import { findReason } from "./find-reason.js";
import type { Findings } from "./findings.js";
import { type Batch, type Row, readBatch } from "./read-rows.js";

/** The exports of some sessions, and what their agents know. */
export interface BatchEvidence {
  /** Exported with `include_undelivered`. */
  readonly full: Uint8Array;
  /** The same sessions, exported with default options. */
  readonly byDefault: Uint8Array;
  /** All model calls of these sessions. */
  readonly attempts: readonly Attempt[];
}

export interface CheckContext {
  readonly log: GenerationLog;
  readonly findings: Findings;
  /** Returns the text of tokens, as an agent reads it. */
  readonly decode: (ids: readonly number[]) => string;
}

/** The contents of a batch. */
export interface BatchCounts {
  readonly rows: number;
  readonly tokens: number;
  readonly outputTokens: number;
  /** Marked rows, whose agents did not get the answer. */
  readonly marked: number;
  /** Unmarked rows whose agents did not get the answer, which the server could not know. */
  readonly unknowable: number;
}

const keyOf = ({ call, attempt }: { readonly call: number; readonly attempt: number }) => `${call}.${attempt}`;

/** Checks two exports of the same sessions against the engine's log and against what the agents know. */
export function checkBatch({ full, byDefault, attempts }: BatchEvidence, context: CheckContext): BatchCounts {
  const { findings } = context;
  const { rows } = readBatch(full);
  const known = new Map(attempts.map((attempt) => [keyOf(attempt), attempt]));
  const rowsByCall = new Map<string, Row>();
  const used = new Set<Generation>();
  const recorded = new Map(rows.map((row) => [row, checkTokens(row, context.log, findings, used) ?? []]));
  let [marked, unknowable] = [0, 0];
  for (const row of recorded.keys()) {
    const attempt = known.get(keyOf(row));
    if (!attempt || attempt.session !== row.session || rowsByCall.has(keyOf(row))) {
      findings.add("unexplained", `${row.id}: no agent of ${row.session} made call ${keyOf(row)}, or it has two rows`);
      continue;
    }
    rowsByCall.set(keyOf(row), row);
    if (row.parent !== attempt.parent) {
      findings.add("parents", `${row.id} has the parent ${row.parent}, expected ${attempt.parent}`);
    }
    const { outcome } = attempt;
    if (outcome.kind === "answered") checkAnswered(row, outcome, context);
    else if (outcome.kind === "left") {
      if (row.undelivered) marked++;
      else {
        const reason = findReason(row, attempt, { recorded, attempts });
        if (reason === undefined) unknowable++;
        else findings.add("unmarked", `${describe(row, attempt)}: ${reason}`);
      }
    } else findings.add("unexplained", `${row.id}: ${describe(row, attempt)} ended as ${JSON.stringify(outcome)}`);
  }
  for (const attempt of attempts) {
    if (attempt.outcome.kind === "lost") findings.add("lost", `call ${keyOf(attempt)}: ${attempt.outcome.reason}`);
    if (attempt.outcome.kind !== "answered" || rowsByCall.has(keyOf(attempt))) continue;
    findings.add("missing", `${attempt.outcome.id} of session ${attempt.session}, call ${keyOf(attempt)}`);
  }
  checkDefault(rows, readBatch(byDefault), findings);
  const count = (part: "prompt" | "output") => rows.reduce((sum, row) => sum + row[part].length, 0);
  const outputTokens = count("output");
  return { rows: rows.length, tokens: count("prompt") + outputTokens, outputTokens, marked, unknowable };
}

function checkAnswered(
  row: Row,
  answer: { readonly id: string; readonly text: string },
  { findings, decode }: CheckContext,
): void {
  if (row.id !== answer.id)
    findings.add("missing", `call ${keyOf(row)} was answered as ${answer.id}, its row is ${row.id}`);
  if (row.undelivered) findings.add("markedAnswered", describe(row));
  const text = decode(row.output.map(({ id }) => id));
  if (text !== answer.text) {
    findings.add("texts", `${row.id}: ${JSON.stringify(answer.text)}, expected ${JSON.stringify(text)}`);
  }
}

/** Checks that the default export has exactly the unmarked rows of the full export. */
export function checkDefault(rows: readonly Row[], byDefault: Batch, findings: Pick<Findings, "add">): void {
  const expected = rows.filter(({ undelivered }) => !undelivered);
  if (byDefault.leftOut !== rows.length - expected.length) {
    findings.add(
      "defaultRows",
      `left_out says ${byDefault.leftOut}, but ${rows.length - expected.length} rows are marked`,
    );
  }
  const text = (list: readonly Row[]) => list.map((row) => JSON.stringify([row.id, row.prompt, row.output]));
  const [unmarked, exported] = [text(expected), text(byDefault.rows)];
  if (unmarked.length !== exported.length || unmarked.some((row, i) => row !== exported[i])) {
    findings.add("defaultRows", `${exported.length} rows, expected ${unmarked.length} with the same tokens`);
  }
}

const describe = (row: Row, attempt?: Attempt): string =>
  `interaction ${row.id} of session ${row.session}, call ${keyOf(row)}${attempt ? `, ${attempt.api}` : ""}`;
