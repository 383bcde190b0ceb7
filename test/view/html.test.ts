import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ApiError } from "../../src/http/errors.js";
import {
  type EmbeddedOverview,
  type EmbeddedTokens,
  episodeBlock,
  OVERVIEW_BLOCK,
  tokensBlock,
} from "../../src/view/embedded-format.js";
import { writeHtml } from "../../src/view/html/write-html.js";
import type { PageFiles } from "../../src/view/http/page-files.js";
import { createEmbeddedSource } from "../../src/view/page/source/embedded-source.js";
import { TranscriptSource } from "../../src/view/sources/transcript-source.js";
import { readBlocks } from "./read-blocks.js";
import { recordedChannels } from "./recorded-channels.js";
import { recordRun } from "./recorded-run.js";

const SCRIPT = "const price = '$&$1'; // a script with what `replace` would expand";
const STYLE = "body { color: red }";
const file = (content: string) => ({ type: "text/plain", content: Buffer.from(content) });

/** A page in the form that the build gives it. */
const PAGE: PageFiles = new Map([
  [
    "index.html",
    file(
      '<!doctype html><html><head><title>R</title><script type="module" crossorigin src="./page.js"></script>\n' +
        '<link rel="stylesheet" crossorigin href="./page.css"></head><body><div id="app"></div></body></html>',
    ),
  ],
  ["page.js", file(SCRIPT)],
  ["page.css", file(STYLE)],
]);

async function write(maxBytes?: number) {
  const run = await recordRun({ layout: "tree", channels: recordedChannels });
  await using source = await TranscriptSource.open(run.transcript);
  const path = join(run.folder, "out.html");
  const written = await writeHtml(path, source, PAGE, maxBytes);
  const html = readFileSync(path, "utf8");
  return { run, path, written, html, ...readBlocks(html) };
}

