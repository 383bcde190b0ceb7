/** A bucket and a key in it, or a part of a key. */
export interface S3Address {
  readonly bucket: string;
  /** Without a slash at its start or end. Empty: the whole bucket. */
  readonly key: string;
}

const SCHEME = "s3://";
/** The names that S3 allows for buckets. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Returns true if a text is meant as an address in S3. */
export const isS3Address = (text: string): boolean => text.startsWith(SCHEME);

/** Reads `s3://bucket/key`. Returns undefined for any other text. */
export function readS3Address(address: string): S3Address | undefined {
  const [bucket = "", ...parts] = address.slice(SCHEME.length).split("/");
  const key = parts.join("/").replace(/\/+$/, "");
  return isS3Address(address) && BUCKET.test(bucket) && !key.startsWith("/") ? { bucket, key } : undefined;
}
