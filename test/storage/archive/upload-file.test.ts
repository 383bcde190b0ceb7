import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { digestMetadata, ObjectStore } from "../../../src/storage/archive/object-store.js";
import { PART_BYTES, uploadFile } from "../../../src/storage/archive/upload-file.js";
import { MemoryBucket, sdkError } from "./memory-bucket.js";

const KEY = "prefix/a";
const { signal } = new AbortController();

let bucket: MemoryBucket;
let store: ObjectStore;

beforeEach(async () => {
  bucket = MemoryBucket.start();
  store = await ObjectStore.open("s3://bucket/prefix");
});

const metadataOf = (body: Uint8Array) => digestMetadata(createHash("sha256").update(body).digest("hex"));

/** Two whole parts and a third one of ten bytes. */
const PARTS = [Buffer.alloc(PART_BYTES, 1), Buffer.alloc(PART_BYTES, 2), Buffer.alloc(10, 3)] as const;
const LARGE = Buffer.concat(PARTS);
const [FIRST, SECOND] = PARTS;

async function upload(body: Uint8Array, mayExist = false) {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-upload-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file");
  writeFileSync(path, body);
  bucket.sent.length = 0;
  return await uploadFile(store, path, "a", { signal, mayExist });
}

describe("the upload of a small file", () => {
  it("is one request, with the SHA-256 of the file", async () => {
    for (const body of [Buffer.from("text"), Buffer.alloc(0), FIRST]) {
      expect(await upload(body)).toEqual({ bytes: body.length, reused: 0 });
      expect(bucket.objects.get(KEY)?.body.equals(body)).toBe(true);
      expect(bucket.objects.get(KEY)?.metadata).toEqual(metadataOf(body));
      expect(bucket.sent).toEqual(["PutObject"]);
    }
  });

  it("is left out if the store has the same file, and only then", async () => {
    const body = Buffer.from("text");
    await upload(body);
    expect(await upload(body, true)).toBeUndefined();
    expect(bucket.sent).toEqual(["HeadObject"]);
    expect(await upload(Buffer.from("other"), true)).toEqual({ bytes: 5, reused: 0 });
    expect(bucket.sent).toEqual(["HeadObject", "PutObject"]);
  });

  it("is made although the store does not tell what it has", async () => {
    bucket.failures.set("HeadObject", sdkError("AccessDenied", 403));
    expect(await upload(Buffer.from("text"), true)).toEqual({ bytes: 4, reused: 0 });
    bucket.failures.set("HeadObject", sdkError("SlowDown", 503));
    await expect(upload(Buffer.from("text"), true)).rejects.toThrow("SlowDown");
  });
});

describe("the upload of a large file", () => {
  it("is made in parts", async () => {
    expect(await upload(LARGE)).toEqual({ bytes: LARGE.length, reused: 0 });
    expect(bucket.objects.get(KEY)?.body.equals(LARGE)).toBe(true);
    expect(bucket.objects.get(KEY)?.metadata).toEqual(metadataOf(LARGE));
    const parts = ["UploadPart", "UploadPart", "UploadPart"];
    expect(bucket.sent).toEqual(["CreateMultipartUpload", ...parts, "CompleteMultipartUpload"]);
  });

  it.each([true, false])(
    "goes on where an earlier attempt ended, if parts have digests: %s",
    async (hasPartDigests) => {
      bucket.hasPartDigests = hasPartDigests;
      bucket.begin(KEY, [FIRST, SECOND], new Date(1), metadataOf(LARGE));
      expect(await upload(LARGE, true)).toEqual({ bytes: LARGE.length, reused: 2 * PART_BYTES });
      expect(bucket.sent.filter((name) => name === "UploadPart")).toHaveLength(1);
      expect(bucket.objects.get(KEY)?.body.equals(LARGE)).toBe(true);
    },
  );

  it.each([true, false])("repeats parts that differ, if parts have digests: %s", async (hasPartDigests) => {
    bucket.hasPartDigests = hasPartDigests;
    bucket.begin(KEY, [SECOND, SECOND.subarray(1)], new Date(1), metadataOf(LARGE));
    expect(await upload(LARGE, true)).toEqual({ bytes: LARGE.length, reused: 0 });
    expect(bucket.objects.get(KEY)?.body.equals(LARGE)).toBe(true);
  });

  it("begins again if the earlier attempt was for another file, whose digest the object would have", async () => {
    bucket.begin(KEY, [FIRST], new Date(1), metadataOf(FIRST));
    expect(await upload(LARGE, true)).toEqual({ bytes: LARGE.length, reused: 0 });
    expect(bucket.objects.get(KEY)?.metadata).toEqual(metadataOf(LARGE));
    expect(bucket.sent.filter((name) => name === "CompleteMultipartUpload")).toHaveLength(2);
  });

  it("goes on with the newest attempt and ends the others, but not those of other files", async () => {
    bucket.begin(KEY, [], new Date(1));
    bucket.begin(KEY, [FIRST], new Date(3), metadataOf(LARGE));
    bucket.begin(KEY, [], new Date(2));
    const other = bucket.begin(`${KEY}b`, [FIRST], new Date(4));
    expect(await upload(LARGE, true)).toEqual({ bytes: LARGE.length, reused: PART_BYTES });
    expect([...bucket.uploads.keys()]).toEqual([other]);
  });

  it("ends unfinished attempts if the store has the file", async () => {
    await upload(LARGE);
    bucket.begin(KEY, [FIRST]);
    expect(await upload(LARGE, true)).toBeUndefined();
    expect(bucket.uploads.size).toBe(0);
  });

  it("does not look for earlier attempts of a new file", async () => {
    bucket.begin(KEY, [FIRST], new Date(1), metadataOf(LARGE));
    expect(await upload(LARGE)).toEqual({ bytes: LARGE.length, reused: 0 });
    expect(bucket.uploads.size).toBe(1);
  });

  it("is made although the store does not list attempts", async () => {
    bucket.begin(KEY, [FIRST], new Date(1), metadataOf(LARGE));
    bucket.failures.set("ListMultipartUploads", sdkError("AccessDenied", 403));
    expect(await upload(LARGE, true)).toEqual({ bytes: LARGE.length, reused: 0 });
  });

  it("ignores an attempt that ended meanwhile, but no other failure to end one", async () => {
    bucket.begin(KEY, [], new Date(1));
    bucket.begin(KEY, [], new Date(2), metadataOf(LARGE));
    bucket.failures.set("AbortMultipartUpload", sdkError("NoSuchUpload", 404));
    expect(await upload(LARGE, true)).toMatchObject({ bytes: LARGE.length });
    bucket.begin(KEY, []);
    bucket.begin(KEY, []);
    bucket.failures.set("AbortMultipartUpload", sdkError("SlowDown", 503));
    await expect(upload(Buffer.concat([LARGE, FIRST]), true)).rejects.toThrow("SlowDown");
  });
});
