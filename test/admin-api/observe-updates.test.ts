import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { observeUpdates } from "../../src/admin-api/weights/observe-updates.js";
import { WeightMetrics } from "../../src/admin-api/weights/weight-metrics.js";
import type { WeightsRecord } from "../../src/admin-api/weights/weights-schemas.js";
import { captureLog } from "../helpers/captured-log.js";

/** Log lines and metrics of weight updates. */

const RECORD: WeightsRecord = {
  state: "idle",
  version: 6,
  target_version: 7,
  mode: "path",
  path: "/w",
  started_at: 1,
  paused_seconds: 2.5,
  checked: true,
  not_checked: null,
  error: null,
  servers: ["a", "b"].map((url) => ({
    url,
    version: 6,
    state: url === "a" ? "pending" : "excluded",
    seconds: null,
    error: null,
  })),
};
const { info, warn, error } = pino.levels.values;

function observe() {
  const { logger, lines } = captureLog();
  const registry = new Registry();
  const observer = observeUpdates(logger, new WeightMetrics(registry, "rolltape"));
  const read = async (name: string) => {
    const metrics = await registry.getMetricsAsJSON();
    const values = metrics.find((metric) => metric.name === `rolltape_weight_${name}`)?.values ?? [];
    return values.map(({ labels, value }) => [...Object.values(labels), value].join(" "));
  };
  return { observer, lines, read };
}

it("logs the start of an update with the servers that it leaves out", () => {
  const { observer, lines } = observe();
  observer.began(RECORD);
  expect(lines).toEqual([
    {
      level: info,
      version: 6,
      target_version: 7,
      mode: "path",
      path: "/w",
      servers: 2,
      excluded: ["b"],
      msg: "weight update began",
    },
  ]);
});

it("logs and counts each end, and the time in which calls were held once it is over", async () => {
  const { observer, lines, read } = observe();
  expect(await read("updates_total")).toEqual(["succeeded 0", "failed 0", "given_up 0"]);
  observer.ended("failed", { ...RECORD, state: "failed", error: "no space" });
  expect(await read("update_paused_seconds_total")).toEqual(["0"]);
  observer.ended("succeeded", RECORD);
  expect(await read("update_paused_seconds_total")).toEqual(["2.5"]);
  observer.ended("given_up", { ...RECORD, paused_seconds: null });
  observer.ended("failed", { ...RECORD, error: "not begun" });
  expect(await read("updates_total")).toEqual(["succeeded 1", "failed 2", "given_up 1"]);
  expect(await read("update_paused_seconds_total")).toEqual(["5"]);
  expect(lines.map(({ level, held, error: why, paused_seconds: seconds }) => [level, held, why, seconds])).toEqual([
    [error, true, "no space", 2.5],
    [info, undefined, undefined, 2.5],
    [warn, undefined, undefined, null],
    [error, false, "not begun", 2.5],
  ]);
});
