import { describe, expect, it } from "vitest";
import { describeWorkers } from "../../../src/cli/serve-workers/serve-workers.js";

const MODEL = { engine: "vllm", model: "m", model_path: "/m", tool_call_parser: "hermes", reasoning_parser: "none" };
const line = (index: number, more: object = {}) => ({
  ...MODEL,
  name: `worker-${index}`,
  worker_tag: `tag${index}`,
  url: `http://127.0.0.1:${index}`,
  pid: index,
  ...more,
});

describe("the ready line of several workers", () => {
  it("describes the model once, and each worker", () => {
    expect(describeWorkers([line(0), line(1)])).toEqual({
      ...MODEL,
      workers: [
        { name: "worker-0", tag: "tag0", url: "http://127.0.0.1:0", pid: 0 },
        { name: "worker-1", tag: "tag1", url: "http://127.0.0.1:1", pid: 1 },
      ],
    });
  });

  it("lists problems and warnings of several workers once", () => {
    const [first, second] = ["gpu0", "gpu1"].map((message) => ({ key: "engine.urls", message }));
    const warnings = [{ key: "rollout.agent.tool_call_parser", message: "no family" }];
    const lines = [line(0, { not_ready: [first], warnings }), line(1, { not_ready: [first, second], warnings })];
    expect(describeWorkers(lines)).toMatchObject({ not_ready: [first, second], warnings });
  });
});
