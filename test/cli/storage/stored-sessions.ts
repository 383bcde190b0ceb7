import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Change, Storage } from "../../../src/storage/index.js";
import { PAGE_BYTES } from "../../../src/storage/log/record.js";
import { Proxy, type ProxyOptions, type StartedSession } from "../../helpers/proxy.js";
import type { ScriptedEngine } from "../../helpers/scripted-engine.js";

/** Creates a folder that is removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-stored-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a proxy that stores its sessions in `directory`. It is closed when the test ends. */
export async function startStored(directory: string, options: ProxyOptions<ScriptedEngine> = {}): Promise<Proxy> {
  const proxy = await Proxy.start({ ...options, storage: { directory } });
  onTestFinished(() => proxy.close());
  return proxy;
}

const user = (content: string) => ({ role: "user", content });

/** Records a session with a branched conversation and rewards. */
export async function recordBranches(proxy: Proxy, task: string): Promise<StartedSession> {
  const started = await proxy.session({ task_id: task, group_id: "group-1" });
  const first = await proxy.turn(started, [user(`a ${task}`)]);
  const second = await proxy.turn(started, [...first.messages, user("b é 漢")], { temperature: 0.5, seed: 12 });
  await proxy.turn(started, [...first.messages, user("c")]);
  await proxy.reward(started, 0.25, second.id);
  await proxy.reward(started, 1);
  return started;
}

/** Changes what is stored, as damage would. */
export async function changeStored(
  directory: string,
  change: (storage: Storage) => readonly Change[] | Promise<readonly Change[]>,
): Promise<void> {
  const storage = await Storage.open({ directory, durability: "call" });
  storage.write(await change(storage));
  await storage.close();
}

/** Returns a change that flips a bit in the middle of a value. */
export function flipBit(storage: Storage, table: Change["table"], key: Buffer): Change {
  const value = Buffer.from(storage.get(table, key) ?? "");
  const at = value.length >> 1;
  value[at] = (value[at] ?? 0) ^ 4;
  return { table, key, value };
}

/** Fills the pages of the log that contain a text. A segment may also have earlier versions of a value. */
export function fillPages(directory: string, text: string, byte: number): void {
  for (const name of readdirSync(directory).filter((each) => each.endsWith(".log"))) {
    const path = join(directory, name);
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
      const page = at - (at % PAGE_BYTES);
      bytes.fill(byte, page, page + PAGE_BYTES);
    }
    writeFileSync(path, bytes);
  }
}
