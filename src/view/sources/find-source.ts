import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type FileAccess, LOCAL_FILES } from "../../support/file-access.js";
import { openRegularFile } from "../../support/regular-file.js";
import { removeBatchNumber } from "../../transcript/batch-number.js";
import { TranscriptError } from "../../transcript/errors.js";
import { Transcript } from "../../transcript/read-index.js";
import { ViewError } from "../errors.js";
import { BatchSource } from "./batch-source.js";
import type { OpenSource } from "./open-source.js";
import { TranscriptSource, type TranscriptSourceOptions } from "./transcript-source.js";

/**
 * Opens a transcript, a tensor file or a folder. For a tensor file beside the transcript of its job, opens the transcript, which shows the
 * tokens of its batches too. For a folder, opens the newest transcript, or the newest tensor file if there is no transcript.
 *
 * @throws ViewError, TranscriptError, SafetensorsError, ModelFolderError
 */
export async function openPath(path: string, options: TranscriptSourceOptions = {}): Promise<OpenSource> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new ViewError("nothing_to_view", `${path} cannot be read: ${String(cause)}`, { cause });
  });
  if (facts.isDirectory()) return openFolder(path, options);
  // Reading a pipe or a device may never end.
  if (!facts.isFile()) throw new ViewError("nothing_to_view", `${path} is neither a file nor a folder.`);
  if (!(await isTensorFile(path))) return TranscriptSource.open(path, options);
  const transcript = await findTranscript(path);
  return transcript === undefined ? BatchSource.open(path, options) : TranscriptSource.open(transcript, options);
}

/** Returns the transcript beside a tensor file that names it among its batches; undefined if there is none. */
export async function findTranscript(batch: string, files = LOCAL_FILES): Promise<string | undefined> {
  const base = basename(batch);
  const folder = batch.slice(0, batch.length - base.length);
  for (const name of new Set([base, removeBatchNumber(base)])) {
    const path = `${folder}${name}.jsonl`;
    if (await namesBatch(path, base, files)) return path;
  }
  return undefined;
}

/** Returns false if the path is no transcript, or cannot be read. */
async function namesBatch(path: string, batch: string, files: FileAccess): Promise<boolean> {
  try {
    await using transcript = await Transcript.open(path, files);
    return transcript.lines.some((line) => line.type === "batch" && basename(line.file) === batch);
  } catch {
    return false;
  }
}

async function openFolder(folder: string, options: TranscriptSourceOptions): Promise<OpenSource> {
  const names = await readdir(folder);
  const lines = await sortNewest(folder, names, ".jsonl");
  const areTranscripts = await Promise.all(lines.map((name) => mayBeTranscript(join(folder, name))));
  const transcripts = lines.filter((_, i) => areTranscripts[i]);
  const files = transcripts.length > 0 ? transcripts : await sortNewest(folder, names, ".safetensors");
  // If there is only a file of another kind, opening it throws the reason.
  const [name, ...others] = files.length > 0 ? files : lines;
  if (name === undefined) {
    throw new ViewError("nothing_to_view", `${folder} has no transcript (.jsonl) and no tensor file (.safetensors).`);
  }
  const notice = `This is the newest file of the folder. Others: ${listNames(others)}.`;
  const notices = [...(options.notices ?? []), ...(others.length > 0 ? [notice] : [])];
  return openPath(join(folder, name), { ...options, notices });
}

/** Returns false for files of another kind, such as tasks. A file that cannot be read may be a transcript. */
async function mayBeTranscript(path: string): Promise<boolean> {
  try {
    await using _ = await Transcript.openUnread(path);
    return true;
  } catch (error) {
    return !(error instanceof TranscriptError && error.code === "not_a_transcript");
  }
}

/** Returns the regular files with this ending, newest first. Files of the same time are in the order of their names. */
async function sortNewest(folder: string, names: readonly string[], ending: string): Promise<string[]> {
  const files = names.filter((name) => name.endsWith(ending)).toSorted();
  const facts = await Promise.all(files.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return files
    .flatMap((name, i) => (facts[i]?.isFile() ? [{ name, time: facts[i].mtimeMs }] : []))
    .toSorted((a, b) => b.time - a.time)
    .map(({ name }) => name);
}

const MAX_LISTED = 10;

function listNames(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).join(", ");
  return names.length > MAX_LISTED ? `${listed} and ${names.length - MAX_LISTED} more` : listed;
}

/** A tensor file begins with the length of its header in eight bytes, the last of which are 0, and `{`. */
async function isTensorFile(path: string): Promise<boolean> {
  await using file = await openRegularFile(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(9), 0, 9, 0);
  return bytesRead === 9 && buffer[7] === 0 && buffer[8] === 0x7b;
}
