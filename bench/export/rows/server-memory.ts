import { report } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { type ConversationShape, type MemoryReading, ServedConversations } from "../served/conversations.js";

/**
 * Measures how much the resident memory of a server grows for each distinct token, while it records conversations with 4 characters of
 * text a token as fast as it can. Garbage is left to V8.
 *
 * Two caches of a server have a fixed size: the kept requests (`server.known_request_bytes`) and the token ids of recent texts. Both
 * are full before the first reading, so that they count in every reading and not in the growth.
 */

const SHAPE = sized<ConversationShape>(
  { atOnce: 16, turns: 50, tokens: 65_536 },
  { atOnce: 2, turns: 3, tokens: 1_024 },
);
const SESSIONS = sized(200, 4, 50);
/** Enough to fill the kept requests. */
const WARM_UP_SESSIONS = sized(40, 2);
/** More than the running conversations need, and less than the warm-up fills. */
const KNOWN_BYTES = 48 * 2 ** 20;
const TARGET_BYTES = 13;

/** Slope of a line through the readings. The memory at one moment depends on how long ago V8 collected garbage. */
function growthPerToken(readings: readonly MemoryReading[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const tokens = mean(readings.map((each) => each.tokens));
  const resident = mean(readings.map((each) => each.resident));
  const covariance = mean(readings.map((each) => (each.tokens - tokens) * (each.resident - resident)));
  return covariance / mean(readings.map((each) => (each.tokens - tokens) ** 2));
}

const served = await ServedConversations.start(SHAPE, [`server.known_request_bytes=${KNOWN_BYTES}`]);
try {
  if (sized(true, false)) await served.fillTokenCache();
  await served.record(WARM_UP_SESSIONS, () => undefined);
  const readings = [served.read()];
  await served.record(SESSIONS, () => readings.push(served.read()));
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last) throw new Error("the memory was never read");
  const tokens = last.tokens - first.tokens;
  const difference = ((last.resident - first.resident) / tokens).toFixed(1);
  report({
    what: "held per distinct token, resident memory of a server while it records, 4 characters of text a token",
    measured: `${SESSIONS} sessions, ${(tokens / 1e6).toFixed(1)} M tokens; last reading minus first: ${difference} B a token`,
    reference: "",
    verdict: { value: growthPerToken(readings), target: TARGET_BYTES, bound: "at most", unit: " B" },
  });
} finally {
  await served.stop();
}
