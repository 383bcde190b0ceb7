import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Source } from "../../src/view/api.js";
import { writeHtml } from "../../src/view/html/write-html.js";
import { readPageFiles } from "../../src/view/http/page-files.js";
import { startViewer } from "../../src/view/http/start.js";
import { TranscriptSource } from "../../src/view/sources/transcript-source.js";
import { digestOf, makePng } from "../helpers/images.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { sendImage, startVisionProxy } from "../helpers/vision-proxy.js";
import { FIND_LOW_CONTRAST, HAS_CHROMIUM, launchBrowser, openPage } from "./browser.js";
import { HARMFUL, QUESTION, RESULT, recordImages } from "./recorded-images.js";

/** For each image of the page: whether it is decoded, its size, its text, and the size of its box. */
const READ_IMAGES = `[...document.images].map((image) => {
  const { width, height } = image.closest(".picture").getBoundingClientRect();
  return [image.naturalWidth, image.naturalHeight, image.alt, Math.round(width), Math.round(height)];
})`;

const SHOWN = [
  [40, 30, "Image, 40 × 30, image/png", 40, 30],
  [90, 10, "Image, 90 × 10, image/png", 90, 10],
];

/** Serves a transcript. `change` replaces methods of its source. */
async function serve(change: (source: TranscriptSource) => Partial<Source> = () => ({})): Promise<string> {
  const { transcript } = await recordImages({ layout: "tree" });
  const source = await TranscriptSource.open(transcript);
  const viewer = await startViewer(Object.assign(source, change(source)), await readPageFiles(), 0);
  onTestFinished(() => viewer.close());
  return viewer.url;
}

const readWidth = (image: unknown): number => (image as { readonly naturalWidth: number }).naturalWidth;

const images = (page: Page) => page.evaluate<unknown[]>(READ_IMAGES);

