import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { type EmbeddedTokens, episodeBlock, OVERVIEW_BLOCK, tokensBlock } from "../../src/view/embedded-format.js";
import { addChannels } from "./fixture-channels.js";
import { fixtureEpisode, fixtureOverview, fixtureTokens, type RunShape } from "./fixtures.js";

/** Writes the page with a synthetic run inside, in the form of `src/view/embedded-format.ts`. */
export async function writeEmbeddedPage(shape: RunShape, page: URL, hasChannels = false): Promise<string> {
  const [html, script, style] = await Promise.all(
    ["index.html", "page.js", "page.css"].map((name) => readFile(new URL(name, page), "utf8")),
  );
  const indices = Array.from({ length: shape.episodes }, (_, index) => index);
  const blocks = [
    writeBlock(OVERVIEW_BLOCK, [fixtureOverview(shape)]),
    ...indices.map((index) => writeBlock(episodeBlock(index), fixtureEpisode(shape, index))),
    ...indices.map((index) => writeBlock(tokensBlock(index), embedTokens(shape, index, hasChannels))),
  ];
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src blob: data:`;
  // A function, because `$` in the replacement of a text has a meaning.
  return (html ?? "")
    .replace(/<script[^>]*><\/script>/, () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace("</body>", () => `${blocks.join("\n")}\n<script type="module">${script}</script></body>`);
}

const hashOf = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function writeBlock(id: string, value: unknown): string {
  const text = JSON.stringify(gzipSync(JSON.stringify(value)).toString("base64"));
  return `<script type="application/json" id="${id}">${text}</script>`;
}

function embedTokens(shape: RunShape, index: number, hasChannels: boolean): EmbeddedTokens {
  const slices = fixtureEpisode(shape, index).interactions.map((interaction) => {
    const slice = fixtureTokens(interaction, { from: 0, count: 1e6 });
    return hasChannels ? addChannels(slice, 0) : slice;
  });
  const texts = new Map(slices.flatMap(({ ids, texts: own }) => ids.map((id, at) => [id, own?.[at] ?? ""] as const)));
  const position = new Map([...texts.keys()].map((id, at) => [id, at]));
  return {
    ids: [...texts.keys()],
    texts: [...texts.values()],
    interactions: slices.map(
      ({ ids, output_start, logprobs, loss_mask, versions, temperature, channels, images, difference }) => ({
        tokens: ids.map((id) => position.get(id) ?? -1),
        output_start,
        logprobs: logprobs.slice(output_start),
        loss_mask: loss_mask.flatMap((value) => [value, 1]),
        versions: versions.slice(output_start).flatMap((value) => [value, 1]),
        temperature,
        channels,
        images,
        ...(difference && { difference }),
      }),
    ),
  };
}
