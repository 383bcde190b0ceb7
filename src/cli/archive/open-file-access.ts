import { type FileAccess, LOCAL_FILES } from "../../support/file-access.js";
import { isS3Address } from "../../support/s3-address.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";

/**
 * Returns the access to a path of this machine, or to an `s3://` address.
 *
 * @throws ArchiveError `invalid_address` or `package_missing`
 */
export async function openFileAccess(path: string): Promise<FileAccess> {
  if (!isS3Address(path)) return LOCAL_FILES;
  // Imported late, because it loads the AWS SDK.
  const { StoredFiles } = await import("../../storage/archive/stored-file.js");
  return StoredFiles.open(path);
}

/**
 * Opens a tensor file of this machine or an `s3://` address, from which only the parts that are needed are read.
 *
 * @throws SafetensorsError, ArchiveError, or an error of the file system
 */
export async function openTensors(path: string): Promise<TensorFile> {
  const file = await (await openFileAccess(path)).open(path);
  return TensorFile.read(file, (await file.stat()).size);
}
