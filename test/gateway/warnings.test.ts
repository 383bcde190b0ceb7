import { describe, expect, it } from "vitest";
import { mergeWarnings, workerWarningsSchema } from "../../src/gateway/merge-warnings.js";
import { GrammarEngine } from "../helpers/scripted-engine.js";
import { Gateway, startWorker } from "./workers.js";

interface Health {
  readonly warnings?: readonly {
    readonly key: string;
    readonly message: string;
    readonly workers: readonly string[];
  }[];
}

const readWarnings = async (gateway: Gateway) => (await gateway.get("/health", null)).json<Health>().warnings;

describe("GET /health of a gateway", () => {
  it("repeats a warning of several workers once, with their tags", async () => {
    const engine = () => new GrammarEngine();
    const workers = [
      await startWorker("one", { engine: engine(), model: { toolCallParser: "llama3_json" } }),
      await startWorker("two", { engine: engine(), model: { toolCallParser: "llama3_json" } }),
      await startWorker("three", { engine: engine() }),
    ];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const [warning, ...more] = (await readWarnings(gateway)) ?? [];
    expect(more).toEqual([]);
    expect(warning).toMatchObject({ key: "rollout.agent.tool_call_parser", message: expect.stringContaining("limit") });
    expect([...(warning?.workers ?? [])].sort()).toEqual(["one", "two"]);
    await workers[0]?.kill();
    await gateway.pool.refresh();
    expect((await readWarnings(gateway))?.map((each) => each.workers)).toEqual([["two"]]);
  });

  it("has no warnings if no worker has one", async () => {
    const { url } = await startWorker("one");
    expect(await readWarnings(await Gateway.start({ urls: [url] }))).toBeUndefined();
  });
});

describe("the warnings of a worker's health report", () => {
  it("are limited in number and length", () => {
    const sent = Array.from({ length: 100 }, (_, i) => ({ key: `k${i}`, message: "x".repeat(5000), more: 1 }));
    const kept = workerWarningsSchema.parse(sent) ?? [];
    expect(kept).toHaveLength(16);
    expect(kept[15]).toEqual({ key: "k15", message: "x".repeat(1000) });
  });

  it.each([["a text"], [{ key: "k" }], [[{ key: "k" }]], [null]])(
    "are ignored if they have another form: %j",
    (sent) => {
      expect(workerWarningsSchema.parse(sent)).toBeUndefined();
    },
  );
});

describe("mergeWarnings", () => {
  it("keeps messages of the same key apart, and at most 32 warnings", () => {
    const warnings = (from: number) => Array.from({ length: 16 }, (_, i) => ({ key: "k", message: `${from + i}` }));
    const workers = [0, 8, 16, 32].map((from) => ({ tag: `w${from}`, warnings: warnings(from) }));
    const merged = mergeWarnings(workers);
    expect(merged.map(({ message }) => message)).toEqual(Array.from({ length: 32 }, (_, i) => `${i}`));
    expect(merged[8]?.workers).toEqual(["w0", "w8"]);
  });
});
