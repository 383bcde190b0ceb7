import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";

const USER = [{ role: "user", content: "hello" }];

let server: SglangServer;
let proxy: Proxy<Engine>;
let directory: string;
const open = () =>
  Proxy.start({
    engine: createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 }),
    storage: { directory },
    settings: { chatTemplateType: "concat" },
  });
beforeEach(async () => {
  directory = temporaryFolder();
  server = await startSglangServer({ weightVersion: "step-a" });
  proxy = await open();
});
afterEach(async () => {
  await close();
  await server.close();
});

async function close(): Promise<void> {
  await proxy.close();
  await proxy.engine.close();
}

/** Returns the versions of the tokens of each call of a session, and the session's marks. */
async function exported(session: StartedSession) {
  await proxy.end(session);
  const reply = await proxy.post("/export_trajectories", { session_id: session.id });
  const interactions = Object.values(reply.json<WireExport>().interactions);
  const versions = interactions.map((each) => [
    ...new Set(numbers(each, "versions").filter((version) => version >= 0)),
  ]);
  const marks = interactions.map((each) => (each as { versions_uncertain?: boolean }).versions_uncertain);
  return { versions, marks };
}

async function chatAt(session: StartedSession, label: string): Promise<void> {
  server.scheduler.weightVersion = label;
  await proxy.chat(session, [...USER, { role: "user", content: label }]);
}

describe("weights that an engine names by a text", () => {
  it("have integers in exports, listed in the metadata of batches and in GET /rl/engine", async () => {
    const session = await proxy.session();
    for (const label of ["step-a", "step-b", "step-a"]) await chatAt(session, label);
    const labels = { "step-a": 1, "step-b": 2 };
    expect((await proxy.request({ url: "/rl/engine" })).json()).toMatchObject({ version_labels: labels });
    expect(await exported(session)).toEqual({ versions: [[1], [2], [1]], marks: [false, false, false] });
    const batch = readSafetensors((await proxy.post("/export_batch", { session_ids: [session.id] })).raw);
    expect(JSON.parse(batch.metadata["version_labels"] ?? "")).toEqual(labels);
    expect([...(batch.tensors["row_versions_uncertain"]?.data ?? [])].map(Number)).toEqual([0, 0, 0]);
  });

  it("keep their integers when the proxy is restarted", async () => {
    await chatAt(await proxy.session(), "step-a");
    await close();
    proxy = await open();
    const session = await proxy.session();
    for (const label of ["step-b", "step-a"]) await chatAt(session, label);
    expect((await exported(session)).versions).toEqual([[2], [1]]);
  });

  it("are named by the number of POST /rl/set_version from then on", async () => {
    const session = await proxy.session();
    await chatAt(session, "step-a");
    expect((await proxy.post("/rl/set_version", { version: 7 })).json()).toEqual({ version: 7 });
    expect(server.scheduler.weightVersion).toBe("7");
    await proxy.chat(session, USER);
    expect((await exported(session)).versions).toEqual([[1], [7]]);
  });
});

describe("a row of several turns", () => {
  it("is marked if the versions of an earlier turn are uncertain", async () => {
    const session = await proxy.session();
    await chatAt(session, "4");
    // The server was restarted with weights that nobody has named.
    server.scheduler.weightVersion = "default";
    const first = await proxy.chat(session, USER);
    server.scheduler.weightVersion = "5";
    const answer = first.json<{ choices: { message: object }[] }>().choices[0]?.message ?? {};
    await proxy.chat(session, [...USER, answer, { role: "user", content: "go on" }]);
    expect((await exported(session)).marks).toEqual([false, true, false]);
    const body = { session_ids: [session.id], style: "concat", turns: true };
    const { tensors } = readSafetensors((await proxy.post("/export_batch", body)).raw);
    const marks = (name: string) => [...(tensors[name]?.data ?? [])].map(Number);
    expect(marks("row_turns")).toEqual([1, 2]);
    expect(marks("row_versions_uncertain")).toEqual([0, 1]);
    expect(marks("turn_versions_uncertain")).toEqual([0, 1, 0]);
  });
});
