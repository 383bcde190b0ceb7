import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exportFrom } from "../../../src/cli/export/export-from.js";
import type { ExportOptions } from "../../../src/cli/export/export-options.js";
import { giveChannels } from "../../helpers/channels.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";
import { ScriptedEngine } from "../../helpers/scripted-engine.js";
import { newFolder, recordBranches } from "../storage/stored-sessions.js";

/** `rolltape export --from`: exports the sessions of a job again, without their server. */

interface Left {
  readonly proxy: Proxy;
  readonly ids: readonly string[];
  /** A batch as a job exports it. */
  readonly batch: string;
  /** Its sessions file beside it. */
  readonly sessions: string;
}

/** The options with which a job exports a batch. */
const JOB = { on_mismatch: "split", shared_turns: "first" };

/** Records sessions with branches, and writes what a job leaves: a batch and its sessions file. */
async function leave(fields: object = {}): Promise<Left> {
  const engine = new ScriptedEngine();
  engine.onSampled = giveChannels;
  const proxy = await Proxy.start({ engine });
  onTestFinished(() => proxy.close());
  const sessions: StartedSession[] = [];
  for (let i = 0; i < 3; i++) sessions.push(await recordBranches(proxy, `task-${i}`));
  for (const session of sessions) await proxy.end(session);
  const ids = sessions.map(({ id }) => id);
  const batch = join(newFolder(), "batch.safetensors");
  const left = { proxy, ids, batch, sessions: `${batch}.sessions` };
  writeFileSync(batch, await serve(left, { ...JOB, ...fields }));
  writeFileSync(left.sessions, (await proxy.post("/export_sessions", { session_ids: ids })).raw);
  return left;
}

async function serve({ proxy, ids }: Left, fields: object): Promise<Buffer> {
  const reply = await proxy.post("/export_batch", { session_ids: ids, ...fields });
  expect(reply.refusal).toBe("200");
  return reply.raw;
}

/** Options of a test's table, whose lists are read-only. */
type GivenOptions = { readonly [Name in keyof ExportOptions]?: unknown };

async function exportAgain(from: string, options: GivenOptions): Promise<Buffer> {
  const out = join(newFolder(), "again.safetensors");
  // Like the command line, which gives every `--no-…` option.
  await exportFrom({ rowTensors: true, ...(options as Partial<ExportOptions>), from, out });
  return readFileSync(out);
}

test.each([
  [{}, {}],
  [
    { style: "concat", layout: "packed", discount: 0.5, turns: true, onMismatch: "split" },
    { style: "concat", layout: "packed", discount: 0.5, turns: true, on_mismatch: "split" },
  ],
  [{ layout: "tree" }, { layout: "tree" }],
  [
    { maxLength: 30, overflow: "truncate", padSide: "left", padTokenId: 3, rowTensors: false },
    { max_length: 30, overflow: "truncate", pad_side: "left", pad_token_id: 3, row_tensors: false },
  ],
  [
    { roots: "rewarded", models: ["tiny"] },
    { roots: "rewarded", models: ["tiny"] },
  ],
] as const)("a sessions file becomes the batch that its server exports (%j)", async (options, fields) => {
  const left = await leave();
  expect((await exportAgain(left.sessions, options)).equals(await serve(left, fields))).toBe(true);
});

test("chosen sessions are exported in their order", async () => {
  const left = await leave();
  const [first = "", , third = ""] = left.ids;
  const again = await exportAgain(left.sessions, { sessions: [third, first] });
  expect(again.equals(await serve({ ...left, ids: [third, first] }, {}))).toBe(true);
  await expect(exportAgain(left.sessions, { sessions: ["task-9"] })).rejects.toThrow(
    `--sessions: ${left.sessions} has no session task-9`,
  );
  await expect(exportAgain(left.sessions, { state: ["expired"] })).rejects.toMatchObject({ code: "nothing_to_export" });
});

test("a sessions file of evaluation sessions is exported, also with --split", async () => {
  const left = await leave();
  const session = await left.proxy.session({ split: "eval" });
  await left.proxy.turn(session, [{ role: "user", content: "a" }]);
  await left.proxy.end(session);
  const body = { session_ids: [session.id], split: "eval" };
  writeFileSync(left.sessions, (await left.proxy.post("/export_sessions", body)).raw);
  const served = (await left.proxy.post("/export_batch", body)).raw;
  expect((await exportAgain(left.sessions, {})).equals(served)).toBe(true);
  expect((await exportAgain(left.sessions, { split: "eval" })).equals(served)).toBe(true);
  await expect(exportAgain(left.sessions, { split: "train" })).rejects.toMatchObject({ code: "nothing_to_export" });
});

