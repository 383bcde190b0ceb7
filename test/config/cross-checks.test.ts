import { expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { merge, nest } from "../../src/config/tree.js";
import { readProblems } from "./helpers.js";

const SGLANG = { engine: { type: "sglang", urls: ["http://a:30000"] }, model: { path: "/m" } };
const VLLM = { ...SGLANG, engine: { ...SGLANG.engine, type: "vllm" } };

/** Configurations with one key that contradicts others, and a second value with which it does not. */
const CASES: readonly (readonly [path: string, written: object, fix: readonly [path: string, value: unknown]])[] = [
  ["engine.urls", { ...SGLANG, engine: { type: "sglang" } }, ["engine.urls", ["http://a"]]],
  ["engine.urls", { engine: { urls: ["http://a"] } }, ["engine.urls", []]],
  ["engine.api_key", { engine: { api_key: "a-key-of-an-engine" } }, ["engine.api_key", null]],
  [
    "engine.admin_api_key",
    merge(VLLM, { engine: { admin_api_key: "a-key-of-an-engine" } }) as object,
    ["engine.type", "sglang"],
  ],
  ["engine.served_model", merge(SGLANG, { engine: { served_model: "m" } }) as object, ["engine.type", "vllm"]],
  ["engine.model", merge(SGLANG, { engine: { model: "/m.gguf" } }) as object, ["engine.model", null]],
  ["model.path", { engine: SGLANG.engine }, ["model.path", "/m"]],
  ["model.path", { engine: { model: "/m.gguf" } }, ["model.path", "/m"]],
  ["engine.model", { model: { path: "/m" } }, ["engine.model", "/m.gguf"]],
  [
    "rollout.agent.concat_reward",
    { rollout: { agent: { concat_reward: "return" } } },
    ["rollout.agent.export_style", "concat"],
  ],
  [
    "rollout.agent.image_hosts",
    { rollout: { agent: { image_hosts: ["minio:9000"] } } },
    ["rollout.agent.image_urls", "fetch"],
  ],
  [
    "engine.sequences",
    merge(SGLANG, { engine: { sequences: 3 } }) as object,
    ["engine.sequences", parseConfig({}).engine.sequences],
  ],
  [
    "engine.max_inflight",
    { engine: { max_inflight: 3 } },
    ["engine.max_inflight", parseConfig({}).engine.max_inflight],
  ],
  ["server.probe_port", { server: { port: 9000, probe_port: 9000 } }, ["server.port", 9001]],
  ["server.workers", { server: { workers: 2 } }, ["server.workers", 1]],
  [
    "server.worker_tag",
    merge(SGLANG, { server: { worker_tag: "one", workers: 2 } }) as object,
    ["server.worker_tag", "auto"],
  ],
  ["server.worker_tag", { server: { worker_tag: "hostname" } }, ["storage.directory", "/s"]],
  ["server.advertised_host", { server: { advertised_host: "node1" } }, ["server.workers_folder", "/w"]],
  ["server.worker_tag", { server: { worker_tag: null, workers_folder: "/w" } }, ["server.workers_folder", null]],
];

it.each(CASES)("refuses %s in %j, but not with %j", (path, written, [fixed, value]) => {
  expect(Object.keys(readProblems(() => parseConfig(written)))).toEqual([path]);
  expect(() => parseConfig(merge(written, nest(fixed.split("."), value)))).not.toThrow();
});

it.each(CASES)("does not judge %s in %j if the key that it depends on is invalid", (_, written, [fixed]) => {
  const broken = merge(written, nest(fixed.split("."), -1));
  const paths = Object.keys(readProblems(() => parseConfig(broken)));
  expect(paths.filter((path) => !path.startsWith(fixed))).toEqual([]);
});

it("accepts the same port 0 for probes, and a name for gateways with several workers", () => {
  expect(parseConfig({ server: { port: 0, probe_port: 0 } }).server.probe_port).toBe(0);
  const server = { advertised_host: "node1", workers: 2 };
  expect(parseConfig({ ...SGLANG, server }).server.advertised_host).toBe("node1");
});
