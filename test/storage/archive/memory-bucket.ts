import { createHash } from "node:crypto";
import { S3Client } from "@aws-sdk/client-s3";
import { onTestFinished, vi } from "vitest";

interface StoredBody {
  readonly body: Buffer;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

interface Part {
  readonly body: Buffer;
  readonly sha256: string;
}

interface Upload {
  readonly key: string;
  readonly metadata: StoredBody["metadata"];
  readonly parts: Map<number, Part>;
  readonly initiated: Date;
}

/** The fields of a command that the bucket reads. */
interface Input {
  readonly Bucket?: string;
  readonly Key?: string;
  readonly Prefix?: string;
  readonly Range?: string;
  readonly Body?: Uint8Array;
  readonly ChecksumSHA256?: string;
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly ContinuationToken?: string;
  readonly UploadId?: string;
  readonly PartNumber?: number;
  readonly PartNumberMarker?: string;
  readonly MultipartUpload?: { readonly Parts: readonly { readonly PartNumber: number; readonly ETag?: string }[] };
}

export const sha256Of = (body: Uint8Array): string => createHash("sha256").update(body).digest("base64");
const md5Of = (body: Uint8Array): string => createHash("md5").update(body).digest("hex");

/** Returns an error as the SDK throws it. */
export function sdkError(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(`the store says ${name}`), { name, $metadata: { httpStatusCode } });
}

/** Keeps the objects of S3 clients in memory, instead of sending requests. */
export class MemoryBucket {
  readonly objects = new Map<string, StoredBody>();
  readonly uploads = new Map<string, Upload>();
  /** Names of the commands, in order. */
  readonly sent: string[] = [];
  /** Commands that fail, by name. */
  readonly failures = new Map<string, Error>();
  /** If set, no command is answered before this promise settles. */
  held: Promise<void> | undefined;
  /** False: parts have no SHA-256, as in many stores. */
  hasPartDigests = true;

  /** Replaces the requests of all clients until the test ends. */
  static start(): MemoryBucket {
    const bucket = new MemoryBucket();
    // In front of the method that it inherits.
    Object.assign(S3Client.prototype, { send: (command: { readonly input: object }) => bucket.#answer(command) });
    vi.stubEnv("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    onTestFinished(() => {
      Reflect.deleteProperty(S3Client.prototype, "send");
      vi.unstubAllEnvs();
    });
    return bucket;
  }

  /** Begins an upload, as an earlier attempt did. */
  begin(key: string, parts: readonly Uint8Array[], initiated = new Date(0), metadata?: StoredBody["metadata"]): string {
    const id = `upload-${this.uploads.size + 1}`;
    const known = parts.map((body, at) => [at + 1, { body: Buffer.from(body), sha256: sha256Of(body) }] as const);
    this.uploads.set(id, { key, metadata, parts: new Map(known), initiated });
    return id;
  }

  async #answer(command: { readonly input: object }): Promise<object> {
    const name = command.constructor.name.replace(/Command$/, "");
    this.sent.push(name);
    await this.held;
    const failure = this.failures.get(name);
    if (failure) throw failure;
    const input = command.input as Input;
    const answer = this.#answers[name];
    if (!answer || (input.Bucket ?? "bucket") !== "bucket") throw new Error(`The bucket has no answer to ${name}.`);
    return answer(input);
  }

  readonly #answers: Readonly<Record<string, (input: Input) => object>> = {
    PutObject: ({ Key = "", Body, ChecksumSHA256, Metadata }) => {
      const body = this.#check(Body, ChecksumSHA256);
      this.objects.set(Key, { body, metadata: Metadata });
      return {};
    },
    HeadObject: ({ Key }) => {
      const { body, metadata } = this.#find(Key, "NotFound");
      return { ContentLength: body.length, Metadata: metadata };
    },
    GetObject: ({ Key, Range = "" }) => {
      const { body } = this.#find(Key, "NoSuchKey");
      const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(Range) ?? [];
      const part = body.subarray(Number(from), Number(last) + 1);
      return { Body: { transformToByteArray: async () => part } };
    },
    /** Two objects a page. */
    ListObjectsV2: ({ Prefix = "", ContinuationToken }) => {
      const names = [...this.objects.keys()]
        .filter((key) => key.startsWith(Prefix))
        .toSorted((a, b) => (a < b ? -1 : 1));
      const from = Number(ContinuationToken ?? 0);
      const Contents = names.slice(from, from + 2).map((Key) => {
        return { Key, Size: this.#find(Key, "").body.length, LastModified: new Date(5000) };
      });
      return { Contents, ...(names.length > from + 2 && { NextContinuationToken: `${from + 2}` }) };
    },
    ListMultipartUploads: ({ Prefix = "" }) => {
      const all = [...this.uploads].map(([UploadId, { key, initiated }]) => ({
        UploadId,
        Key: key,
        Initiated: initiated,
      }));
      return { Uploads: all.filter(({ Key }) => Key.startsWith(Prefix)) };
    },
    CreateMultipartUpload: ({ Key = "", Metadata }) => ({ UploadId: this.begin(Key, [], new Date(0), Metadata) }),
    UploadPart: ({ UploadId, PartNumber = 0, Body, ChecksumSHA256 = "" }) => {
      const body = this.#check(Body, ChecksumSHA256);
      this.#upload(UploadId).parts.set(PartNumber, { body, sha256: ChecksumSHA256 });
      return { ETag: `"${md5Of(body)}"` };
    },
    /** One part a page. */
    ListParts: ({ UploadId, PartNumberMarker = "0" }) => {
      const { parts } = this.#upload(UploadId);
      const number = Number(PartNumberMarker) + 1;
      const part = parts.get(number);
      const Parts = part && [
        {
          PartNumber: number,
          Size: part.body.length,
          ETag: `"${md5Of(part.body)}"`,
          ...(this.hasPartDigests && { ChecksumSHA256: part.sha256 }),
        },
      ];
      return { Parts, IsTruncated: parts.has(number + 1), NextPartNumberMarker: `${number}` };
    },
    CompleteMultipartUpload: ({ Key = "", UploadId, MultipartUpload }) => {
      const { parts, metadata } = this.#upload(UploadId);
      const bodies = (MultipartUpload?.Parts ?? []).map(({ PartNumber, ETag }) => {
        const part = parts.get(PartNumber);
        if (!part || ETag !== `"${md5Of(part.body)}"`) throw sdkError("InvalidPart", 400);
        return part.body;
      });
      this.objects.set(Key, { body: Buffer.concat(bodies), metadata });
      this.uploads.delete(UploadId ?? "");
      return {};
    },
    AbortMultipartUpload: ({ UploadId }) => {
      this.#upload(UploadId);
      this.uploads.delete(UploadId ?? "");
      return {};
    },
  };

  #check(body: Uint8Array | undefined, sha256: string | undefined): Buffer {
    const bytes = Buffer.from(body ?? []);
    if (sha256Of(bytes) !== sha256) throw sdkError("BadDigest", 400);
    return bytes;
  }

  #find(key: string | undefined, missing: string): StoredBody {
    const found = this.objects.get(key ?? "");
    if (!found) throw sdkError(missing, 404);
    return found;
  }

  #upload(id: string | undefined): Upload {
    const found = this.uploads.get(id ?? "");
    if (!found) throw sdkError("NoSuchUpload", 404);
    return found;
  }
}
