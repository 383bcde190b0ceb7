import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { TranscriptError } from "../../src/transcript/errors.js";
import { Transcript } from "../../src/transcript/read-index.js";
import { encode, episode, interaction, listOpenFiles, RUN } from "./lines.js";

const LINES = [
  RUN,
  episode(),
  episode({ session_id: "task-1-0", task: 1, task_id: "tâche-1", accepted: false, error: { code: "x", message: "y" } }),
  { type: "batch", number: 0, file: "b.safetensors", version: 0, at: 1002, session_ids: ["task-0-0"] },
  { type: "step", number: 0, version: 1, at: 1003, duration: 0.5 },
] as const;
const WHOLE = encode(LINES);

function createFiles({ transcript = WHOLE.transcript, index }: { transcript?: string; index?: string }): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-transcript-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "batch.jsonl");
  writeFileSync(path, transcript);
  if (index !== undefined) writeFileSync(`${path}.index`, index);
  return path;
}

async function openFiles(files: { transcript?: string; index?: string }): Promise<Transcript> {
  const transcript = await Transcript.open(createFiles(files));
  onTestFinished(() => transcript[Symbol.asyncDispose]());
  return transcript;
}

const INDEX: readonly unknown[] = WHOLE.index
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as unknown);

describe("a transcript", () => {
  it("is listed by its index", async () => {
    const transcript = await openFiles(WHOLE);
    expect(transcript.lines).toEqual(INDEX);
    expect(transcript).toMatchObject({ isIndexed: true, problems: [] });
  });

  const [first = "", second = "", ...others] = WHOLE.index.split("\n");
  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["torn in a line", WHOLE.index.slice(0, -20)],
    ["older than the transcript", `${first}\n${second}\n`],
    ["that of another job", WHOLE.index.replace("1000.5", "2000.5")],
    ["in another order", [second, first, ...others].join("\n")],
    [
      "shifted",
      WHOLE.index.replace(/"offset":(\d+)/g, (_, n: string) => `"offset":${Number(n) === 0 ? 0 : Number(n) - 1}`),
    ],
    ["beyond the end of the transcript", WHOLE.index.replace(/"length":\d+(?=[^\n]*\n$)/, '"length":100000')],
    ["not JSON", "{\n\n[[[\n"],
    ["a line of more than a mebibyte", WHOLE.index.replace("\n", `${" ".repeat(1 << 20)}\n`)],
  ])("gives the same list if its index is %s", async (_, index) => {
    const transcript = await openFiles(index === undefined ? {} : { index });
    expect(transcript.lines).toEqual(INDEX);
    expect(transcript.isIndexed).toBe(false);
  });

  it("gives each episode by its place", async () => {
    const transcript = await openFiles(WHOLE);
    const places = transcript.lines.filter(({ type }) => type === "episode");
    expect(await Promise.all(places.map((place) => transcript.readEpisode(place)))).toEqual(LINES.slice(1, 3));
  });

  it("refuses a place between lines, one of another line and one that is too long", async () => {
    const transcript = await openFiles(WHOLE);
    const [run, place = { offset: 0, length: 0 }] = transcript.lines;
    const refused = [
      transcript.readEpisode({ ...place, offset: place.offset + 1 }),
      transcript.readEpisode({ ...place, length: place.length + 20 }),
      transcript.readEpisode({ offset: 1 << 30, length: 10 }),
      transcript.readEpisode(run ?? place),
    ];
    // All at once: a promise that rejects while nobody waits for it would be an unhandled rejection.
    const invalid = expect.objectContaining({ code: "invalid_line" });
    await Promise.all(refused.map((each) => expect(each).rejects.toThrow(invalid)));
    await expect(transcript.readEpisode(place, 100)).rejects.toThrow(
      new TranscriptError(
        "line_too_long",
        `The line at byte ${place.offset} has ${place.length} bytes; at most 100 are read.`,
      ),
    );
  });

  it("gives an episode that is as long as the caller allows", async () => {
    const transcript = await openFiles(WHOLE);
    const [, place = { offset: 0, length: 0 }] = transcript.lines;
    expect(await transcript.readEpisode(place, place.length)).toEqual(LINES[1]);
    await expect(transcript.readEpisode(place, place.length - 1)).rejects.toThrow(TranscriptError);
  });

  it("grows, with its index behind", async () => {
    const path = createFiles({ transcript: "" });
    await using transcript = await Transcript.open(path);
    expect(transcript.lines).toEqual([]);
    const half = WHOLE.transcript.length - 30;
    appendFileSync(path, WHOLE.transcript.slice(0, half));
    expect(await transcript.refresh()).toEqual({ added: 4, replaced: false });
    expect(await transcript.refresh()).toEqual({ added: 0, replaced: false });
    appendFileSync(`${path}.index`, WHOLE.index);
    appendFileSync(path, WHOLE.transcript.slice(half));
    expect(await transcript.refresh()).toEqual({ added: 1, replaced: false });
    expect(transcript.lines).toEqual(INDEX);
  });

  it("grows with its index, even after a refresh without a new line", async () => {
    const [runs = "", ...later] = WHOLE.transcript.split(/(?<=\n)/);
    const path = createFiles({ transcript: runs, index: `${first}\n` });
    await using transcript = await Transcript.open(path);
    expect(await transcript.refresh()).toEqual({ added: 0, replaced: false });
    appendFileSync(path, later.join(""));
    appendFileSync(`${path}.index`, [second, ...others].join("\n"));
    expect(await transcript.refresh()).toEqual({ added: 4, replaced: false });
    expect(transcript.lines).toEqual(INDEX);
    expect(transcript.isIndexed).toBe(true);
  });

  it("is listed by its index if only the end of its last line is missing", async () => {
    const transcript = await openFiles({ ...WHOLE, transcript: WHOLE.transcript.slice(0, -1) });
    expect(transcript.lines).toEqual(INDEX.slice(0, -1));
    expect(transcript.isIndexed).toBe(true);
  });

  it("skips a bad last line once", async () => {
    const path = createFiles({ transcript: `${WHOLE.transcript}nonsense\n` });
    await using transcript = await Transcript.open(path);
    expect(transcript.end).toBe(Buffer.byteLength(WHOLE.transcript) + 9);
    appendFileSync(path, WHOLE.transcript.split(/(?<=\n)/).at(-1) ?? "");
    await transcript.refresh();
    expect(transcript.problems).toHaveLength(1);
    expect(transcript.lines).toHaveLength(LINES.length + 1);
  });

  it("keeps only its own file open, and closes it at its end or if it is none", async () => {
    const path = createFiles(WHOLE);
    const transcript = await Transcript.open(path);
    expect(listOpenFiles(path)).toHaveLength(1);
    await transcript[Symbol.asyncDispose]();
    expect(listOpenFiles(path)).toEqual([]);
    writeFileSync(path, "Hello\n");
    await expect(Transcript.open(path)).rejects.toThrow(TranscriptError);
    expect(listOpenFiles(path)).toEqual([]);
  });

  it("tells that another job replaced or cut the file", async () => {
    const path = createFiles(WHOLE);
    await using transcript = await Transcript.open(path);
    truncateSync(path, 100);
    expect(await transcript.refresh()).toMatchObject({ replaced: true });
    writeFileSync(`${path}.new`, WHOLE.transcript);
    renameSync(`${path}.new`, path);
    expect(await transcript.refresh()).toMatchObject({ replaced: true });
  });

  it("skips lines that are no lines of a transcript, and tells why", async () => {
    const deep = `{"type":"episode","interactions":${"[".repeat(300)}`;
    const forward = JSON.stringify(episode({ interactions: [interaction({ parent: 0 })] }));
    const infinite = JSON.stringify(episode({ duration: 0.125 })).replace("0.125", "1e999");
    const bad = ["nonsense", deep, "[]", `{"type":"episode"}`, forward, infinite, '{"type":"step","number":"0"}'];
    const [runLine = "", ...rest] = WHOLE.transcript.split("\n");
    const transcript = await openFiles({ transcript: [runLine, ...bad, ...rest].join("\n") });
    expect(transcript.lines.map(({ type }) => type)).toEqual(LINES.map(({ type }) => type));
    expect(transcript.problems).toHaveLength(bad.length);
    expect(transcript.problems[1]).toContain("nested deeper than 256 levels");
    expect(transcript.problems[4]).toContain("parents must come before their children");
  });

  it.each([
    ["a text", "Hello\n", "not_a_transcript"],
    ["tensors", "\x40\0\0\0\0\0\0\0{}", "not_a_transcript"],
    ["JSON lines of something else", '{"messages":[]}\n', "not_a_transcript"],
    ["one endless line", JSON.stringify(RUN).padEnd(1 << 17), "not_a_transcript"],
    ["a later format", '{"type":"run","format":2,"started_at":0}\n', "unsupported_format"],
  ])("is not %s", async (_, transcript, code) => {
    await expect(openFiles({ transcript })).rejects.toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ['{"type":"run","format":"x"}', 'batch.jsonl has format "x", which'],
    ['{"type":"run"}', "has format unknown, which"],
  ])("names the format that it cannot read: %s", async (line, message) => {
    await expect(openFiles({ transcript: `${line}\n` })).rejects.toThrow(message);
  });
});