test("options that are not set are those of the batch beside the sessions file", async () => {
  const exported = { style: "concat", concat_reward: "return", discount: 0.5, tags: [""] };
  const left = await leave(exported);
  const packed = await exportAgain(left.batch, { layout: "packed" });
  expect(packed.equals(await serve(left, { ...JOB, ...exported, layout: "packed" }))).toBe(true);
  const individual = await exportAgain(left.batch, { style: "individual", discount: 1 });
  expect(individual.equals(await serve(left, { ...JOB, tags: [""] }))).toBe(true);
});

test("the sessions file that is read is never replaced by the batch", async () => {
  const { batch, sessions } = await leave();
  const before = readFileSync(sessions);
  for (const from of [batch, sessions]) {
    await expect(exportFrom({ from, out: sessions })).rejects.toMatchObject({
      code: "invalid_arguments",
      message: `--out ${sessions} must not be the sessions file that is read: the batch would replace it`,
    });
  }
  expect(readFileSync(sessions).equals(before)).toBe(true);
});

test("a folder is refused by its name", async () => {
  const from = newFolder();
  await expect(exportAgain(from, {})).rejects.toMatchObject({
    code: "invalid_arguments",
    message: expect.stringContaining(`--from ${from} cannot be read: it is not a regular file`) as unknown,
  });
});

const PADDINGS = { padSide: "left", padToMultipleOf: 16, padTokenId: 7 } as const;
const PADDING_FIELDS = { pad_side: "left", pad_to_multiple_of: 16, pad_token_id: 7 };

test.each([
  [{ layout: "padded" }, { layout: "packed" }, { layout: "packed" }],
  [{ layout: "packed" }, { layout: "padded" }, { layout: "padded" }],
  [
    { layout: "packed", style: "concat", turns: true },
    { layout: "padded", ...PADDINGS },
    { layout: "padded", ...PADDING_FIELDS, style: "concat", turns: true },
  ],
  [{ layout: "padded", ...PADDING_FIELDS }, { layout: "packed" }, { layout: "packed" }],
  [{ layout: "padded" }, PADDINGS, { layout: "padded", ...PADDING_FIELDS }],
  [
    { layout: "padded", row_tensors: false, discount: 0.5 },
    { layout: "packed", discount: 0.5 },
    { layout: "packed", row_tensors: false, discount: 0.5 },
  ],
] as const)("a batch without a sessions file changes its layout: %j, %j", async (fields, options, expected) => {
  const left = await leave(fields);
  renameSync(left.sessions, `${left.sessions}.away`);
  const converted = await exportAgain(left.batch, options);
  expect(converted.equals(await serve(left, { ...JOB, ...expected }))).toBe(true);
});

test.each([
  [{ discount: 0.5 }, "--discount"],
  [{ style: "concat" }, "--style"],
  [{ models: ["x"] }, "--models"],
  [{ turns: true }, "--turns"],
  [{ rowTensors: false }, "--row-tensors"],
  [{ sessions: ["task-0"] }, "--sessions"],
  [{ layout: "tree" }, "--layout tree"],
] as const)("a batch without a sessions file says that %j needs it", async (options, flag) => {
  const left = await leave();
  renameSync(left.sessions, `${left.sessions}.away`);
  await expect(exportAgain(left.batch, options)).rejects.toMatchObject({
    code: "invalid_arguments",
    message: `${flag} needs the records of the sessions, but there is no ${left.sessions}. A batch alone can only change between the layouts padded and packed, and have its images moved to files. \`rolltape rollout --sessions\` keeps the records; \`rolltape export --storage\` reads those of a server.`,
  });
});

test("other files are refused", async () => {
  const file = join(newFolder(), "tasks.jsonl");
  writeFileSync(file, '{"a":1}\n');
  await expect(exportAgain(file, {})).rejects.toMatchObject({ code: "invalid_arguments" });
  await expect(exportAgain(join(newFolder(), "x"), {})).rejects.toMatchObject({ code: "invalid_arguments" });
});

test("a damaged sessions file is refused", async () => {
  const left = await leave();
  writeFileSync(left.sessions, readFileSync(left.sessions).subarray(0, -10));
  await expect(exportAgain(left.batch, {})).rejects.toThrow(`${left.sessions} is damaged: its end is missing.`);
});

test("a sessions file of another job beside a batch is refused", async () => {
  const [left, other] = [await leave(), await leave()];
  const [first = ""] = other.ids;
  const session = await recordBranches(other.proxy, "later");
  await other.proxy.end(session);
  writeFileSync(left.sessions, (await other.proxy.post("/export_sessions", { session_ids: [session.id] })).raw);
  await expect(exportAgain(left.batch, {})).rejects.toThrow(
    `${left.sessions} does not belong to this batch: it has no session ${first}. Remove it, or name it with --from to export its sessions`,
  );
});
