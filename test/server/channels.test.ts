import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { expectChannels, giveChannels } from "../helpers/channels.js";
import { Proxy } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";
import { sharedDirectory } from "../helpers/shared-directory.js";

/** Values that an engine gives beside its tokens: from its reply to the batch, by memory and by disk. */

async function start(directory?: string): Promise<Proxy> {
  const engine = new ScriptedEngine();
  engine.onSampled = giveChannels;
  const proxy = await Proxy.start({
    engine,
    settings: { sharedMemory: { directory: sharedDirectory() } },
    ...(directory !== undefined && { storage: { directory } }),
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Records a conversation of three turns, a branch of its first turn, and a call with two choices. */
async function recordTree(proxy: Proxy): Promise<string> {
  const session = await proxy.session();
  const first = await proxy.turn(session, [{ role: "user", content: "one" }]);
  const second = await proxy.turn(session, [...first.messages, { role: "user", content: "two" }]);
  await proxy.turn(session, [...second.messages, { role: "user", content: "three" }], { stream: false });
  await proxy.turn(session, [...first.messages, { role: "user", content: "another" }]);
  await proxy.chat(session, [...first.messages, { role: "user", content: "twice" }], { n: 2 });
  await proxy.end(session);
  return session.id;
}

const OPTIONS = [
  { layout: "padded", style: "individual", pad_side: "left", pad_to_multiple_of: 16 },
  { layout: "padded", style: "concat", on_mismatch: "split" },
  { layout: "packed", style: "individual" },
  { layout: "packed", style: "concat", on_mismatch: "split" },
  { layout: "tree" },
];

async function exportBody(proxy: Proxy, session_id: string, fields: object): Promise<Buffer> {
  const reply = await proxy.post("/export_batch", { session_ids: [session_id], ...fields });
  expect(reply.refusal).toBe("200");
  return reply.raw;
}

test.each(OPTIONS)("every token of a batch has the items that its call gave (%j)", async (options) => {
  const proxy = await start();
  const id = await recordTree(proxy);
  const { metadata, tensors } = readSafetensors(await exportBody(proxy, id, options));
  expect(JSON.parse(metadata["channels"] ?? "")).toEqual([
    { name: "experts", of: "sequence", mask: "experts_mask" },
    { name: "kept_ids", of: "output", offsets: "kept_offsets" },
    { name: "wide", of: "output", mask: "wide_mask" },
  ]);
  expect(tensors["experts"]?.shape.slice(-2)).toEqual([48, 8]);
  expectChannels({ metadata, tensors });
});

test("after a restart they are read from disk, and shards and shared memory have them", async () => {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-channels-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const before = await start(directory);
  const ids = [await recordTree(before), await recordTree(before)];
  await before.close();
  const proxy = await start(directory);
  for (const options of OPTIONS) {
    for (const id of ids) expectChannels(readSafetensors(await exportBody(proxy, id, options)));
  }
  const fields = { session_ids: ids, layout: "packed", transport: "shm", shards: 2 };
  const reply = await proxy.post("/export_batch", fields);
  const { shards } = reply.json<{ shards: readonly { path: string }[] }>();
  expect(shards).toHaveLength(2);
  for (const { path } of shards) expectChannels(readSafetensors(readFileSync(path)));
});

test("sessions whose calls gave one channel in different shapes are refused together, and exported alone", async () => {
  const engine = new ScriptedEngine();
  let width = 0;
  engine.onSampled = (generation, _prompt, output) => {
    const values = new Uint8Array(output.length * ++width);
    generation.addChannel({ name: "a", dtype: "U8", shape: [width], of: "output" }, 0, values);
  };
  const proxy = await Proxy.start({ engine });
  onTestFinished(() => proxy.close());
  const sessions = [await proxy.session(), await proxy.session()];
  for (const session of sessions) {
    await proxy.turn(session, [{ role: "user", content: "one" }]);
    await proxy.end(session);
  }
  const ids = sessions.map(({ id }) => id);
  const refused = await proxy.post("/export_batch", { session_ids: ids });
  expect([refused.refusal, refused.error.param]).toEqual(["409 batch_not_exportable", "session_ids"]);
  expect(refused.error.message).toContain(`Session ${ids[1]} cannot be in this batch, because of its channel a`);
  for (const [index, id] of ids.entries()) {
    const { tensors } = readSafetensors(await exportBody(proxy, id, {}));
    expect(tensors["a"]?.shape.at(-1)).toBe(index + 1);
  }
});

test("a batch of sessions without channels has none", async () => {
  const proxy = await Proxy.start();
  onTestFinished(() => proxy.close());
  const id = await recordTree(proxy);
  const { metadata, tensors } = readSafetensors(await exportBody(proxy, id, {}));
  expect(metadata).not.toHaveProperty("channels");
  expect(Object.keys(tensors)).not.toContain("experts");
});
