import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { InspectedStorage } from "../../../src/cli/storage/inspect-storage.js";
import { type Rolltape, rolltape, runRolltape, temporaryFolder } from "../rolltape.js";

/** The storage commands beside a server, and after it was killed. */

/** Each test starts about ten processes one after the other. */
vi.setConfig({ testTimeout: 120_000 });

const KEY = "sk-admin-0123456789abcdef";
const SESSION_KEY = "sk-session-0123456789abcdef";

async function post<T>(url: string, key: string, body: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(reply.status).toBe(200);
  return (await reply.json()) as T;
}

async function serve(directory: string): Promise<{ server: Rolltape; url: string }> {
  const server = rolltape(["serve", "server.port=0", `storage.directory=${directory}`], {
    ROLLTAPE_ADMIN_API_KEY: KEY,
  });
  const { url } = await server.ready();
  return { server, url };
}

/** Records one call per session in a folder and leaves the server running. Returns the ids of the sessions. */
async function record(url: string, sessions: number): Promise<string[]> {
  await post(`${url}/grant_capacity`, KEY, { slots: sessions });
  const ids: string[] = [];
  for (let i = 0; i < sessions; i++) {
    const api_key = `${SESSION_KEY}-${i}`;
    const { session_id } = await post<{ session_id: string }>(`${url}/rl/start_session`, KEY, { api_key });
    const messages = [{ role: "user", content: `hello ${i}` }];
    const sampling = { max_tokens: 4, min_tokens: 4, temperature: 0 };
    await post(`${url}/v1/chat/completions`, api_key, { model: "tiny", messages, ...sampling });
    await post(`${url}/rl/set_reward`, api_key, { reward: 1 });
    ids.push(session_id);
  }
  return ids;
}

async function kill({ process, ended }: Rolltape): Promise<void> {
  process.kill("SIGKILL");
  await ended;
}

async function inspect(directory: string): Promise<InspectedStorage> {
  const { code, stdout, stderr } = await runRolltape(["storage", "inspect", directory, "--json"]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout) as InspectedStorage;
}

/** Changes a message in the log, as damage would. Returns the damaged file and its name. */
function damageText(directory: string, text: string): { name: string; bytes: Buffer } {
  const name = "segment-00000001.log";
  const bytes = readFileSync(join(directory, name));
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes.fill(0x20, at, at + text.length);
  writeFileSync(join(directory, name), bytes);
  return { name, bytes };
}

test("beside a server, a folder can be inspected, verified and exported, but not compacted", async () => {
  const directory = temporaryFolder();
  const { server, url } = await serve(directory);
  await record(url, 2);
  expect(await inspect(directory)).toMatchObject({
    open: true,
    format: 5,
    model: expect.any(String),
    sessions: { active: 2, ended: 0, held: 0, exported: 0, expired: 0 },
    sessions_with_data: 2,
    interactions: 2,
    completion_tokens: 8,
    held_exports: 0,
    damage: [],
  });
  const { stdout: described } = await runRolltape(["storage", "inspect", directory]);
  expect(described).toMatch(/^folder +\/.*, open in a server$/m);
  expect(await runRolltape(["storage", "verify", directory])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2 sessions with \d+ records, 0 held exports: intact\n$/),
  });
  const out = join(temporaryFolder(), "batch.safetensors");
  const exported = await runRolltape(["export", "--storage", directory, "--out", out]);
  expect(exported).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^exported 2 sessions in 2 /) });
  const compacted = await runRolltape(["storage", "compact", directory]);
  expect(compacted.stderr).toContain("is open in another process. Stop the server first");
  expect(compacted.code).toBe(1);
  expect(await post(`${url}/grant_capacity`, KEY, { slots: 1 })).toEqual({ capacity: 1 });
  await kill(server);
});

test("a folder is intact at every moment of a server that records", async () => {
  const directory = temporaryFolder();
  const { server, url } = await serve(directory);
  let isRecording = true;
  const recorded = record(url, 40).finally(() => (isRecording = false));
  while (isRecording) {
    const { code, stdout, stderr } = await runRolltape(["storage", "verify", directory]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^\d+ sessions? with \d+ records?, 0 held exports: intact\n$/);
  }
  await recorded;
  expect(await inspect(directory)).toMatchObject({ interactions: 40 });
  await kill(server);
});