describe("an HTML file", () => {
  it("has all episodes and tokens, as the page reads them", async () => {
    const { run, written, readBlock, html, path } = await write();
    expect(written).toMatchObject({ episodes: 2, readable: 2, withTokens: 2, bytes: Buffer.byteLength(html) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const embedded = createEmbeddedSource(readBlock);
    await using source = await TranscriptSource.open(run.transcript);
    expect(await embedded?.overview()).toEqual(await source.overview());
    for (const episode of [0, 1]) {
      expect(await embedded?.episode(episode)).toEqual(await source.episode(episode));
      for (const interaction of [0, 1, 2, 3, 4]) {
        for (const [from, count] of [
          [0, 100],
          [2, 2],
        ] as const) {
          const range = { episode, interaction, from, count };
          expect(await embedded?.tokens(range)).toEqual(await source.tokens(range));
        }
      }
    }
  });

  it("replaces what an earlier attempt left behind, and leaves nothing behind if it fails", async () => {
    const { run, path } = await write();
    await using source = await TranscriptSource.open(run.transcript);
    writeFileSync(`${path}.partial-${process.pid}`, "an earlier attempt");
    await writeHtml(path, source, PAGE);
    expect(readFileSync(path, "utf8")).toMatch(/^<!doctype html>/);
    const before = readdirSync(run.folder);
    mkdirSync(`${path}.folder`);
    await expect(writeHtml(`${path}.folder`, source, PAGE)).rejects.toThrow("EISDIR");
    expect(new Set(readdirSync(run.folder))).toEqual(new Set([...before, "out.html.folder"]));
  });

  /** A run whose first episode cannot be read. */
  async function openDamaged(error: Error) {
    const run = await recordRun({ layout: "tree" });
    const source = await TranscriptSource.open(run.transcript);
    onTestFinished(() => source[Symbol.asyncDispose]());
    const second = await source.episode(1);
    vi.spyOn(source, "episode").mockImplementation(async (index) => {
      if (index === 0) throw error;
      return second;
    });
    return { path: join(run.folder, "out.html"), source };
  }

  it("lists an episode whose line is damaged, without its messages and tokens", async () => {
    const { path, source } = await openDamaged(new ApiError("transcript_invalid", "damaged"));
    expect(await writeHtml(path, source, PAGE)).toMatchObject({ episodes: 2, readable: 1, withTokens: 1 });
    const embedded = createEmbeddedSource(readBlocks(readFileSync(path, "utf8")).readBlock);
    expect((await embedded?.overview())?.episodes.index).toEqual([0, 1]);
    await expect(embedded?.episode(0)).rejects.toThrow("left out of the HTML file");
  });

  it("is not written if the disk cannot be read", async () => {
    const { path, source } = await openDamaged(new Error("no disk"));
    await expect(writeHtml(path, source, PAGE)).rejects.toThrow("no disk");
    expect(existsSync(path)).toBe(false);
  });

  it("has no tokens of an episode whose tensor file cannot be read", async () => {
    const run = await recordRun({ layout: "tree" });
    await using source = await TranscriptSource.open(run.transcript);
    vi.spyOn(source, "tokens").mockRejectedValue(new ApiError("not_found", "gone"));
    const written = await writeHtml(join(run.folder, "out.html"), source, PAGE);
    expect(written).toMatchObject({ episodes: 2, readable: 2, withTokens: 0 });
  });

  it("has the columns of channels, but not the items with several values", async () => {
    const { readBlock, readJson } = await write();
    const embedded = createEmbeddedSource(readBlock);
    const { channels } = (await embedded?.tokens({ episode: 0, interaction: 0, from: 4, count: 1 })) ?? {};
    const columns = channels?.flatMap(({ name, column }) => (column ? [[name, column]] : []));
    expect(columns).toEqual([
      ["kept_ids", [1]],
      ["teacher_big_logprobs", [-13.125]],
    ]);
    expect(channels?.length).toBe(7);
    expect(embedded?.items).toBeUndefined();
    expect(JSON.stringify(readJson<EmbeddedTokens>(tokensBlock(0)))).not.toContain("0,0,5,6,7,0");
  });

  it("allows its own script and style only", async () => {
    const { html } = await write();
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(html).toContain(`<script type="module">${SCRIPT}</script>`);
    expect(html).toContain(`<style>${STYLE}</style>`);
    const [, policy] = /<head><meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html) ?? [];
    expect(policy).toBe(
      `default-src 'none'; script-src ${hash(SCRIPT)}; style-src ${hash(STYLE)}; img-src blob: data:; base-uri 'none'; form-action 'none'`,
    );
    expect(html).not.toMatch(/(?:src|href)=/);
    // The data comes before the script, which reads it.
    expect(html.indexOf(OVERVIEW_BLOCK)).toBeLessThan(html.indexOf(SCRIPT));
  });

  it("leaves out the tokens of the longest episodes, then their messages, and says so", async () => {
    const whole = await write();
    const room = 2000;
    const bare = await write(whole.written.bytes + room - 10);
    expect(bare.written).toMatchObject({ readable: 2, withTokens: 1 });
    expect(bare.readJson<EmbeddedOverview>(OVERVIEW_BLOCK)?.[0]?.notices).toContain(
      "The tokens of the longest 1 of 2 episodes did not fit into this file.",
    );
    expect(bare.readJson<EmbeddedTokens>(tokensBlock(1))).toBeUndefined();
    const end = whole.html.length - whole.html.indexOf('<script type="module">');
    const start = whole.html.indexOf(`<script type="application/json" id="${episodeBlock(1)}"`);
    const small = await write(start + end + room);
    expect(small.written).toMatchObject({ episodes: 2, readable: 1, withTokens: 0 });
    expect(small.readJson<EmbeddedOverview>(OVERVIEW_BLOCK)?.[0]?.notices).toContain(
      "The tokens of the longest 1 of 1 episodes did not fit into this file.",
    );
    expect(small.readJson<EmbeddedOverview>(OVERVIEW_BLOCK)?.[0]?.notices).toContain(
      "The longest 1 of 2 episodes did not fit into this file: they are only listed.",
    );
    expect(small.written.bytes).toBeLessThanOrEqual(whole.written.bytes);
    await expect(write(1000)).rejects.toMatchObject({ code: "invalid_arguments" });
  });
});
