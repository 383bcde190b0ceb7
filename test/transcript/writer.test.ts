import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Transcript } from "../../src/transcript/read-index.js";
import { MAX_LINE_BYTES } from "../../src/transcript/read-line.js";
import { summarizeInteractions } from "../../src/transcript/summarize.js";
import { TranscriptWriter } from "../../src/transcript/writer.js";
import { encode, episode, interaction, listOpenFiles, RUN } from "./lines.js";

function createPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-transcript-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "batch.safetensors.jsonl");
}

const EPISODES = [episode({ task_id: "tâche" }), episode({ session_id: "b" }), episode({ session_id: "c", task: 1 })];
const read = (path: string) => ({
  transcript: readFileSync(path, "utf8"),
  index: readFileSync(`${path}.index`, "utf8"),
});

async function writeAll(path: string, episodes = EPISODES, resume = false): Promise<void> {
  const writer = await TranscriptWriter.open(path, RUN, { resume });
  await Promise.all(episodes.map((each) => writer.write(each)));
  await writer.close();
  expect(writer.failure).toBeUndefined();
}

describe("a transcript writer", () => {
  it("writes lines and their index, for the owner only", async () => {
    const path = createPath();
    await writeAll(path);
    expect(read(path)).toEqual(encode([RUN, ...EPISODES]));
    for (const file of [path, `${path}.index`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    await using transcript = await Transcript.open(path);
    expect(transcript.isIndexed).toBe(true);
  });

  it("writes an episode from the JSON of its interactions as it writes the episode itself", async () => {
    const path = createPath();
    const error = { code: "agent_error", message: "it failed" };
    const lines = [episode({ accepted: false, error, session_reward: 1 }), episode({ session_id: "b" })];
    const writer = await TranscriptWriter.open(path, RUN, { resume: false });
    for (const { interactions, ...head } of lines) {
      const summary = summarizeInteractions(interactions, head.session_reward);
      await writer.writeEpisode({ head, interactions: Buffer.from(JSON.stringify(interactions)), summary });
    }
    await writer.close();
    // The order of fields is not that of `encode`.
    const asValues = ({ transcript, index }: ReturnType<typeof read>) =>
      [transcript, index].map((text) =>
        text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown),
      );
    expect(asValues(read(path))).toEqual(asValues(encode([RUN, ...lines])));
    await using transcript = await Transcript.open(path);
    expect(transcript).toMatchObject({ isIndexed: true, problems: [] });
  });

  it("leaves interactions out of an episode whose JSON is too long for a line", async () => {
    const path = createPath();
    const { interactions, ...head } = episode();
    const writer = await TranscriptWriter.open(path, RUN, { resume: false });
    const summary = summarizeInteractions(interactions, undefined);
    await writer.writeEpisode({ head, interactions: Buffer.alloc(MAX_LINE_BYTES, " "), summary });
    await writer.close();
    await using transcript = await Transcript.open(path);
    const place = transcript.lines.find((line) => line.type === "episode");
    expect(place && (await transcript.readEpisode(place))).toMatchObject({
      interactions: [],
      incomplete: expect.stringContaining("bytes"),
    });
  });

  it("keeps interactions whose line takes as many bytes as a reader reads", async () => {
    const path = createPath();
    const { interactions: _, ...head } = episode();
    const writer = await TranscriptWriter.open(path, RUN, { resume: false });
    const start = Buffer.byteLength(JSON.stringify({ ...head, interactions: [] })) - "[]}".length;
    const interactions = Buffer.from("[]".padEnd(MAX_LINE_BYTES - start - "}\n".length));
    await writer.writeEpisode({ head, interactions, summary: summarizeInteractions([], undefined) });
    await writer.close();
    await using transcript = await Transcript.open(path);
    const place = transcript.lines.find((line) => line.type === "episode");
    expect(place?.length).toBe(MAX_LINE_BYTES - 1);
    expect(place && (await transcript.readEpisode(place))).not.toHaveProperty("incomplete");
  });

  it("replaces the files of an earlier job, and a link in their place, without following it", async () => {
    const path = createPath();
    const target = `${path}.target`;
    writeFileSync(target, "mine");
    symlinkSync(target, path);
    writeFileSync(`${path}.index`, "old");
    chmodSync(`${path}.index`, 0o644);
    await writeAll(path);
    expect(readFileSync(target, "utf8")).toBe("mine");
    expect(read(path)).toEqual(encode([RUN, ...EPISODES]));
    expect(statSync(`${path}.index`).mode & 0o777).toBe(0o600);
  });

  it.each([0, 1, 20])(
    "goes on in the same file after the last complete line, if %i bytes of it are missing",
    async (cut) => {
      const path = createPath();
      await writeAll(path, EPISODES.slice(0, 2));
      if (cut > 0) truncateSync(path, statSync(path).size - cut);
      const kept = cut === 0 ? EPISODES.slice(0, 2) : EPISODES.slice(0, 1);
      await writeAll(path, EPISODES.slice(2), true);
      expect(read(path).transcript).toBe(encode([RUN, ...kept, ...EPISODES.slice(2)]).transcript);
      await using transcript = await Transcript.open(path);
      expect(transcript).toMatchObject({ isIndexed: true, problems: [] });
      expect(transcript.lines).toHaveLength(1 + kept.length + 1);
    },
  );

  it("begins a new file if the one to go on with is missing or is no transcript", async () => {
    const path = createPath();
    await writeAll(path, EPISODES, true);
    expect(read(path)).toEqual(encode([RUN, ...EPISODES]));
    writeFileSync(path, "something else\n");
    await writeAll(path, EPISODES, true);
    expect(read(path)).toEqual(encode([RUN, ...EPISODES]));
  });

  it("leaves the calls of an episode out that no reader would read", async () => {
    const path = createPath();
    const long = interaction({ answer: { role: "assistant", content: "x".repeat(MAX_LINE_BYTES) } });
    await writeAll(path, [episode({ interactions: [long] })]);
    await using transcript = await Transcript.open(path);
    const [, line = { offset: 0, length: 0 }] = transcript.lines;
    expect(line).toMatchObject({ calls: 1, completion_tokens: 2 });
    expect(await transcript.readEpisode(line)).toMatchObject({
      interactions: [],
      incomplete: expect.stringContaining("bytes"),
    });
  });

  it("keeps an episode whose line takes as many bytes as a reader reads", async () => {
    const path = createPath();
    const withAnswer = (content: string) =>
      episode({ interactions: [interaction({ answer: { role: "assistant", content } })] });
    const rest = Buffer.byteLength(`${JSON.stringify(withAnswer(""))}\n`);
    const longest = withAnswer("x".repeat(MAX_LINE_BYTES - rest));
    await writeAll(path, [longest, withAnswer("after it")]);
    await using transcript = await Transcript.open(path);
    const [, ...places] = transcript.lines;
    expect(places[0]?.length).toBe(MAX_LINE_BYTES - 1);
    // Not `toEqual`, which would print 32 MiB.
    expect((await transcript.readEpisode(places[0] ?? { offset: 0, length: 0 })).interactions).toHaveLength(1);
  });

  it("writes what was added before it was closed", async () => {
    const path = createPath();
    const writer = await TranscriptWriter.open(path, RUN, { resume: false });
    const written = EPISODES.map((each) => writer.write(each));
    await writer.close();
    expect(read(path)).toEqual(encode([RUN, ...EPISODES]));
    await Promise.all(written);
    expect(writer.failure).toBeUndefined();
  });

  it("closes its file and its index", async () => {
    const path = createPath();
    const writer = await TranscriptWriter.open(path, RUN, { resume: false });
    expect(listOpenFiles(path).toSorted()).toEqual([path, `${path}.index`]);
    await writer.close();
    expect(listOpenFiles(path)).toEqual([]);
  });

  it("rejects if its index cannot be replaced, and leaves no index open", async () => {
    const path = createPath();
    mkdirSync(`${path}.index`);
    writeFileSync(join(`${path}.index`, "file"), "");
    await expect(TranscriptWriter.open(path, RUN, { resume: false })).rejects.toThrow(/index/);
    expect(listOpenFiles(`${path}.index`)).toEqual([]);
  });

  it("ends with a write error, and does not throw", async () => {
    const path = createPath();
    const writer = await TranscriptWriter.open(path, RUN, { resume: false });
    // Closed files refuse writes.
    await writer.close();
    await writer.write(episode());
    expect(writer.failure).toBeInstanceOf(Error);
    await writer.write(episode());
    await writer.close();
  });
});
