import { ObjectStore } from "../../storage/archive/object-store.js";
import { StoredFile } from "../../storage/archive/stored-file.js";
import { isS3Address } from "../../support/s3-address.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";

/**
 * Opens a tensor file of this machine or an `s3://` address, from which only the parts that are needed are read.
 *
 * @throws SafetensorsError, ArchiveError, or an error of the file system
 */
export async function openTensors(path: string): Promise<TensorFile> {
  if (!isS3Address(path)) return TensorFile.open(path);
  const store = await ObjectStore.open(path.slice(0, path.lastIndexOf("/")));
  const file = await StoredFile.open(store, path.slice(path.lastIndexOf("/") + 1));
  return TensorFile.read(file, file.size);
}
