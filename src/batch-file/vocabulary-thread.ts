import { parentPort, workerData } from "node:worker_threads";
import { ModelFolderError, type ModelFolderErrorCode } from "../model/model-files.js";
import { type LoadedVocabulary, readVocabulary } from "./read-vocabulary.js";

/** `workerData` of the thread: the model folder. */
export type VocabularyThreadData = string;

/** The one message of the thread. */
export type VocabularyResult = LoadedVocabulary | { readonly code: ModelFolderErrorCode; readonly message: string };

try {
  const loaded = await readVocabulary(workerData as VocabularyThreadData);
  const { bytes, ends } = loaded.spellings;
  parentPort?.postMessage(loaded satisfies VocabularyResult, [bytes.buffer, ends.buffer]);
} catch (error) {
  if (!(error instanceof ModelFolderError)) throw error;
  parentPort?.postMessage({ code: error.code, message: error.message } satisfies VocabularyResult);
}
