import { ObjectStore, type StoredObject } from "../../storage/archive/object-store.js";
import { StoredFiles } from "../../storage/archive/stored-file.js";
import { ViewError } from "../../view/errors.js";
import { BatchSource } from "../../view/sources/batch-source.js";
import { findTranscript } from "../../view/sources/find-source.js";
import type { OpenSource } from "../../view/sources/open-source.js";
import { TranscriptSource } from "../../view/sources/transcript-source.js";
import { openArchived } from "../view/open-archived.js";
import { StoredSource } from "../view/stored-source.js";
import { openTensors } from "./open-file-access.js";

/** Follows the address of an archive that means its sessions only. */
const SESSIONS = "/sessions";

/**
 * Opens what an `s3://` address means: a transcript, a batch, or of an archive its newest transcript, else its sessions, else its newest batch.
 * `/sessions` behind the address of an archive means its sessions. For a batch beside the transcript of its job, opens the transcript.
 *
 * @throws ViewError `nothing_to_view`, ArchiveError, TranscriptError, SafetensorsError
 */
export async function openStoredSource(address: string, model: string | undefined): Promise<OpenSource> {
  if (isFile(address)) return openFile(address, model, []);
  const archive = address.replace(/\/+$/, "");
  const { transcripts, batches } = await listFiles(archive);
  const sessions = await openArchived(archive);
  const [transcript] = transcripts;
  if (sessions && !transcript) return StoredSource.open(sessions, model);
  await sessions?.[Symbol.asyncDispose]();
  const [newest, ...others] = transcript ? transcripts : batches;
  if (newest) {
    const kind = transcript ? "transcript" : "batch";
    const choice = `This is the newest ${kind} of the archive. There are ${others.length} others.`;
    const more = `The archive has sessions too: \`rolltape view ${archive}${SESSIONS}\`.`;
    return openFile(newest, model, [...(others.length > 0 ? [choice] : []), ...(sessions ? [more] : [])]);
  }
  const only = archive.endsWith(SESSIONS) ? await openArchived(archive.slice(0, -SESSIONS.length)) : undefined;
  if (only) return StoredSource.open(only, model);
  const hint = "Name a batch, a transcript, or a prefix with a folder batches/ or sessions/.";
  throw new ViewError("nothing_to_view", `${address} has no batch, no transcript and no session. ${hint}`);
}

async function openFile(path: string, model: string | undefined, notices: readonly string[]): Promise<OpenSource> {
  const files = await StoredFiles.open(path);
  const transcript = isTranscript(path) ? path : await findTranscript(path, files);
  if (transcript === undefined) return BatchSource.read(path, await openTensors(path), { model, notices, files });
  return TranscriptSource.open(transcript, { model, notices, files });
}

/** Returns the addresses of the transcripts and the batches of an archive, newest first. */
async function listFiles(archive: string): Promise<{ readonly transcripts: string[]; readonly batches: string[] }> {
  const store = await ObjectStore.open(archive);
  try {
    const found: StoredObject[] = [];
    for await (const object of store.list("batches/")) if (isFile(object.name)) found.push(object);
    const sorted = found.toSorted((a, b) => b.changedAt - a.changedAt || (a.name < b.name ? 1 : -1));
    const addresses = sorted.map(({ name }) => store.address(name));
    return {
      transcripts: addresses.filter(isTranscript),
      batches: addresses.filter((address) => !isTranscript(address)),
    };
  } finally {
    store.close();
  }
}

const isTranscript = (name: string): boolean => name.endsWith(".jsonl") && !/\.(errors|metrics)\.jsonl$/.test(name);
const isFile = (name: string): boolean => name.endsWith(".safetensors") || isTranscript(name);
