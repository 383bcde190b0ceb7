import { native } from "../../../src/native/addon.js";
import type { NativeSession } from "../../../src/native/contract.js";
import { MAX_LABELS, ROW_COLUMNS } from "../../../src/session/batch/row-columns.js";
import { encodeFacts, encodeLabels } from "../../../src/session/encode-facts.js";
import { sized } from "../../sized.js";
import { DISCOUNT, makeLoad, recordedStore } from "../load.js";
import { delayDuring } from "../loop-stall.js";
import { median, type Times, takeTurns, timesFaster } from "../measure.js";
import { exportOptions } from "../options.js";
import { milliseconds, type Row, report } from "../row.js";

/**
 * Measures the cost of the tensors and metadata that describe rows, in a batch of 160,000 rows: for planning, which runs on the event
 * loop, for the whole export, and for the longest stall of the event loop.
 */

const ROUNDS = sized(9, 2, 3);
const SHAPE = { sessions: sized(10_000, 50), turns: 16, tokens: 64 };
const ROWS = SHAPE.sessions * SHAPE.turns;

const load = makeLoad(SHAPE);

/** Returns conversations in native memory alone. Each call has the facts and labels of a call on a server. */
function nativeSessions(): NativeSession[] {
  const call = { api: "chat.completions", finishReason: "stop", createdAt: Date.now(), requestedModel: "m" } as const;
  const facts = encodeFacts(call);
  const labels = encodeLabels(call);
  const digests = new Uint8Array(16);
  return load.map((conversation) => {
    const session = new native.Session();
    for (const [turn, { tail, output, logprobs, version }] of conversation.entries()) {
      const prompt = session.prompt([tail], turn > 0 ? turn - 1 : undefined);
      const generation = new native.Generation();
      generation.append(output, logprobs, version);
      session.record({ prompt, generation, digests, output: [], parent: turn - 1, facts, labels });
    }
    session.setReward(conversation.length - 1, 1);
    return session;
  });
}

function plan(sessions: readonly NativeSession[], withColumns: boolean): number {
  const started = performance.now();
  native.planBatch(sessions, {
    style: "individual",
    discount: DISCOUNT,
    onMismatch: "error",
    padTokenId: 0,
    padSide: "right",
    padToMultipleOf: 1,
    maxLength: 0,
    overflow: "error",
    ...(withColumns && { columns: ROW_COLUMNS, labelLimit: MAX_LABELS }),
  });
  return (performance.now() - started) / 1000;
}

type Both = Times<"without" | "with">;

function compare(what: string, times: Both, target: number): Row {
  return {
    what: `${what}, ${ROWS.toLocaleString("en")} rows, with row tensors against without`,
    measured: milliseconds(median(times.with)),
    reference: milliseconds(median(times.without)),
    verdict: { value: timesFaster(times.without, times.with), target, bound: "at most", unit: "x" },
  };
}

const sessions = nativeSessions();
const planning: Both = await takeTurns(ROUNDS, {
  without: () => plan(sessions, false),
  with: () => plan(sessions, true),
});
for (const session of sessions) session.release();

const { store, ids } = recordedStore(load);
const stalls = { without: [] as number[], with: [] as number[] };

/** Returns the seconds of one export, and records the longest stall of the event loop during it. */
async function exportOnce(how: keyof Both): Promise<number> {
  let batch: Awaited<ReturnType<typeof store.exportBatch>> | undefined;
  const { delay, result: taken } = await delayDuring(async () => {
    const started = performance.now();
    batch = await store.exportBatch(ids, exportOptions({ rowTensors: how === "with" }));
    return (performance.now() - started) / 1000;
  });
  stalls[how].push(delay.max / 1000);
  batch?.release();
  return taken;
}

const exporting: Both = await takeTurns(ROUNDS, {
  without: () => exportOnce("without"),
  with: () => exportOnce("with"),
});
report(
  compare("native.planBatch", planning, 1.1),
  compare("whole exportBatch", exporting, 1.5),
  compare("longest stall of the event loop", { without: stalls.without.slice(1), with: stalls.with.slice(1) }, 1.25),
);
