import { expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { resolveControllerOptions } from "../../src/job/resolve-controller-options.js";

const config = parseConfig({
  rollout: {
    max_concurrent_rollouts: 5,
    max_staleness: 1,
    consumer_batch_size: 2,
    agent: {
      turn_discount: 0.5,
      export_style: "concat",
      concat_reward: "return",
      export_filters: { models: ["m"], overlong: "drop" },
    },
  },
});
const exportFields = { discount: 0.5, style: "concat", concat_reward: "return", models: ["m"], overlong: "drop" };
const limits = { maxConcurrentRollouts: 5, maxStaleness: 1, consumerBatchSize: 2 };

it("returns options without a configuration as they are", () => {
  const options = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 };
  expect(resolveControllerOptions(options)).toBe(options);
  expect(resolveControllerOptions(null as never)).toBeNull();
});

it("takes the limits and the export fields of a configuration", () => {
  expect(resolveControllerOptions(config)).toEqual({ ...limits, exportFields });
  expect(resolveControllerOptions({ config, version: 3 })).toEqual({ ...limits, version: 3, exportFields });
});

it("prefers options to the configuration", () => {
  const given = { maxConcurrentRollouts: 9, maxStaleness: 0, consumerBatchSize: 7 };
  const fields = { discount: 1, pad_to_multiple_of: 8 };
  expect(resolveControllerOptions({ config, ...given, exportFields: fields })).toEqual({
    ...given,
    exportFields: { ...exportFields, ...fields },
  });
});

it("runs 64 rollouts at a time if neither says how many, and needs the size of a batch", () => {
  const empty = parseConfig({});
  expect(resolveControllerOptions({ config: empty, consumerBatchSize: 3 })).toMatchObject({
    maxConcurrentRollouts: 64,
    consumerBatchSize: 3,
  });
  for (const options of [empty, { config: empty }])
    expect(() => resolveControllerOptions(options)).toThrow(
      expect.objectContaining({
        name: "ControllerError",
        code: "invalid_option",
        message:
          "rollout.consumer_batch_size must be an integer of at least 1 for a controller, which does not know the number of " +
          "tasks; received null. Set it, or the option consumerBatchSize.",
      }) as Error,
    );
});
