import { GetObjectCommand } from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, it } from "vitest";
import { describeFailure } from "../../../src/storage/archive/errors.js";
import { digestMetadata, ObjectStore } from "../../../src/storage/archive/object-store.js";
import { StoredFiles } from "../../../src/storage/archive/stored-file.js";
import { MemoryBucket, sdkError } from "./memory-bucket.js";

let bucket: MemoryBucket;

beforeEach(() => {
  bucket = MemoryBucket.start();
});

const put = (key: string, body: Uint8Array, metadata?: Readonly<Record<string, string>>) =>
  bucket.objects.set(key, { body: Buffer.from(body), metadata });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("the objects of a store", () => {
  it.each(["s3://bucket/prefix/", "s3://bucket/"])("are listed below %s, page by page", async (address) => {
    const folder = address.slice("s3://bucket/".length);
    for (const name of ["b/1", "b/2", "b/3", "c"]) put(folder + name, Buffer.from(name));
    const store = await ObjectStore.open(address);
    expect(await collect(store.list("b/"))).toEqual(
      ["b/1", "b/2", "b/3"].map((name) => ({ name, bytes: 3, changedAt: 5000 })),
    );
    expect(await collect(store.list("d"))).toEqual([]);
    expect(store.address("c")).toBe(`${address}c`);
    expect(store.address()).toBe(folder === "" ? address : address.slice(0, -1));
    expect(store.target("c")).toEqual({ Bucket: "bucket", Key: `${folder}c` });
  });

  it("have a size, and a digest if Rolltape uploaded them", async () => {
    put("prefix/a", Buffer.from("text"), digestMetadata("123"));
    put("prefix/b", Buffer.from("texts"));
    const store = await ObjectStore.open("s3://bucket/prefix");
    expect(await store.head("a")).toEqual({ bytes: 4, sha256: "123" });
    expect(await store.head("b")).toEqual({ bytes: 5, sha256: undefined });
    expect(await store.head("c")).toBeUndefined();
  });

  it("are read in ranges", async () => {
    put("prefix/a", Buffer.from("0123456789"));
    const store = await ObjectStore.open("s3://bucket/prefix");
    expect(Buffer.from(await store.readRange("a", 2, 3)).toString()).toBe("234");
    expect(Buffer.from(await store.readRange("a", 8, 9)).toString()).toBe("89");
  });

  it("are asked for again up to five times if answers are cut", async () => {
    let left = 4;
    const read = async () => {
      if (left-- > 0) throw new Error("cut");
      return Uint8Array.of(7);
    };
    const store = await ObjectStore.open("s3://bucket");
    Object.assign(store.client, {
      send: async (command: object) => {
        if (!(command instanceof GetObjectCommand)) throw new Error("another command");
        return { Body: { transformToByteArray: read } };
      },
    });
    expect(await store.readRange("a", 0, 1)).toEqual(Uint8Array.of(7));
    left = 5;
    await expect(store.readRange("a", 0, 1)).rejects.toThrow("s3://bucket/a cannot be read: cut.");
  });

  it("are named in the error of a request that failed", async () => {
    const store = await ObjectStore.open("s3://bucket/prefix");
    for (const name of ["HeadObject", "ListObjectsV2"]) bucket.failures.set(name, sdkError("SlowDown", 503));
    const failed = { code: "archive_failed" };
    const head = store.head("a");
    await expect(head).rejects.toMatchObject(failed);
    await expect(head).rejects.toThrow(
      "s3://bucket/prefix/a cannot be read: SlowDown: the store says SlowDown (HTTP 503).",
    );
    await expect(collect(store.list("a"))).rejects.toThrow("s3://bucket/prefix/a cannot be listed");
    await expect(store.readRange("missing", 0, 1)).rejects.toMatchObject(failed);
  });

  it("are not found at an address of another kind", async () => {
    await expect(ObjectStore.open("http://bucket")).rejects.toMatchObject({ code: "invalid_address" });
  });
});

