import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";

/**
 * Creates a bucket once its store answers, or downloads all batches of a bucket into a folder. The store's address is in the environment.
 *
 *   tsx bucket.ts create BUCKET | download BUCKET FOLDER
 */

const [command, Bucket = "", folder = ""] = process.argv.slice(2);
const client = new S3Client({ forcePathStyle: true });
if (command === "create") await create();
else await download();

async function create(): Promise<void> {
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket }));
      return;
    } catch (error) {
      if (["BucketAlreadyExists", "BucketAlreadyOwnedByYou"].includes((error as Error).name)) return;
      await sleep(500);
    }
  }
}

async function download(): Promise<void> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key = "" } of Contents) {
      if (!Key.endsWith(".safetensors")) continue;
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      writeFileSync(join(folder, basename(Key)), (await Body?.transformToByteArray()) ?? "");
    }
  }
}
