import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { openFileAccess } from "./open-file-access.js";

/**
 * Opens a tensor file of this machine or an `s3://` address, from which only the parts that are needed are read.
 *
 * @throws SafetensorsError, ArchiveError, or an error of the file system
 */
export async function openTensors(path: string): Promise<TensorFile> {
  const file = await (await openFileAccess(path)).open(path);
  return TensorFile.read(file, (await file.stat()).size);
}