describe("the settings of a store", () => {
  it.each([
    [{ AWS_DEFAULT_REGION: "eu-1" }, false, "eu-1"],
    [{ AWS_REGION: "eu-2", AWS_DEFAULT_REGION: "eu-1" }, false, "eu-2"],
    [{ AWS_ENDPOINT_URL: "http://127.0.0.1:1" }, true, "us-east-1"],
    [{ AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1", AWS_REGION: "eu-2" }, true, "eu-2"],
    [{ AWS_ENDPOINT_URL_S3: "", AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_REGION: "eu-2" }, false, "eu-2"],
  ])("are those of the environment %j", async (env, isCustom, region) => {
    const { config } = (await ObjectStore.open("s3://bucket", { env })).client;
    expect(config.forcePathStyle).toBe(isCustom);
    expect(await config.region()).toBe(region);
    expect(await config.maxAttempts()).toBe(5);
    expect(await config.requestChecksumCalculation()).toBe("WHEN_REQUIRED");
    expect(await config.responseChecksumValidation()).toBe("WHEN_REQUIRED");
  });
});

describe("the reason of a failed request", () => {
  it.each([
    ["text", "text"],
    [new Error("socket hang up"), "socket hang up"],
    [new TypeError("no url"), "TypeError: no url"],
    [sdkError("SlowDown", 503), "SlowDown: the store says SlowDown (HTTP 503)"],
    [
      Object.assign(new Error("UnknownError"), { name: "403", $metadata: { httpStatusCode: 403 } }),
      "Forbidden (HTTP 403)",
    ],
    [Object.assign(new Error(""), { name: "Odd", $metadata: { httpStatusCode: 799 } }), "Odd (HTTP 799)"],
    [Object.assign(new Error(""), { name: "Odd" }), "Odd"],
  ])("of %o is %s", (error, reason) => {
    expect(describeFailure(error)).toBe(reason);
  });
});

describe("an object that is read like a file", () => {
  const BLOCK = 1 << 18;
  const CONTENT = Buffer.from(Array.from({ length: 2 * BLOCK + 100 }, (_, at) => at % 251));

  async function open() {
    put("folder/a", CONTENT);
    const files = await StoredFiles.open("s3://bucket/other");
    const file = await files.open("s3://bucket/folder/a");
    const read = async (length: number, position: number, offset = 0) => {
      const bytes = Buffer.alloc(offset + length);
      const { bytesRead } = await file.read(bytes, offset, length, position);
      return bytes.subarray(offset, offset + bytesRead);
    };
    bucket.sent.length = 0;
    return { files, file, read };
  }

  it("has the size of the object, and neither inode nor time", async () => {
    const { file } = await open();
    expect([file.size, await file.stat()]).toEqual([CONTENT.length, { size: CONTENT.length, ino: 0, mtimeMs: 0 }]);
    await file.close();
  });

  it("shares a request for small reads that are close together", async () => {
    const { read } = await open();
    for (const position of [0, 5, BLOCK - 10]) {
      expect((await read(10, position, 3)).equals(CONTENT.subarray(position, position + 10))).toBe(true);
    }
    expect(bucket.sent).toEqual(["GetObject"]);
    expect((await read(10, BLOCK)).equals(CONTENT.subarray(BLOCK, BLOCK + 10))).toBe(true);
    expect(bucket.sent).toEqual(["GetObject", "GetObject"]);
  });

  it("reads up to the end of a block or of the object, and much at once", async () => {
    const { read } = await open();
    expect((await read(10, BLOCK - 4)).equals(CONTENT.subarray(BLOCK - 4, BLOCK))).toBe(true);
    expect((await read(200, 2 * BLOCK + 90)).length).toBe(10);
    expect((await read(1, CONTENT.length)).length).toBe(0);
    expect((await read(1, CONTENT.length + 5)).length).toBe(0);
    bucket.sent.length = 0;
    expect((await read(BLOCK, 7)).equals(CONTENT.subarray(7, 7 + BLOCK))).toBe(true);
    expect((await read(BLOCK - 1, 0)).equals(CONTENT.subarray(0, BLOCK - 1))).toBe(true);
    expect(bucket.sent).toEqual(["GetObject"]);
  });

  it("asks again for a block that could not be read", async () => {
    const { read } = await open();
    bucket.failures.set("GetObject", sdkError("SlowDown", 503));
    await expect(read(10, 0)).rejects.toThrow("SlowDown");
    bucket.failures.clear();
    expect((await read(10, 0)).equals(CONTENT.subarray(0, 10))).toBe(true);
  });

  it("is found by its address, once", async () => {
    const { files } = await open();
    expect(await files.find("s3://bucket/folder", "a")).toBe("s3://bucket/folder/a");
    expect(bucket.sent).toEqual([]);
    expect(await files.find("s3://bucket/folder", "b")).toBeUndefined();
    await expect(files.open("s3://bucket/folder/b")).rejects.toThrow("s3://bucket/folder/b does not exist.");
    expect(bucket.sent).toEqual(["HeadObject"]);
  });

  it("is looked for again if the store did not answer", async () => {
    const { files } = await open();
    put("folder/c", Buffer.from("c"));
    bucket.failures.set("HeadObject", sdkError("SlowDown", 503));
    expect(await files.find("s3://bucket/folder", "c")).toBeUndefined();
    await expect(files.open("s3://bucket/folder/c")).rejects.toMatchObject({ code: "archive_failed" });
    bucket.failures.clear();
    expect((await files.open("s3://bucket/folder/c")).size).toBe(1);
  });
});
