import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { InProcessClient } from "../../src/client/in-process-client.js";
import { configKeys } from "../../src/config/key.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { CATALOGUE } from "../../src/http/errors.js";
import * as library from "../../src/index.js";
import { ROW_COLUMNS } from "../../src/session/batch/row-columns.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { Gateway } from "../gateway/workers.js";
import { readFamilies } from "../helpers/metrics-text.js";
import { Proxy } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { turn, user } from "../helpers/turn.js";
import { errorCodeUnions, reexportedNames } from "./source.js";
import { describeCalls, describeMetrics, type OpenApi } from "./wire.js";

// Users' programs depend on these names. Change a file of ./frozen only together with CHANGELOG.md.

const frozen = (name: string) => `frozen/${name}.json`;
const asText = (value: unknown) => `${JSON.stringify(value, sortKeys, 2)}\n`;

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the public members of a class, or the type of another value. */
function describeExport(value: unknown): unknown {
  if (typeof value !== "function") return typeof value;
  const names = (of: object) =>
    Object.getOwnPropertyNames(of).filter((name) => !/^(constructor|length|name|prototype)$/.test(name));
  if (!/^class\b/.test(Function.prototype.toString.call(value))) return "function";
  return { members: names(value.prototype as object).sort(), statics: names(value).sort() };
}

interface CommandLine {
  readonly arguments: readonly string[];
  readonly options: readonly string[];
  readonly commands: Readonly<Record<string, CommandLine>>;
}

function describeCommand(command: Command): CommandLine {
  return {
    arguments: command.registeredArguments.map((argument) => `${argument.name()}${argument.required ? "" : "?"}`),
    options: command.options.map(({ flags }) => flags),
    commands: Object.fromEntries(command.commands.map((each) => [each.name(), describeCommand(each)])),
  };
}

/** Returns the tensors, their dtypes and the metadata keys of a batch of two turns. */
async function describeBatch(options: object): Promise<object> {
  const store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s" });
  session.record(turn([user("a")], [1, 2], [3]));
  session.record(turn([user("b")], [1, 2], [3]));
  session.setReward(1);
  session.end();
  const [batch] = await store.exportShards(["s"], { shards: 1, ...options });
  const { tensors, metadata } = readSafetensors(batch?.bytes ?? new Uint8Array());
  const dtypes = Object.entries(tensors).map(([name, { dtype }]) => [name, dtype] as const);
  return { tensors: Object.fromEntries(dtypes), metadata: Object.keys(metadata).sort() };
}

describe("the public surface", () => {
  let proxy: Proxy;
  beforeAll(async () => {
    proxy = await Proxy.start();
  });
  afterAll(() => proxy.close());

  it("keeps the exports of the library", async () => {
    const values = Object.entries({ ...library, InProcessClient }).map(([name, value]) => [
      name,
      describeExport(value),
    ]);
    const surface = { names: reexportedNames("index.ts"), values: Object.fromEntries(values) as object };
    await expect(asText(surface)).toMatchFileSnapshot(frozen("library"));
  });

  it("keeps error codes and statuses", async () => {
    await expect(asText({ http: CATALOGUE, ...errorCodeUnions() })).toMatchFileSnapshot(frozen("errors"));
  });

  it("keeps the fields of every HTTP call", async () => {
    const document = (await proxy.request({ url: "/openapi.json" }, null)).json<OpenApi>();
    await expect(asText(describeCalls(document))).toMatchFileSnapshot(frozen("http"));
  });

  it("keeps metrics, their types and labels", async () => {
    // An engine with servers has metrics about them. Nothing is sent to this address.
    const engine = createSglangEngine({ urls: ["http://127.0.0.1:9"], timeoutSeconds: 1, maxInflight: 1 });
    // A server that stores its sessions has metrics about its storage.
    const directory = mkdtempSync(join(tmpdir(), "rolltape-surface-"));
    const server = await Proxy.start<Engine>({ engine, storage: { directory } });
    onTestFinished(async () => {
      await server.close();
      rmSync(directory, { recursive: true });
    });
    const gateway = await Gateway.start({});
    const scrapes = [await server.request({ url: "/metrics" }, null), await gateway.send("/metrics")];
    const families = scrapes.flatMap(({ raw }) =>
      readFamilies(raw.toString())
        // Other metrics come from Node, and differ between its versions.
        .filter(({ name }) => name.startsWith("rolltape_"))
        .map(({ name, type }) => [name, type] as const),
    );

    const labels = describeMetrics(server.context.metrics.registry);
    await expect(asText({ families: Object.fromEntries(families), labels })).toMatchFileSnapshot(frozen("metrics"));
  });

  it("keeps configuration keys, their values and defaults", async () => {
    const keys = configKeys.map(({ path, expected, defaultValue }) => [path, { expected, default: defaultValue }]);
    await expect(asText(Object.fromEntries(keys))).toMatchFileSnapshot(frozen("configuration"));
  });

  it("keeps commands and options of the command line", async () => {
    await expect(asText(describeCommand(createProgram()))).toMatchFileSnapshot(frozen("command-line"));
  });

  it("keeps row columns, tensors and metadata of batches", async () => {
    const columns = ROW_COLUMNS.map(({ name, dtype, perRow, perTurn }) => [name, { dtype, perRow, perTurn }]);
    const batches: Record<string, object> = {};
    for (const layout of ["padded", "packed", "tree"]) batches[layout] = await describeBatch({ layout });
    batches["padded with turns"] = await describeBatch({ layout: "padded", turns: true });
    await expect(asText({ columns: Object.fromEntries(columns), batches })).toMatchFileSnapshot(frozen("batch"));
  });
});
