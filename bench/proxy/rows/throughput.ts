import { body, history, SIZES, unicodeHistory } from "../../kit/bodies.js";
import { chat, type Load, load, type Target, toTarget } from "../../kit/load.js";
import { median } from "../../kit/measure.js";
import type { Row } from "../../kit/report.js";
import { QWEN3 } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { Reference, Rig, startTurns } from "../rig.js";

/**
 * Measures calls per second with full recording, compared with a proxy that only forwards bytes. Each call of Rolltape is the next turn
 * of a session: a known history and a new short message. The other proxy forwards the same bodies.
 */

const SECONDS = sized(3, 0.2, 1);
/** Seconds of calls before the first round. They let Node compile a proxy's code: after 1 s, calls still take three times as long. */
const WARM_UP_SECONDS = sized(4, 0.2);
const ROUNDS = sized(3, 1, 2);
const CONCURRENCY = sized([1, 32], [1, 4]);
const BODIES = sized<readonly BodySize[]>(["small", "medium", "large"], ["small"]);
const TARGET_ADDED_MS = 0.3;
/** Minimum share of the other proxy's rate in percent, and maximum processor time of a call in milliseconds, by size of the body. */
const TARGETS = {
  hf: { small: [22, 0.28], medium: [50, 0.9], large: [60, 2] },
  concat: { small: [22, 0.28], medium: [65, 0.9], large: [75, 1.3] },
} as const;
type TemplateType = keyof typeof TARGETS;
type BodySize = keyof (typeof TARGETS)["hf"];
const TEMPLATE_TYPES = ["hf", "concat"] as const;

const [LEAST_OPEN = 1, MOST_OPEN = 1] = CONCURRENCY;

interface MeasuredCalls {
  readonly type: TemplateType;
  readonly size: BodySize;
  readonly concurrency: number;
  /** Folder of the model. Default: the tiny model's. */
  readonly model?: string;
  /** The conversation has characters outside Latin-1. Such a row has no target. */
  readonly unicode?: boolean;
}

const MEASURED: readonly MeasuredCalls[] = [
  ...TEMPLATE_TYPES.flatMap((type) =>
    BODIES.flatMap((size) => [
      { type, size, concurrency: LEAST_OPEN },
      { type, size, concurrency: MOST_OPEN },
      { type, size, concurrency: MOST_OPEN, model: QWEN3 },
    ]),
  ),
  { type: "concat", size: sized("medium", "small"), concurrency: MOST_OPEN, model: QWEN3, unicode: true },
];

/** A short run has time for half of the calls: most of them with 32 open. */
function isInShortRun({ type, size, concurrency, model }: MeasuredCalls): boolean {
  if (model !== undefined) return size === "medium";
  return concurrency === MOST_OPEN || (type === "hf" && size === "small");
}

export async function throughput(): Promise<Row[]> {
  const rows: Row[] = [];
  const isChosen = sized(
    () => true,
    () => true,
    isInShortRun,
  );
  const reference = await Reference.start();
  try {
    await warmUp(reference);
    for (const calls of MEASURED.filter(isChosen)) rows.push(...(await measure(calls, reference)));
    return rows;
  } finally {
    await reference.stop();
  }
}

/** Lets Node compile the code of the reference proxy and its engine, which all rows use. */
async function warmUp({ passThrough }: Reference): Promise<void> {
  const target = toTarget(passThrough, MOST_OPEN);
  const plain = Buffer.from(body(history(SIZES.small, 1)));
  await load(target, { concurrency: MOST_OPEN, seconds: WARM_UP_SECONDS }, () => chat(target, "none", plain));
  await target.pool.destroy();
}

async function measure(
  { type, size, concurrency, model, unicode = false }: MeasuredCalls,
  other: Reference,
): Promise<Row[]> {
  const args = [`rollout.agent.chat_template_type=${type}`, ...(model === undefined ? [] : [`model.path=${model}`])];
  const rig = await Rig.start(concurrency, { args, reference: other });
  try {
    const makeHistory = unicode ? unicodeHistory : history;
    const turns = await Promise.all(
      Array.from({ length: concurrency }, (_, worker) => startTurns(rig.proxy, makeHistory(SIZES[size], worker))),
    );
    const callOf = (target: Target) => (worker: number) =>
      chat(target, turns[worker]?.key ?? "", turns[worker]?.next() ?? "");
    const rounds: { proxy: Load; reference: Load }[] = [];
    await load(rig.proxy, { concurrency, seconds: WARM_UP_SECONDS }, callOf(rig.proxy));
    for (let round = 0; round < ROUNDS; round++) {
      const reference = await load(rig.passThrough, { concurrency, seconds: SECONDS }, callOf(rig.passThrough));
      const proxy = await load(rig.proxy, { concurrency, seconds: SECONDS }, callOf(rig.proxy));
      rounds.push({ proxy, reference });
    }
    const share = median(rounds.map(({ proxy, reference }) => proxy.perSecond / reference.perSecond));
    const added = median(rounds.map(({ proxy, reference }) => proxy.p50 - reference.p50));
    const middle = (side: "proxy" | "reference", value: keyof Load) => median(rounds.map((each) => each[side][value]));
    const rate = (side: "proxy" | "reference") =>
      `${middle(side, "perSecond").toFixed(0)}/s, p50 ${middle(side, "p50").toFixed(2)} ms, ` +
      `CPU ${middle(side, "cpu").toFixed(2)} ms a call`;
    const [targetShare, targetCpu] = TARGETS[type][size];
    const vocabulary = model === undefined ? "" : ", Qwen3's vocabulary";
    const text = unicode ? ", text outside Latin-1" : "";
    const what = `${size} bodies, \`${type}\`${vocabulary}${text}, ${concurrency} at once`;
    if (unicode) {
      const measured = `${rate("proxy")}: ${(share * 100).toFixed(1)}% of the reference's rate`;
      return [{ what, measured, reference: rate("reference") }];
    }
    const rows: Row[] = [
      {
        what,
        measured: rate("proxy"),
        reference: rate("reference"),
        verdict: { value: share * 100, target: targetShare, bound: "at least", unit: "%" },
      },
    ];
    if (concurrency === 1 && size === "small") {
      rows.push({
        what: `${what}: added to a call`,
        measured: `${added.toFixed(2)} ms`,
        reference: "",
        verdict: { value: added, target: TARGET_ADDED_MS, bound: "at most", unit: " ms" },
      });
    }
    if (concurrency > 1) {
      const cpu = middle("proxy", "cpu");
      rows.push({
        what: `${what}: processor time of a call`,
        measured: `${cpu.toFixed(2)} ms`,
        reference: "",
        verdict: { value: cpu, target: targetCpu, bound: "at most", unit: " ms" },
      });
    }
    return rows;
  } finally {
    await rig.close();
  }
}
