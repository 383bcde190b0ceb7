import { describe, expect, it, onTestFinished } from "vitest";
import { sessionTranscript } from "../../src/transcript/schema.js";
import { changeStored, newFolder, startStored } from "../cli/storage/stored-sessions.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";

/** The tools of calls: in transcripts, in memory and on disk. */

const user = (content: string) => ({ role: "user", content });
const tool = (name: string, description = "Does it.") => ({ type: "function", function: { name, description } });
const [READ, WRITE] = [[tool("read")], [tool("read"), tool("write")]];

/** An engine that takes prompts with long tools. */
function createEngine(): ScriptedEngine {
  const engine = new ScriptedEngine();
  engine.context = 1 << 30;
  return engine;
}

async function startProxy(): Promise<Proxy> {
  const proxy = await Proxy.start({ engine: createEngine() });
  onTestFinished(() => proxy.close());
  return proxy;
}

async function readTools(proxy: Proxy, { id }: StartedSession) {
  const reply = await proxy.request({ url: `/rl/sessions/${id}/transcript` });
  const { interactions } = sessionTranscript.parse(reply.json());
  return interactions.map(({ tools, tools_of: place }) => (place === undefined ? tools : `as ${place}`));
}

/** Records a conversation of one turn for each list of tools. */
async function converse(proxy: Proxy, session: StartedSession, lists: readonly (readonly object[] | undefined)[]) {
  let messages: readonly object[] = [];
  for (const [index, tools] of lists.entries())
    ({ messages } = await proxy.turn(session, [...messages, user(`turn ${index}`)], tools && { tools }));
}

const listKeys = (proxy: Proxy): string[] =>
  [...(proxy.context.storage?.storage.keys("meta", Buffer.from("tools/")) ?? [])].map(String);

describe("the tools of a transcript", () => {
  it("are with the first call, and absent in calls with those of their parent", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    await converse(proxy, session, [READ, READ]);
    expect(await readTools(proxy, session)).toEqual([READ, undefined]);
  });

  it("are absent in a session without tools", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    await converse(proxy, session, [undefined, undefined]);
    expect(await readTools(proxy, session)).toEqual([undefined, undefined]);
  });

  it("are with each call that changes them, each list once", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    await converse(proxy, session, [READ, WRITE, WRITE, READ, undefined, WRITE]);
    expect(await readTools(proxy, session)).toEqual([READ, WRITE, undefined, "as 0", [], "as 1"]);
  });

  it("keep the spelling of numbers and the order of keys", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    const tools = '[{"type":"function","function":{"name":"f","parameters":{"b":1.0,"1":12345678901234567890}}}]';
    const payload = `{"messages":[{"role":"user","content":"a"}],"tools":${tools}}`;
    const headers = { "content-type": "application/json" };
    await proxy.request({ method: "POST", url: "/v1/chat/completions", headers, payload }, session.key);
    const reply = await proxy.request({ url: `/rl/sessions/${session.id}/transcript` });
    expect(reply.raw.toString()).toContain(`"tools":${tools}`);
  });
});

describe("the memory of tools", () => {
  const LARGE = [tool("large", "x".repeat(100_000))];

  it("is shared by the sessions of a group, and freed with the last of them", async () => {
    const proxy = await startProxy();
    const { registry } = proxy.context;
    const measure = async (tools: readonly object[]) => {
      const before = registry.bytes;
      const session = await proxy.session({ group_id: "g" });
      await converse(proxy, session, [tools, tools]);
      return { session, bytes: registry.bytes - before };
    };
    const [first, second] = [await measure(LARGE), await measure(LARGE)];
    const size = JSON.stringify(LARGE).length;
    expect(first.bytes - second.bytes).toBe(size);
    await registry.delete(first.session.id);
    expect(await readTools(proxy, second.session)).toEqual([LARGE, undefined]);
    expect(registry.bytes).toBe(second.bytes + size);
    await registry.delete(second.session.id);
    expect(registry.bytes).toBe(0);
  });

  it("counts in the limit of each session, once", async () => {
    const proxy = await startProxy();
    const sessions = [await proxy.session(), await proxy.session()];
    for (const session of sessions) await converse(proxy, session, [LARGE, LARGE, undefined, LARGE]);
    for (const { id } of sessions) {
      const { bytes, native } = proxy.context.registry.get(id).data.size;
      expect(bytes - native).toBeGreaterThan(100_000);
      expect(bytes - native).toBeLessThan(200_000);
    }
  });
});

describe("stored tools", () => {
  it("are on disk once, and come back after a restart", async () => {
    const directory = newFolder();
    const before = await Proxy.start({ storage: { directory } });
    const sessions = [await before.session(), await before.session()] as const;
    for (const session of sessions) await converse(before, session, [READ, WRITE, READ]);
    await before.context.storage?.records.committed();
    expect(listKeys(before).filter((key) => key.split("/").length === 2)).toHaveLength(2);
    const whole = await readTools(before, sessions[0]);
    const { bytes } = before.context.registry.get(sessions[0].id).data.size;
    await before.close();

    const after = await startStored(directory);
    for (const session of sessions) expect(await readTools(after, session)).toEqual(whole);
    const restored = after.context.registry.get(sessions[0].id);
    await after.context.registry.wake(restored);
    expect(restored.data.size.bytes).toBe(bytes);
    await after.context.registry.delete(sessions[0].id);
    expect(await readTools(after, sessions[1])).toEqual([READ, WRITE, "as 0"]);
    await after.context.registry.delete(sessions[1].id);
    await after.context.storage?.records.committed();
    expect(listKeys(after)).toEqual([]);
  });

  it("are read from disk when the session was unloaded, and take no memory", async () => {
    const proxy = await startStored(newFolder(), { engine: createEngine() });
    const { registry } = proxy.context;
    const session = await proxy.session();
    const LARGE = [tool("large", "x".repeat(100_000))];
    await converse(proxy, session, [LARGE]);
    const loaded = registry.bytes;
    await registry.unloadIdle(() => false);
    expect(registry.get(session.id).isLoaded).toBe(false);
    expect(loaded - registry.bytes).toBeGreaterThan(100_000);
    expect(await readTools(proxy, session)).toEqual([LARGE]);
    await proxy.turn(session, [user("another conversation")], { tools: LARGE });
    expect(await readTools(proxy, session)).toEqual([LARGE, "as 0"]);
  });

  it("are absent if a folder of an earlier version has none", async () => {
    const directory = newFolder();
    const before = await Proxy.start({ storage: { directory } });
    const session = await before.session();
    await converse(before, session, [READ, WRITE]);
    await before.close();
    await changeStored(directory, (storage) =>
      [...storage.keys("meta", Buffer.from("tools/"))].map((key) => ({ table: "meta", key, value: undefined })),
    );
    const after = await startStored(directory);
    expect(await readTools(after, session)).toEqual([undefined, undefined]);
    await after.turn(session, [user("another conversation")], { tools: READ });
    expect(await readTools(after, session)).toEqual([READ, undefined, "as 0"]);
  });

  it("are removed at the start if no session needs them", async () => {
    const directory = newFolder();
    const before = await Proxy.start({ storage: { directory } });
    const session = await before.session();
    await converse(before, session, [READ]);
    await before.close();
    await changeStored(directory, (storage) =>
      [...storage.range("sessions")].map(({ key }) => ({ table: "sessions", key, value: undefined })),
    );
    const after = await startStored(directory);
    await after.context.storage?.records.committed();
    expect(listKeys(after)).toEqual([]);
  });
});
