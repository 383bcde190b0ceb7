import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modelDigest } from "../../../src/model/model-digest.js";
import type { RunLine } from "../../../src/transcript/format.js";
import { BatchSource } from "../../../src/view/sources/batch-source.js";
import { TranscriptSource } from "../../../src/view/sources/transcript-source.js";
import { writeModelFolder } from "../../model/support/model-folder.js";
import { encode, listOpenFiles, RUN } from "../../transcript/lines.js";
import { recordRun } from "../recorded-run.js";

const RANGE = { episode: 0, interaction: 0, from: 0, count: 9 };

/** A run whose first line says this of its model. */
async function recordModel(model: Partial<RunLine>) {
  const run = await recordRun();
  const [, ...rest] = readFileSync(run.transcript, "utf8").split("\n");
  rmSync(`${run.transcript}.index`);
  writeFileSync(run.transcript, [encode([{ ...RUN, ...model }]).transcript.trim(), ...rest].join("\n"));
  return run;
}

async function show(source: TranscriptSource | BatchSource) {
  await using shown = source;
  const { notices } = await shown.overview();
  const { ids, texts } = await shown.tokens(RANGE);
  const isText = texts?.length === ids.length && texts.every((text) => text !== "");
  return { texts: texts === null ? "none" : isText, notices: notices.filter((notice) => /token/i.test(notice)) };
}

const idsOnly = (reason: string) => [
  `Tokens are shown as ids only, because ${reason}. Start with --model FOLDER to see their texts.`,
];
const NOT_KNOWN = idsOnly("its model folder is not known");
const CHANGED = idsOnly("its model folder is missing or has changed");
const otherTokenizer = (folder: string) => [
  `The tokenizer or template of ${folder} is not that of the job: the texts of tokens may be wrong.`,
];

describe("the texts of tokens", () => {
  it("are those of the job's model folder, if it is still the same", async () => {
    const folder = writeModelFolder("", []);
    const digest = await modelDigest(folder);
    const same = await recordModel({ model_path: folder, model_digest: digest });
    expect(await show(await TranscriptSource.open(same.transcript))).toEqual({ texts: true, notices: [] });
    for (const [model, notices] of [
      [{ model_path: folder, model_digest: "other" }, CHANGED],
      [{ model_path: join(folder, "none"), model_digest: digest }, CHANGED],
      [{ model_path: folder }, CHANGED],
      [{ model_digest: digest }, NOT_KNOWN],
    ] as const) {
      const { transcript } = await recordModel(model);
      expect(await show(await TranscriptSource.open(transcript))).toEqual({ texts: "none", notices });
    }
  });

  it("are those of the folder that the user names, with a notice if it is not the job's", async () => {
    const model = writeModelFolder("", []);
    const digest = await modelDigest(model);
    for (const [named, notices] of [
      [{}, []],
      [{ model_digest: digest }, []],
      [{ model_digest: "other" }, otherTokenizer(model)],
    ] as const) {
      const { transcript } = await recordModel({ model_path: "/nowhere", ...named });
      expect(await show(await TranscriptSource.open(transcript, { model }))).toEqual({ texts: true, notices });
    }
  });

  it("are gone if the folder is removed before they are needed", async () => {
    const folder = writeModelFolder("", []);
    const model = { model_path: folder, model_digest: await modelDigest(folder) };
    await using source = await TranscriptSource.open((await recordModel(model)).transcript);
    await source.overview();
    rmSync(folder, { recursive: true });
    expect((await source.tokens(RANGE)).texts).toBeNull();
  });

  it("follow the run if another job replaces the transcript", async () => {
    const folder = writeModelFolder("", []);
    const { transcript } = await recordModel({});
    await using source = await TranscriptSource.open(transcript);
    expect((await source.overview()).notices).toContain(NOT_KNOWN[0]);
    const model = { model_path: folder, model_digest: await modelDigest(folder), started_at: 5000 };
    const [, ...rest] = readFileSync(transcript, "utf8").split("\n");
    rmSync(transcript);
    writeFileSync(transcript, [encode([{ ...RUN, ...model }]).transcript.trim(), ...rest].join("\n"));
    expect((await source.overview()).notices).not.toContain(NOT_KNOWN[0]);
    expect((await source.tokens(RANGE)).texts).not.toBeNull();
  });

  it("of a batch are those of the folder that the user names", async () => {
    const model = writeModelFolder("", []);
    const digest = await modelDigest(model);
    const showBatch = async (metadata: Record<string, string>, options = {}) => {
      const { folder } = await recordRun({ metadata });
      return show(await BatchSource.open(join(folder, "batch.safetensors"), options));
    };
    expect(await showBatch({}, { model })).toMatchObject({ texts: true });
    expect((await showBatch({ model_digest: digest }, { model })).notices).not.toContain(otherTokenizer(model)[0]);
    expect((await showBatch({ model_digest: "other" }, { model })).notices).toContain(otherTokenizer(model)[0]);
    expect(await showBatch({ model_digest: digest })).toMatchObject({ texts: "none" });
  });
});

it("closes the files of a run, also if the model folder cannot be used", async () => {
  const { transcript, folder } = await recordRun();
  const batch = join(folder, "batch.safetensors");
  for (const open of [() => TranscriptSource.open(transcript), () => BatchSource.open(batch)]) {
    const source = await open();
    await source.tokens(RANGE);
    expect(listOpenFiles(folder)).not.toEqual([]);
    await source[Symbol.asyncDispose]();
    expect(listOpenFiles(folder)).toEqual([]);
  }
  const options = { model: join(folder, "none") };
  for (const open of [() => TranscriptSource.open(transcript, options), () => BatchSource.open(batch, options)]) {
    await expect(open()).rejects.toMatchObject({ name: "ModelFolderError" });
    expect(listOpenFiles(folder)).toEqual([]);
  }
});