test("after a server was killed, its folder is exported, compacted, and taken over by the next server", async () => {
  const directory = temporaryFolder();
  const { server, url } = await serve(directory);
  const ids = await record(url, 3);
  await kill(server);
  const left = await inspect(directory);
  expect(left).toMatchObject({ open: false, interactions: 3 });
  const { stdout: described } = await runRolltape(["storage", "inspect", directory]);
  expect(described).toMatch(/^sessions +3 active$/m);
  // None was ever set.
  expect(described).not.toContain("weight version");
  expect(await runRolltape(["storage", "verify", directory])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^3 sessions with \d+ records, 0 held exports: intact\n$/),
  });

  const out = join(temporaryFolder(), "new", "batch.safetensors");
  const options = ["--style", "concat", "--max-length", "4096", "--sessions", ids.slice(1).join(",")];
  const { code, stdout } = await runRolltape(["export", "--storage", directory, "--out", out, ...options]);
  expect(stdout).toMatch(/^exported 2 sessions in 2 rows to /);
  expect(code).toBe(0);
  expect((await runRolltape(["inspect", out])).stdout).toMatch(/^sessions +2$/m);

  const compacted = await runRolltape(["storage", "compact", directory]);
  expect(compacted.stderr).toBe("");
  expect(compacted.code).toBe(0);
  const after = await inspect(directory);
  const copied = ["segment-00000002.index", "segment-00000002.log"];
  expect(readdirSync(directory).toSorted()).toEqual(["manifest", "rolltape.lock", ...copied]);
  const { file_bytes, used_bytes } = after;
  expect(file_bytes).toBeLessThan(left.file_bytes);
  expect(after).toEqual({ ...left, file_bytes, used_bytes });

  const next = await serve(directory);
  await post(`${next.url}/v1/chat/completions`, `${SESSION_KEY}-1`, {
    model: "tiny",
    messages: [{ role: "user", content: "again" }],
    max_tokens: 1,
  });
  await kill(next.server);
  expect(await inspect(directory)).toMatchObject({ interactions: 4 });
});

test("compact keeps a damaged folder as it is, unless it may leave out what is damaged", async () => {
  const directory = temporaryFolder();
  const { server, url } = await serve(directory);
  const [, damaged = ""] = await record(url, 3);
  await kill(server);
  const { name, bytes } = damageText(directory, "hello 1");

  const refused = await runRolltape(["storage", "compact", directory]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(new RegExp(`^  the log: ${name} is damaged at byte \\d+$`, "m"));
  expect(refused.stderr).toContain(` of session ${damaged}: `);
  expect(refused.stderr).toContain("1 damaged session; what the damaged parts of the log had is not known, so ");
  expect(refused.stderr).toContain("--leave-out-damaged");
  expect(readFileSync(join(directory, name)).equals(bytes)).toBe(true);

  const compacted = await runRolltape(["storage", "compact", directory, "--leave-out-damaged"]);
  expect(compacted.stdout).toMatch(
    /; 1 damaged session left out; the original files are now segment-00000001\.log\.damaged, manifest\.damaged\n$/,
  );
  expect(compacted.code).toBe(0);
  expect(readFileSync(join(directory, `${name}.damaged`)).equals(bytes)).toBe(true);
  expect(await runRolltape(["storage", "verify", directory])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2 sessions with \d+ records, 0 held exports: intact\n$/),
  });
  const next = await serve(directory);
  const call = { model: "tiny", messages: [{ role: "user", content: "again" }], max_tokens: 1 };
  await post(`${next.url}/v1/chat/completions`, `${SESSION_KEY}-2`, call);
  await kill(next.server);
});

test("of a damaged folder, verify and export list what is lost and end with status 1", async () => {
  const directory = temporaryFolder();
  const { server, url } = await serve(directory);
  const [, damaged = ""] = await record(url, 2);
  server.process.kill("SIGTERM");
  await server.ended;
  const { name, bytes } = damageText(directory, "hello 1");
  const verified = await runRolltape(["storage", "verify", directory]);
  expect(verified.code).toBe(1);
  expect(verified.stdout).toMatch(new RegExp(`^  the log: ${name} is damaged at byte \\d+$`, "m"));
  expect(verified.stdout).toContain(`  interaction 0 of session ${damaged}: its checksum is wrong\n`);
  expect(verified.stdout).toMatch(/^2 sessions with \d+ records, 0 held exports: 2 problems, 1 damaged session; /m);
  const out = join(temporaryFolder(), "batch.safetensors");
  const exported = await runRolltape(["export", "--storage", directory, "--out", out]);
  expect(exported).toMatchObject({ code: 1, stdout: expect.stringMatching(/^exported 1 session in 1 row to /) });
  expect(exported.stderr).toContain(`session ${damaged}: interaction 0: its checksum is wrong`);

  writeFileSync(join(directory, name), bytes.fill(0));
  expect((await runRolltape(["storage", "compact", directory])).stderr).toContain(`${name} is damaged at byte 0`);
  expect((await runRolltape(["storage", "inspect", directory])).stderr).toContain("`rolltape storage verify` lists");
});

test("options that are not allowed end with status 2", async () => {
  const directory = temporaryFolder();
  const out = join(directory, "batch.safetensors");
  const run = (...args: string[]) => runRolltape(["export", "--storage", directory, "--out", out, ...args]);
  for (const args of [
    ["--style", "rows"],
    ["--discount", "2"],
    ["--state", "gone"],
    ["--sessions", "a,a"],
  ]) {
    expect(await run(...args)).toMatchObject({ code: 2 });
  }
  const missing = await run();
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("has no file manifest") });
});
