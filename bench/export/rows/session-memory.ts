import { Session } from "../../../src/session/session.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import { collectGarbage } from "../../kit/measure.js";
import { type Row, report } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { type LoadShape, makeLoad, recordConversation } from "../load.js";

/** Measures the memory of sessions of 50 turns that grow to 64K tokens, in bytes per distinct token. */

const SHAPE = sized<LoadShape>({ sessions: 1, turns: 50, tokens: 65_536 }, { sessions: 1, turns: 5, tokens: 1_024 });
const SESSIONS = sized(200, 5, 60);

function record(shape: LoadShape, index: number): { session: Session; tokens: number } {
  const session = new Session({ id: `task-${index}`, taskId: "task" });
  let tokens = 0;
  for (const conversation of makeLoad(shape)) {
    recordConversation(new LocalSession(session), conversation);
    for (const { tail, output } of conversation) tokens += tail.length + output.length;
  }
  return { session, tokens };
}

async function settledRss(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage.rss();
}

/**
 * Returns the resident memory that many sessions add to the process, in bytes per token. The event loop runs after each session, as
 * it does between the calls of a server.
 *
 * @param collect also collects garbage after each session
 */
async function residentPerToken(shape: LoadShape, collect: boolean): Promise<number> {
  const warm = record(shape, -1);
  const before = await settledRss();
  const held: ReturnType<typeof record>[] = [];
  for (let index = 0; index < SESSIONS; index++) {
    held.push(record(shape, index));
    if (collect) collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const after = await settledRss();
  const tokens = held.reduce((sum, each) => sum + each.tokens, 0);
  for (const { session } of [warm, ...held]) session.free("exported");
  return (after - before) / tokens;
}

function nativeRow(): Row {
  const { session, tokens } = record(SHAPE, 0);
  const byteLength = session.data.size.native;
  session.free("exported");
  return {
    what: "held per distinct token, native memory of one session",
    measured: `${byteLength} B, ${tokens} tokens`,
    reference: "",
    verdict: verdict(byteLength / tokens),
  };
}

async function residentRow(detail: string, shape: LoadShape, collect: boolean): Promise<Row> {
  const held = await residentPerToken(shape, collect);
  const what = `held per distinct token, resident memory, ${detail}`;
  return { what, measured: `${SESSIONS} sessions`, reference: "", verdict: verdict(held) };
}

/**
 * Has no target: a quarter of this memory or more are arrays of ids that the caller makes for each call. A server makes none; the row
 * `server-memory` measures it.
 */
async function allRow(): Promise<Row> {
  const held = await residentPerToken(TEXT, false);
  const what = "held per distinct token, resident memory, with 4 characters of text a token, garbage left to V8";
  return { what, measured: `${SESSIONS} sessions, ${held.toFixed(1)} B with the arrays of the caller`, reference: "" };
}

const verdict = (value: number) => ({ value, target: 10, bound: "at most", unit: " B" }) as const;
const TEXT = { ...SHAPE, charactersPerToken: 4 };

/** One measurement per process, because memory that malloc keeps from one would hide the memory of the next. */
const ROWS: Readonly<Record<string, () => Row | Promise<Row>>> = {
  native: nativeRow,
  held: () => residentRow("short messages, garbage collected", SHAPE, true),
  uncollected: () => residentRow("short messages, garbage left to V8", SHAPE, false),
  text: () => residentRow("with 4 characters of text a token", TEXT, true),
  all: allRow,
};
const row = await ROWS[process.argv[2] ?? ""]?.();
if (!row) throw new Error(`the argument must be one of ${Object.keys(ROWS).join(", ")}; received ${process.argv[2]}`);
report(row);
