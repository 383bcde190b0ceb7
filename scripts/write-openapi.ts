import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Proxy } from "../test/helpers/proxy.js";

// Writes the OpenAPI description of a server to a file: `tsx scripts/write-openapi.ts FILE`.

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("FILE is missing: tsx scripts/write-openapi.ts FILE");

async function writeOpenApi(path: string): Promise<void> {
  const proxy = await Proxy.start();
  const { raw } = await proxy.request({ url: "/openapi.json" });
  await proxy.close();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(JSON.parse(raw.toString()), null, 2)}\n`);
}

void writeOpenApi(file);
