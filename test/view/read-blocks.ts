import { gunzipSync } from "node:zlib";

/** Returns functions that read the data blocks of an HTML file. */
export function readBlocks(html: string) {
  const readBlock = (id: string): string | undefined =>
    new RegExp(`<script type="application/json" id="${id}">([^<]*)</script>`).exec(html)?.[1];
  const readJson = <T>(id: string): T | undefined => {
    const block = readBlock(id);
    if (block === undefined) return undefined;
    return JSON.parse(gunzipSync(Buffer.from(JSON.parse(block) as string, "base64")).toString()) as T;
  };
  return { readBlock, readJson };
}
