import type { OpenSource } from "./open-source.js";
import { type TranscriptSourceOptions } from "./transcript-source.js";
/**
 * Opens a transcript, a tensor file or a folder. Of a folder, it opens the newest transcript, or the newest tensor file if
 * there is no transcript.
 *
 * @throws ViewError, TranscriptError, SafetensorsError, ModelFolderError
 */
export declare function openPath(path: string, options?: TranscriptSourceOptions): Promise<OpenSource>;
