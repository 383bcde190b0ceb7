import { type FileAccess, LOCAL_FILES } from "../../support/file-access.js";
import { isS3Address } from "../../support/s3-address.js";

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
