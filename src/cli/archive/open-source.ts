import { ObjectStore } from "../../storage/archive/object-store.js";
import { StoredFiles } from "../../storage/archive/stored-file.js";
import { ViewError } from "../../view/errors.js";
import { BatchSource } from "../../view/sources/batch-source.js";
import { findTranscript } from "../../view/sources/find-source.js";
import type { OpenSource } from "../../view/sources/open-source.js";
import { TranscriptSource } from "../../view/sources/transcript-source.js";
import { openTensors } from "./open-file-access.js";

/**
 * Opens what an `s3://` address means: a transcript, a batch, or the newest transcript of an archive, or its newest batch if there is no
 * transcript. For a batch beside the transcript of its job, opens the transcript.
 *
 * @throws ViewError `nothing_to_view`, ArchiveError, TranscriptError, SafetensorsError
 */
export async function openStoredSource(address: string, model: string | undefined): Promise<OpenSource> {
  const { path, others } = isFile(address) ? { path: address, others: 0 } : await findNewest(address);
  const files = await StoredFiles.open(path);
  const transcript = isTranscript(path) ? path : await findTranscript(path, files);
  const kind = isTranscript(path) ? "transcript" : "batch";
  const notices = others > 0 ? [`This is the newest ${kind} of the archive. There are ${others} others.`] : [];
  if (transcript === undefined) return BatchSource.read(path, await openTensors(path), { model, notices, files });
  return TranscriptSource.open(transcript, { model, notices, files });
}

async function findNewest(address: string): Promise<{ readonly path: string; readonly others: number }> {
  const store = await ObjectStore.open(address);
  try {
    const found = [];
    for await (const object of store.list("batches/")) if (isFile(object.name)) found.push(object);
    const transcripts = found.filter(({ name }) => isTranscript(name));
    const [newest, ...others] = (transcripts.length > 0 ? transcripts : found).toSorted(
      (a, b) => b.changedAt - a.changedAt || (a.name < b.name ? 1 : -1),
    );
    if (newest) return { path: store.address(newest.name), others: others.length };
  } finally {
    store.close();
  }
  const hint = "Name a batch, a transcript, or a prefix with a folder batches/";
  throw new ViewError(
    "nothing_to_view",
    `${address} has no batch and no transcript. ${hint}. \`rolltape export --storage\` makes a batch of archived sessions.`,
  );
}

const isTranscript = (name: string): boolean => name.endsWith(".jsonl") && !/\.(errors|metrics)\.jsonl$/.test(name);
const isFile = (name: string): boolean => name.endsWith(".safetensors") || isTranscript(name);
