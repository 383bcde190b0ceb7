import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { readExportFilters } from "../../src/rollout/configured-filters.js";
import { isHttpUrl } from "../../src/rollout/http-url.js";
import { ProxyWorkflow, type ProxyWorkflowOptions } from "../../src/rollout/proxy-workflow.js";
import { isConfig, isObject, resolveWorkflowOptions } from "../../src/rollout/workflow-options.js";

describe("the options of a workflow", () => {
  const export_filters = { models: ["m"], exclude_models: ["n"], tags: ["t"], roots: "rewarded", overlong: "drop" };
  const agent = {
    turn_discount: 0.5,
    export_style: "concat",
    concat_reward: "return",
    reward_scope: "session",
    export_filters,
  };
  const config = parseConfig({ group_size: 3, drop_incomplete_group: false, rollout: { agent } });
  const filters = { models: ["m"], excludeModels: ["n"], tags: ["t"], roots: "rewarded", overlong: "drop" };
  const configured = {
    groupSize: 3,
    dropIncompleteGroup: false,
    discount: 0.5,
    style: "concat",
    concatReward: "return",
    filters,
    rewardScope: "session",
  };

  it("are those of a configuration if they are not set", () => {
    expect(resolveWorkflowOptions({ config })).toEqual(configured);
    expect(resolveWorkflowOptions({ groupSize: 2 })).toEqual({ groupSize: 2 });
    expect(readExportFilters(parseConfig({}))).toEqual({});
  });

  it.each(
    Object.entries({
      groupSize: 1,
      dropIncompleteGroup: true,
      discount: 0,
      style: "individual",
      concatReward: "leaf",
      filters: {},
      rewardScope: "interaction",
    }),
  )("are preferred to the configuration: %s", (name, value) => {
    expect(resolveWorkflowOptions({ config, [name]: value })).toEqual({ ...configured, [name]: value });
  });

  it("are told from a configuration", () => {
    expect(
      [config, {}, { rollout: 1, engine: 1 }, { rollout: 1, server: 1 }, { engine: 1, server: 1 }, null, "a"].map(
        isConfig,
      ),
    ).toEqual([true, false, false, false, false, false, false]);
    expect([{}, [], null, undefined, "a", 1].map(isObject)).toEqual([true, true, false, false, false, false]);
  });
});

describe("the options of a proxy workflow", () => {
  const create = (options: object) => new ProxyWorkflow({ run: () => 1 }, options as ProxyWorkflowOptions);

  it.each([
    {},
    { discount: 0 },
    { discount: 1 },
    { style: "concat", concatReward: "return", onMismatch: "split" },
    { concatReward: "leaf", onMismatch: "error", rewardScope: "session", timeoutSeconds: 0.1 },
    { rewardScope: "interaction", proxyUrl: "https://proxy/v1" },
    { filters: { models: ["a", ""], excludeModels: ["b"], tags: ["c"], roots: "rewarded", overlong: "drop" } },
    { filters: { roots: "all", overlong: "keep" } },
  ])("may be %j", (options) => {
    expect(create(options)).toBeInstanceOf(ProxyWorkflow);
  });

  it.each<[object, string]>([
    [{ discount: -0.1 }, "discount must be a number from 0 to 1; received the number -0.1."],
    [{ discount: 1.1 }, "discount must be a number from 0 to 1; received the number 1.1."],
    [{ discount: Number.NaN }, "discount must be a number from 0 to 1; received the number NaN."],
    [{ discount: "1" }, 'discount must be a number from 0 to 1; received the string "1".'],
    [{ style: "rows" }, 'style must be individual or concat; received the string "rows".'],
    [{ concatReward: "sum" }, 'concatReward must be leaf or return; received the string "sum".'],
    [
      { concatReward: "return" },
      'concatReward must be leaf, because rows of style individual have one turn each; received the string "return".',
    ],
    [{ onMismatch: "warn" }, 'onMismatch must be error or split; received the string "warn".'],
    [{ rewardScope: "group" }, 'rewardScope must be interaction or session; received the string "group".'],
    [{ timeoutSeconds: 0 }, "timeoutSeconds must be a number of seconds above 0; received the number 0."],
    [{ timeoutSeconds: Number.NaN }, "timeoutSeconds must be a number of seconds above 0; received the number NaN."],
    [{ proxyUrl: "proxy:8000" }, 'proxyUrl must be an http or https URL; received the string "proxy:8000".'],
    [{ filters: { models: [] } }, "filters.models must be a list of at least one text; received an array."],
    [
      { filters: { excludeModels: "a" } },
      'filters.excludeModels must be a list of at least one text; received the string "a".',
    ],
    [{ filters: { tags: ["a", 1] } }, "filters.tags must be a list of at least one text; received an array."],
    [{ filters: { roots: "none" } }, 'filters.roots must be all or rewarded; received the string "none".'],
    [{ filters: { overlong: "cut" } }, 'filters.overlong must be keep or drop; received the string "cut".'],
  ])("may not be %j", (options, message) => {
    expect(() => create(options)).toThrow(expect.objectContaining({ code: "invalid_option", message }) as Error);
  });
});

it("the address of a proxy is an http or https URL", () => {
  const addresses = ["http://a", "https://a:1/v1", "ftp://a", "a", "", "xhttp://a", "http+unix://a", 5, undefined];
  expect(addresses.map(isHttpUrl)).toEqual([true, true, false, false, false, false, false, false, false]);
});
