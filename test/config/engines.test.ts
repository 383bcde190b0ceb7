import { describe, expect, it } from "vitest";
import { parseConfig, redact } from "../../src/config/index.js";
import { catchConfigError } from "./helpers.js";

const engine = { name: "opponent", type: "vllm", urls: ["http://gpu:8000"] };

describe("engines", () => {
  it("have defaults, and their keys are hidden", () => {
    const keys = { type: "sglang", api_key: "sk-engine", admin_api_key: "sk-admin" };
    const config = parseConfig({ engines: [{ ...engine, ...keys }] });
    const full = { ...engine, ...keys, frozen: false, max_inflight: 1024, timeout_seconds: 3600 };
    expect(config.engines).toEqual([full]);
    expect(redact(config)).toMatchObject({ engines: [{ api_key: "[redacted]", admin_api_key: "[redacted]" }] });
  });

  it.each([
    { path: "/m", served_model: "m", context_length: 4096, max_inflight: 2, timeout_seconds: 0, frozen: true },
    { context_length: 1, max_inflight: 1, urls: ["http://a", "https://b:1/base"] },
    { path: null, served_model: null, context_length: null, api_key: null, admin_api_key: null },
  ])("may have %j", (fields) => {
    expect(parseConfig({ engines: [{ ...engine, ...fields }] }).engines).toMatchObject([fields]);
  });

  it.each([
    [[{ ...engine, urls: ["gpu:8000"] }], "engines[0].urls[0]: expected a list of http or https URLs"],
    [[{ ...engine, context_length: 0 }], "engines[0].context_length: expected an integer of 1 or more"],
    [[{ ...engine, max_inflight: 0 }], "engines[0].max_inflight: expected an integer of 1 or more"],
    [[{ ...engine, max_inflight: 65_536 }], "engines[0].max_inflight: "],
    [[{ ...engine, served_model: "" }], "engines[0].served_model: "],
    [[{ ...engine, api_key: "a b" }], "engines[0].api_key: expected visible ASCII characters without spaces"],
    [[{ ...engine, name: "my opponent" }], "engines[0].name: expected a model name of at most 128 characters"],
    [[{ ...engine, name: "opp*" }], "engines[0].name: expected a model name of at most 128 characters"],
    [[{ ...engine, type: "embedded" }], "engines[0].type: expected sglang or vllm"],
    [[{ ...engine, urls: [] }], "engines[0].urls: expected a list of http or https URLs"],
    [[{ ...engine, path: "" }], "engines[0].path: expected the folder of a model"],
    [[{ ...engine, frozen: 1 }], "engines[0].frozen: expected true or false"],
    [[{ ...engine, admin_api_key: "sk-admin" }], "engines[0]: expected no admin_api_key"],
    [[{ ...engine, type: "sglang", served_model: "m" }], "engines[0]: expected no served_model"],
    [[engine, engine], "engines: expected a different name for each engine"],
  ])("are refused: %j", (engines, message) => {
    expect(catchConfigError(() => parseConfig({ engines })).message).toContain(message);
  });
});
