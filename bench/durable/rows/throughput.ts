import type { Load } from "../../kit/load.js";
import { median } from "../../kit/measure.js";
import type { Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { ServerPair, type Side } from "../pair.js";
import { withFolder } from "../storage-folder.js";

/** Calls a second with storage, as a share of those without. The two servers take turns. */

const OPEN_CALLS = sized(32, 4);
const LOAD = { concurrency: OPEN_CALLS, seconds: sized(4, 0.3, 2) };
const ROUNDS = sized(5, 1, 2);
const TARGET_SHARE = 85;

export async function throughput(): Promise<Row[]> {
  return withFolder(async (directory) => {
    const pair = await ServerPair.start(directory, { connections: OPEN_CALLS, sessions: OPEN_CALLS });
    try {
      const rounds: Record<Side, Load>[] = [];
      for (let round = -1; round < ROUNDS; round++) {
        const loads = { memory: await pair.keepOpen("memory", LOAD), stored: await pair.keepOpen("stored", LOAD) };
        if (round >= 0) rounds.push(loads);
      }
      const middle = (side: Side, value: keyof Load) => median(rounds.map((each) => each[side][value]));
      const show = (side: Side) =>
        `${middle(side, "perSecond").toFixed(0)}/s, p50 ${middle(side, "p50").toFixed(1)} ms, ` +
        `CPU ${middle(side, "cpu").toFixed(2)} ms a call`;
      const value = 100 * median(rounds.map(({ stored, memory }) => stored.perSecond / memory.perSecond));
      const verdict = { value, target: TARGET_SHARE, bound: "at least", unit: "%" } as const;
      const what = `small calls, ${OPEN_CALLS} open`;
      return [{ what, measured: `stored: ${show("stored")}`, reference: `memory only: ${show("memory")}`, verdict }];
    } finally {
      await pair.close();
    }
  });
}
