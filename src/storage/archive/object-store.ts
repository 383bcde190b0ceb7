import type { S3Client } from "@aws-sdk/client-s3";
import { readS3Address, type S3Address } from "../../support/s3-address.js";
import { ArchiveError, requestError } from "./errors.js";

/** An object below the prefix of a store. */
export interface StoredObject {
  /** Its key without the prefix of the store. */
  readonly name: string;
  readonly bytes: number;
  /** When it was uploaded, in milliseconds since the epoch. */
  readonly changedAt: number;
}

export type Sdk = typeof import("@aws-sdk/client-s3");

/** Time in which a connection must be made, and in which a store must send or accept bytes. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
/** Attempts of a request that a command waits for. */
const READ_ATTEMPTS = 5;

/** Key of an object's metadata: the SHA-256 of the whole object in hexadecimal digits. The checksums of stores differ for multipart uploads. */
const DIGEST = "rolltape-sha256";

/**
 * Objects below a prefix of an S3 bucket. The standard settings of the AWS SDK decide on the endpoint, the region and the credentials:
 * `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_PROFILE`, roles of the machine.
 */
export class ObjectStore {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly location: S3Address;

  private constructor(sdk: Sdk, client: S3Client, location: S3Address) {
    this.sdk = sdk;
    this.client = client;
    this.location = location;
  }

  /**
   * Sends nothing yet.
   *
   * @param address `s3://bucket/prefix`
   * @param attempts attempts of each request. Default 5
   * @throws ArchiveError `invalid_address` or `package_missing`
   */
  static async open(
    address: string,
    {
      attempts = READ_ATTEMPTS,
      env = process.env,
    }: { readonly attempts?: number; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<ObjectStore> {
    const location = readS3Address(address);
    if (!location) throw new ArchiveError("invalid_address", `${address} must have the form s3://bucket/prefix.`);
    const sdk = await loadSdk();
    const isCustom = Boolean(env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"]);
    const region = env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? (isCustom ? "us-east-1" : undefined);
    const client = new sdk.S3Client({
      maxAttempts: attempts,
      // Most other stores have no names of buckets in the DNS.
      forcePathStyle: isCustom,
      // Uploads name their checksums themselves. Many other stores refuse the trailers that the SDK would add.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
      ...(region === undefined ? {} : { region }),
    });
    return new ObjectStore(sdk, client, location);
  }

  /** The address of the store, or of an object. */
  address(name = ""): string {
    return `s3://${this.location.bucket}/${name === "" ? this.location.key : this.keyOf(name)}`;
  }

  /** Returns bucket and key of an object, as the commands of the SDK take them. */
  target(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.location.bucket, Key: this.keyOf(name) };
  }

  keyOf(name: string): string {
    const { key } = this.location;
    return key === "" ? name : `${key}/${name}`;
  }

  /** Yields the objects whose names begin with `start`, in the order of their names. */
  async *list(start: string): AsyncGenerator<StoredObject> {
    const { bucket, key } = this.location;
    const skipped = key === "" ? 0 : key.length + 1;
    let token: string | undefined;
    do {
      const page = await this.#send(`${this.address(start)} cannot be listed`, () =>
        this.client.send(
          new this.sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: this.keyOf(start), ContinuationToken: token }),
        ),
      );
      for (const { Key, Size = 0, LastModified } of page.Contents ?? [])
        if (Key !== undefined) yield { name: Key.slice(skipped), bytes: Size, changedAt: Number(LastModified ?? 0) };
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  /** Returns the size of an object, and its SHA-256 if Rolltape uploaded it; undefined if there is none. */
  async head(name: string): Promise<{ readonly bytes: number; readonly sha256: string | undefined } | undefined> {
    try {
      const { ContentLength = 0, Metadata } = await this.client.send(new this.sdk.HeadObjectCommand(this.target(name)));
      return { bytes: ContentLength, sha256: Metadata?.[DIGEST] };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw requestError(`${this.address(name)} cannot be read`, error);
    }
  }

  /**
   * Returns some bytes of an object; fewer at its end.
   *
   * @throws ArchiveError `archive_failed`
   */
  async readRange(name: string, from: number, length: number): Promise<Uint8Array> {
    const Range = `bytes=${from}-${from + length - 1}`;
    const request = { ...this.target(name), Range };
    return this.#send(`${this.address(name)} cannot be read`, async () => {
      for (let attempt = 1; ; attempt++) {
        const { Body } = await this.client.send(new this.sdk.GetObjectCommand(request));
        try {
          return (await Body?.transformToByteArray()) ?? new Uint8Array();
        } catch (error) {
          // The SDK repeats a request, but not one whose answer was cut.
          if (attempt === READ_ATTEMPTS) throw error;
        }
      }
    });
  }

  close(): void {
    this.client.destroy();
  }

  async #send<T>(what: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw requestError(what, error);
    }
  }
}

/** Returns the metadata of an object with this SHA-256. */
export const digestMetadata = (sha256: string): Record<string, string> => ({ [DIGEST]: sha256 });

/** @throws ArchiveError `package_missing` */
async function loadSdk(): Promise<Sdk> {
  try {
    return await import("@aws-sdk/client-s3");
  } catch (cause) {
    const message =
      "S3 needs the package @aws-sdk/client-s3, which is not installed: `npm install @aws-sdk/client-s3`.";
    throw new ArchiveError("package_missing", message, { cause });
  }
}

/** Returns true for the error of an object or an upload that does not exist. A bucket that does not exist is a failure. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.has(error.name);
}

const MISSING: ReadonlySet<string> = new Set(["NotFound", "NoSuchKey", "NoSuchUpload"]);