describe.skipIf(!HAS_CHROMIUM)("images of messages, in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it("are decoded at their places, in messages and in results of tools", async () => {
    const { page, complaints } = await openPage(browser, `${await serve()}#/episodes/0`);
    await expect.poll(() => images(page)).toEqual(SHOWN);
    const bodies = await page.locator(".message-body").all();
    const parts = await Promise.all(
      bodies.map((body) => body.evaluate((element) => [...element.children].map((child) => child.className))),
    );
    expect([parts[0], parts[2]]).toEqual([
      ["folded", "picture", "folded"],
      ["picture", "folded"],
    ]);
    expect(await bodies[0]?.innerText()).toMatch(/Look at this:[^]*It has a needle\./);
    expect(await page.evaluate(FIND_LOW_CONTRAST)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("open in full size at a click, and close with Escape", async () => {
    const { page, complaints } = await openPage(browser, `${await serve()}#/episodes/0`);
    await page.locator(".picture button").first().click();
    const full = page.locator("dialog[open] img");
    await expect.poll(() => full.evaluate(readWidth)).toBe(40);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
    await expect.poll(() => page.locator("dialog").count()).toBe(0);
    expect(new URL(page.url()).hash).toBe("#/episodes/0");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("are one field each among the tokens, which the arrow keys select as one", async () => {
    const { page, complaints } = await openPage(browser, `${await serve()}#/episodes/0`);
    await page.locator(".turn-head .button", { hasText: "Tokens" }).last().click();
    const row = page.locator(".tokens[role=group]");
    await row.focus();
    const [texts, positions] = [
      await row.locator("[data-token]").allInnerTexts(),
      await row
        .locator("[data-token]")
        .evaluateAll((all) => all.map((each) => Number(each.getAttribute("data-token")))),
    ];
    expect(positions).toEqual([0, 1, 4, 5]);
    expect(texts[1]).toBe("image 90 × 10, 3 tokens");
    const active = () => row.locator(".active").getAttribute("data-token");
    for (const [key, at] of [
      ["ArrowRight", "0"],
      ["ArrowRight", "1"],
      ["ArrowRight", "4"],
      ["ArrowLeft", "1"],
      ["End", "5"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(active).toBe(at);
    }
    expect(await page.locator(".token-panel .picture").count()).toBe(0);
    await row.locator(".image-tokens").click();
    await expect.poll(() => page.locator(".token-panel .picture img").evaluate(readWidth)).toBe(90);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("are read when they come near the window", async () => {
    const asked: string[] = [];
    const url = await serve((source) => ({
      episode: async () => {
        const line = await TranscriptSource.prototype.episode.call(source, 0);
        const [turn] = line.interactions;
        const interactions = Array.from({ length: 60 }, (_, at) => ({ ...turn, id: `i-${at}`, parent: at - 1 }));
        return { ...line, interactions: interactions as typeof line.interactions };
      },
      image: (place) => {
        asked.push(place.sha256);
        return TranscriptSource.prototype.image.call(source, { ...place, episode: 0 });
      },
    }));
    const { page } = await openPage(browser, `${url}#/episodes/0`);
    await expect.poll(() => page.locator(".picture").count()).toBe(60);
    await expect.poll(() => page.locator(".picture img").count()).toBeGreaterThan(0);
    expect(await page.locator(".picture img").count()).toBeLessThan(40);
    await page.locator(".turn-card").last().scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator(".picture").last().locator("img").count()).toBe(1);
    // The browser keeps what it has.
    expect(asked).toEqual([digestOf(QUESTION)]);
    await page.close();
  });

  it("are replaced by a sentence if the episode has no batch", async () => {
    const { page, complaints } = await openPage(browser, `${await serve()}#/episodes/1`);
    const notice = page.locator(".message-body .notice");
    await expect.poll(() => notice.innerText()).toMatch(/^Image, 40 × 30: .* is in no batch/);
    expect(await page.evaluate("document.images.length")).toBe(0);
    // The browser itself reports each answer with an error.
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
    await page.close();
  });

  /** Its bit depth is none of PNG's, which only a decoder notices. */
  const broken = Buffer.from(QUESTION).fill(3, 24, 25);

  it.each([
    ["cannot be decoded", broken, /browser cannot decode/],
    ["ends too early", QUESTION.subarray(0, 50), /cannot be shown: the file ends before the image does/],
    ["has no bytes", Buffer.of(), /cannot be shown: not a PNG/],
  ])("are a sentence if the file %s", async (_, file, text) => {
    const { page } = await openPage(browser, `${await serve(() => ({ image: async () => file }))}#/episodes/0`);
    await expect.poll(() => page.locator(".message-body .notice").first().innerText()).toMatch(text);
    expect(await page.evaluate("document.images.length")).toBe(0);
    await page.close();
  });

  it("run no script, whatever their bytes are", async () => {
    const webPage = `<html><head></head><body>${HARMFUL}</body></html>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="window.harmed = 1"><script>window.harmed = 1</script></svg>`;
    for (const file of [webPage, svg]) {
      const url = await serve(() => ({ image: async () => Buffer.from(file) }));
      const { page } = await openPage(browser, `${url}#/episodes/0`);
      await page.locator(".message-body .notice").first().waitFor();
      await page.goto(`${new URL(url).origin}/api/episodes/0/images/${digestOf(Buffer.from(file))}`);
      expect(await page.evaluate("[window.harmed, document.contentType]")).toEqual([undefined, "application/json"]);
      await page.close();
    }
    // A picture that has the markup inside is a picture.
    const url = await serve();
    const { page } = await openPage(browser, `${url}#/episodes/0`);
    await expect.poll(() => images(page)).toEqual(SHOWN);
    expect(await page.evaluate("[window.harmed, document.scripts.length]")).toEqual([undefined, 1]);
    await page.goto(`${new URL(url).origin}/api/episodes/0/images/${digestOf(RESULT)}`);
    expect(await page.evaluate("[window.harmed, document.contentType, document.images[0].naturalWidth]")).toEqual([
      undefined,
      "image/png",
      90,
    ]);
    await page.close();
  });

  it("are shown in an HTML file that is opened from disk", async () => {
    const { transcript } = await recordImages({ layout: "tree" });
    await using source = await TranscriptSource.open(transcript);
    const file = `${transcript}.html`;
    await writeHtml(file, source, await readPageFiles());
    const { page, complaints } = await openPage(browser, `${pathToFileURL(file).href}#/episodes/0`);
    await expect.poll(() => images(page)).toEqual(SHOWN);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("are shown by /ui, to which only the admin key leads", async () => {
    const proxy = await startVisionProxy({ page: await readPageFiles() });
    const session = await proxy.session();
    await sendImage(proxy, session, makePng(100, 60));
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const { page, complaints } = await openPage(browser, `${url}/ui/#/episodes/0`);
    await page.getByRole("textbox", { name: "Key" }).fill(ADMIN_KEY);
    await page.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => images(page)).toEqual([[100, 60, "Image, 100 × 60, image/png", 100, 60]]);
    // The address alone opens nothing, although the browser has the file in its cache.
    const path = `${url}/ui/api/episodes/0/images/${digestOf(makePng(100, 60))}`;
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(401);
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    await page.close();
  });
});
