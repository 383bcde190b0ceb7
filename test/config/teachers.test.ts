import { describe, expect, it } from "vitest";
import { parseConfig, redact } from "../../src/config/index.js";
import { catchConfigError } from "./helpers.js";

const teacher = { name: "big", engine: "sglang", urls: ["http://gpu:30000"] };

describe("teachers", () => {
  it("have defaults, and their keys are hidden", () => {
    const config = parseConfig({ teachers: [{ ...teacher, api_key: "sk-teacher" }] });
    const full = { ...teacher, top_k: 0, when: "export", max_inflight: 8, timeout_seconds: 600, api_key: "sk-teacher" };
    expect(config.teachers).toEqual([full]);
    expect(redact(config)).toMatchObject({ teachers: [{ ...teacher, api_key: "[redacted]" }] });
  });

  it.each([
    { engine: "vllm", model: "m", top_k: 100, when: "end", max_inflight: 1024, timeout_seconds: 5 },
    { top_k: 1, max_inflight: 1, urls: ["http://a", "https://b:1/base"], model: null, api_key: null },
  ])("may have %j", (fields) => {
    expect(parseConfig({ teachers: [{ ...teacher, ...fields }] }).teachers).toMatchObject([fields]);
  });

  it.each([
    [[{ ...teacher, engine: "vllm", model: "" }], "teachers[0].model: "],
    [[{ ...teacher, top_k: -1 }], "teachers[0].top_k: "],
    [[{ ...teacher, max_inflight: 0 }], "teachers[0].max_inflight: "],
    [[{ ...teacher, max_inflight: 1025 }], "teachers[0].max_inflight: "],
    [[{ ...teacher, api_key: "a b" }], "teachers[0].api_key: expected visible ASCII characters without spaces"],
    [[{ ...teacher, name: "Big" }], "teachers[0].name: expected a letter a to z, then letters, digits and _"],
    [[{ ...teacher, name: "a".repeat(33) }], "teachers[0].name: expected a letter a to z"],
    [[{ ...teacher, engine: "embedded" }], "teachers[0].engine: expected sglang or vllm"],
    [[{ ...teacher, urls: [] }], "teachers[0].urls: expected a list of http or https URLs"],
    [[{ ...teacher, urls: ["gpu:30000"] }], "teachers[0].urls[0]: expected a list of http or https URLs"],
    [[{ ...teacher, model: "m" }], "teachers[0]: expected no model"],
    [[{ ...teacher, top_k: 101 }], "teachers[0].top_k: expected an integer from 0 to 100"],
    [[{ ...teacher, when: "start" }], "teachers[0].when: expected export or end"],
    [[{ ...teacher, timeout_seconds: 0 }], "teachers[0].timeout_seconds: expected a number of seconds above 0"],
    [[teacher, teacher], "teachers: expected a different name for each teacher"],
  ])("are refused: %j", (teachers, message) => {
    expect(catchConfigError(() => parseConfig({ teachers })).message).toContain(message);
  });
});
