import { describe, expect, it } from "vitest";
import { parseConfig, readUpstreams, redact } from "../../src/config/index.js";
import { catchConfigError } from "./helpers.js";

const url = "https://api.example.com/v1";

describe("upstreams", () => {
  it("read their key from the configuration or from an environment variable", () => {
    const config = parseConfig({
      upstreams: [
        { models: ["a", "b-*"], url, api_key: "sk-1" },
        { models: "c", url, api_key_env: "JUDGE_KEY", model: "d", timeout_seconds: 5 },
        { models: ["*"], refuse: true },
      ],
    });
    expect(readUpstreams(config, { JUDGE_KEY: "sk-2" })).toEqual([
      { models: ["a", "b-*"], refuse: false, url, apiKey: "sk-1", model: undefined, timeoutSeconds: 600 },
      { models: ["c"], refuse: false, url, apiKey: "sk-2", model: "d", timeoutSeconds: 5 },
      { models: ["*"], refuse: true },
    ]);
    const missing = "upstreams[1].api_key_env: the environment variable JUDGE_KEY is not set";
    expect(() => readUpstreams(config, { JUDGE_KEY: "" })).toThrow(missing);
    expect(() => readUpstreams(config, { JUDGE_KEY: "sk-2\n" })).toThrow(
      "JUDGE_KEY has characters that a key cannot have",
    );
  });

  it.each([
    { models: "x".repeat(1024), model: "y".repeat(1024), timeout_seconds: 0.5 },
    { models: ["a*b"], api_key: null, api_key_env: null, model: null, timeout_seconds: null, refuse: false },
  ])("may have %j", (fields) => {
    expect(parseConfig({ upstreams: [{ url, ...fields }] }).upstreams).toMatchObject([fields]);
  });

  it.each([
    [[{ models: "x".repeat(1025), url }], "upstreams[0].models: expected a list of model names"],
    [[{ models: "", url }], "upstreams[0].models: expected a list of model names"],
    [[{ models: "a", url, model: "" }], "upstreams[0].model: "],
    [[{ models: "a", url, model: "y".repeat(1025) }], "upstreams[0].model: "],
    [[{ models: "a", url, api_key_env: "" }], "upstreams[0].api_key_env: "],
    [[{ models: "a", url, timeout_seconds: 0 }], "upstreams[0].timeout_seconds: expected a number of seconds above 0"],
    [[{ models: "a", url: "http://u@h" }], "upstreams[0].url: expected an http or https URL without password"],
    [[{ models: ["a"] }], "upstreams[0]: expected url, or refuse: true"],
    [[{ models: ["a"], url, refuse: true }], "upstreams[0]: expected no key besides models, because refuse is true"],
    [
      [{ models: ["a"], url, api_key: "k", api_key_env: "K" }],
      "upstreams[0]: expected api_key or api_key_env, not both",
    ],
    [[{ models: ["a**"], url }], "upstreams[0].models[0]: expected a list of model names, each with at most one *"],
    [[{ models: [], url }], "upstreams[0].models: expected a list of model names, each with at most one *"],
    [[{ url }], "upstreams[0].models: expected a list of model names, each with at most one *"],
    [
      [{ models: ["a"], url: "http://u:secret@h" }],
      "upstreams[0].url: expected an http or https URL without password, query or fragment",
    ],
    [[{ models: ["a"], url, key: "secret" }], "upstreams[0].key: unknown key"],
    [
      [{ models: ["a"], url, api_key: "secret key" }],
      "upstreams[0].api_key: expected visible ASCII characters without spaces",
    ],
    [[{ models: ["a"], url, api_key: 4711 }], "upstreams[0].api_key: expected visible ASCII characters without spaces"],
    [["secret"], "upstreams[0]: expected a map of models and url, or of models and refuse, got 6 characters"],
    [
      { models: ["a"], url, api_key: "secret" },
      /^upstreams: expected a list of values, .* got a value of type object$/,
    ],
  ])("are refused without showing the value: %j", (upstreams, problem) => {
    const problems = catchConfigError(() => parseConfig({ upstreams })).problems.map(
      ({ path, message }) => `${path}: ${message}`,
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
    expect(problems[0]).not.toMatch(/secret|4711/);
  });

  it("are shown without their keys", () => {
    const upstreams = [
      { models: ["a"], url, api_key: "secret" },
      { models: ["b"], refuse: true },
    ];
    const shown = redact(parseConfig({ upstreams }));
    expect(shown["upstreams"]).toEqual([
      { models: ["a"], url, api_key: "[redacted]" },
      { models: ["b"], refuse: true },
    ]);
  });
});
