import { describe, expect, it } from "vitest";
import { countWorkers } from "../../../src/cli/serve-workers/count-workers.js";
import { divideBudgets, type Machine, readMachine } from "../../../src/cli/serve-workers/divide-budgets.js";
import { parseConfig } from "../../../src/config/index.js";
import { configKeys } from "../../../src/config/key.js";

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;
/** As Node 20 reports it. */
const MACHINE: Machine = {
  memoryBytes: 64 * GIBIBYTE,
  heapBytes: 4 * GIBIBYTE + 48 * MEBIBYTE,
  young: { bytes: 48 * MEBIBYTE, isChosen: false },
  nodeOptions: "",
};
const ENGINE = { model: { path: "/m" }, engine: { type: "sglang", urls: ["http://a"] } };

const divide = (workers: number, config: object = {}, machine: Partial<Machine> = {}) =>
  divideBudgets(parseConfig({ ...ENGINE, ...config }), workers, { ...MACHINE, ...machine });

describe("the number of workers", () => {
  it("is that of the configuration, or one for each core with auto", () => {
    expect(countWorkers(parseConfig(ENGINE), 8)).toBe(1);
    expect(countWorkers(parseConfig({ ...ENGINE, server: { workers: 3 } }), 8)).toBe(3);
    expect(countWorkers(parseConfig({ ...ENGINE, server: { workers: "auto" } }), 8)).toBe(8);
  });
});

describe("the budgets of a worker", () => {
  it("are its part of what the command may use", () => {
    expect(divide(4).keys).toEqual({
      "server.store_bytes": ((64 * GIBIBYTE) / 4 - MACHINE.heapBytes - 128 * MEBIBYTE) / 2,
      "server.known_request_bytes": 64 * MEBIBYTE,
      "server.body_bytes_in_flight": 128 * MEBIBYTE,
      "server.max_connections": 4096,
      "engine.max_inflight": 256,
      "server.shared_memory_bytes": GIBIBYTE,
      "rollout.agent.export_retention_bytes": 256 * MEBIBYTE,
    });
  });

  it("are rounded up", () => {
    const config = {
      server: { store_bytes: 1e9, max_connections: 1000 },
      engine: { ...ENGINE.engine, max_inflight: 2 },
      storage: { directory: "/data", memory_bytes: 1e9 },
    };
    expect(divide(3, config).keys).toMatchObject({
      "server.store_bytes": 333_333_334,
      "server.max_connections": 334,
      "engine.max_inflight": 1,
      "storage.memory_bytes": 333_333_334,
    });
  });

  it("are not less than what a worker can work with, unless the whole budget is", () => {
    expect(divide(64).keys).toMatchObject({
      "server.known_request_bytes": 16 * MEBIBYTE,
      "server.body_bytes_in_flight": 64 * MEBIBYTE,
      "server.max_connections": 256,
    });
    const small = { known_request_bytes: 1000, body_bytes_in_flight: 2000, max_connections: 3, store_bytes: 4000 };
    expect(divide(64, { server: small }).keys).toMatchObject({
      "server.known_request_bytes": 1000,
      "server.body_bytes_in_flight": 2000,
      "server.max_connections": 3,
      "server.store_bytes": 4000,
    });
    expect(divide(2, { server: { known_request_bytes: 0 } }).keys["server.known_request_bytes"]).toBe(0);
  });

  it("leave heaps and stores together within the memory of the machine", () => {
    for (const workers of [2, 4, 8, 16]) {
      for (const gibibytes of [16, 64, 512]) {
        const memoryBytes = gibibytes * GIBIBYTE;
        const { keys, nodeArguments } = divide(workers, {}, { memoryBytes });
        const heap = Number(/^--max-old-space-size=(\d+)$/.exec(nodeArguments.join())?.[1]) * MEBIBYTE;
        expect(workers * (Number(keys["server.store_bytes"]) + heap)).toBeLessThan(memoryBytes);
      }
    }
  });

  it("include V8's heap, whose limit is set unless the user has set it", () => {
    expect(divide(4).nodeArguments).toEqual(["--max-old-space-size=4096"]);
    expect(divide(16).nodeArguments).toEqual(["--max-old-space-size=2000"]);
    expect(divide(16, {}, { memoryBytes: GIBIBYTE }).nodeArguments).toEqual(["--max-old-space-size=208"]);
    expect(divide(16, {}, { nodeOptions: "--max-old-space-size=900" }).nodeArguments).toEqual([]);
    expect(readMachine({ NODE_OPTIONS: "--max_old_space_size=900" }).nodeOptions).toBe("--max_old_space_size=900");
    const { young } = readMachine({ NODE_OPTIONS: "--max-semi-space-size=8" });
    expect(young).toEqual({ bytes: 24 * MEBIBYTE, isChosen: true });
  });

  it("reduce the large young generation of Node 24 in a small heap", () => {
    const node24 = { heapBytes: 4 * GIBIBYTE + 192 * MEBIBYTE, young: { bytes: 192 * MEBIBYTE, isChosen: false } };
    expect(divide(4, {}, node24).nodeArguments).toEqual(["--max-old-space-size=4096"]);
    const small = divide(16, {}, { ...node24, memoryBytes: GIBIBYTE });
    expect(small.nodeArguments).toEqual(["--max-old-space-size=208", "--max-semi-space-size=16"]);
    const chosen = { ...node24, memoryBytes: 16 * GIBIBYTE, young: { bytes: 192 * MEBIBYTE, isChosen: true } };
    expect(divide(16, {}, chosen).nodeArguments).toEqual(["--max-old-space-size=320"]);
    const large = { ...chosen, memoryBytes: 12 * GIBIBYTE, young: { bytes: 384 * MEBIBYTE, isChosen: true } };
    expect(divide(16, {}, large).nodeArguments).toEqual(["--max-old-space-size=208"]);
  });

  it("are keys of the configuration", () => {
    const paths = configKeys.map(({ path }) => path);
    const { keys } = divide(2, { storage: { directory: "/data", memory_bytes: 5 } });
    expect(Object.keys(keys).filter((key) => !paths.includes(key))).toEqual([]);
    expect(Object.keys(keys)).toHaveLength(8);
  });
});
