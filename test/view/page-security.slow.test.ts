import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EpisodeLine } from "../../src/view/api.js";
import { HAS_CHROMIUM, launchBrowser, openPage } from "./browser.js";
import { startFixtureServer } from "./fixture-server.js";
import type { RunShape } from "./fixtures.js";
import { writeEmbeddedPage } from "./write-embedded-page.js";

const SHAPE: RunShape = { seed: 3, episodes: 16, turns: 6 };
const PAGE = new URL("../../dist/view/page/", import.meta.url);

/** What does harm if any of it is taken for markup, and what misleads if it is not shown. */
const HOSTILE = `</script><script>window.harmed = 1</script><img src=x onerror="window.harmed = 1"><a href="javascript:window.harmed = 1">\u202Eclick</a>`;

/** Appends the hostile text to each text of a value. */
function poison<T>(value: T): T {
  if (typeof value === "string") return `${value}${HOSTILE}` as T;
  if (Array.isArray(value)) return value.map(poison) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poison(inner)])) as T;
}

describe("the built page", () => {
  it("can be written into one HTML file", async () => {
    for (const name of ["page.js", "page.css"]) {
      expect(await readFile(new URL(name, PAGE), "utf8")).not.toMatch(/<\/script|<\/style|<!--/i);
    }
  });

  it("has no inline script and no inline style", async () => {
    const html = await readFile(new URL("index.html", PAGE), "utf8");
    expect(html).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/i);
    expect(html.match(/(?:src|href)="(?!data:)[^"]*\u0022/g)).toEqual(['src="./page.js"', 'href="./page.css"']);
  });

  it("carries the licenses of its libraries", async () => {
    const licenses = await readFile(new URL("licenses.md", PAGE), "utf8");
    for (const library of ["preact", "@preact/signals", "uplot"]) expect(licenses).toContain(library);
  });
});

describe.skipIf(!HAS_CHROMIUM)("the page in Chromium, with hostile data", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each(["#/", "#/groups", "#/episodes?q=x", "#/episodes/2?call=5", "#/compare/1/2"])(
    "%s shows text in every field as text",
    async (view) => {
      await using server = await startFixtureServer({
        shape: SHAPE,
        overview: (overview) => ({ ...poison(overview), notices: [HOSTILE] }),
        episode: (line) => poison(line),
        tokens: (slice) => poison(slice),
      });
      const { page, complaints } = await openPage(browser, server.url + view);
      await page.locator(".notice").first().waitFor();
      await expect.poll(() => page.locator(".loading").count()).toBe(0);
      for (const summary of await page.locator("summary").all()) await summary.click();
      const tokens = page.locator(".turn-head .button", { hasText: "Tokens" });
      if ((await tokens.count()) > 0) await tokens.last().click();
      expect(await page.evaluate("[window.harmed, document.scripts.length, document.images.length]")).toEqual([
        undefined,
        1,
        0,
      ]);
      expect(await page.locator('a[href]:not([href^="#/"]):not(.skip-link)').count()).toBe(0);
      expect(await page.getByText("<script>window.harmed").count()).toBeGreaterThan(0);
      expect(await page.locator(".code-point", { hasText: "U+202E" }).count()).toBeGreaterThan(0);
      expect(await page.evaluate("document.body.innerText.includes('\\u202E')")).toBe(false);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it("asks for nothing but an image, whatever digest a message names", async () => {
    const sha256 = "../../../overview?after=1#";
    const content = [{ type: "image", sha256, mediaType: HOSTILE, width: -1, height: 1e300 }] as const;
    const show = (line: EpisodeLine): EpisodeLine => {
      const [turn] = line.interactions;
      return turn ? { ...line, interactions: [{ ...turn, messages: [{ role: "user", content }] }] } : line;
    };
    await using server = await startFixtureServer({ shape: SHAPE, episode: show });
    const { page } = await openPage(browser, `${server.url}#/episodes/2`);
    await page.locator(".message-body .notice").waitFor();
    expect(server.asked.filter((path) => path.includes("after=1"))).toEqual(["/api/changes?after=1"]);
    expect(server.asked).toContain(`/api/episodes/2/images/${encodeURIComponent(sha256)}`);
    expect(await page.evaluate("[window.harmed, document.images.length]")).toEqual([undefined, 0]);
    await page.close();
  });

  it.each([
    ["roots", () => -1],
    ["branches of one call", (at: number) => Math.min(at - 1, 0)],
    ["turns", (at: number) => at - 1],
  ])("an episode of 20,000 %s has few elements in the document, and leads to the others", async (_, parentOf) => {
    const grow = (line: EpisodeLine): EpisodeLine => {
      const [turn] = line.interactions;
      const interactions = Array.from({ length: 20_000 }, (_, at) => ({
        ...turn,
        id: `i-${at}`,
        parent: parentOf(at),
      }));
      return { ...line, interactions: interactions as EpisodeLine["interactions"] };
    };
    await using server = await startFixtureServer({ shape: SHAPE, episode: grow });
    const { page, complaints } = await openPage(browser, `${server.url}#/episodes/2`);
    await page.locator(".turn-card").first().waitFor();
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(10_000);
    expect(await page.getByRole("button", { name: /^[\d,]+ more / }).count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("asks for the admin key, sends it as a header only, and forgets it with the tab", async () => {
    await using server = await startFixtureServer({ shape: SHAPE, key: "secret-key" });
    const { page } = await openPage(browser, server.url);
    for (const key of ["wrong-key", "secret-key"]) {
      const field = page.getByRole("textbox", { name: "Key" });
      await expect.poll(() => field.inputValue()).toBe("");
      await field.fill(key);
      await page.getByRole("button", { name: "Continue" }).click();
    }
    await page.locator(".counts").waitFor();
    expect(server.asked.filter((path) => path.includes("key"))).toEqual([]);
    expect(page.url()).not.toContain("key");
    expect(await page.evaluate("[sessionStorage.length, localStorage.length, document.cookie]")).toEqual([1, 0, ""]);
    await page.reload();
    await page.locator(".counts").waitFor();
    await page.close();
  });

  it("reads a run inside one HTML file, from a disk and under a policy of hashes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "view-"));
    const file = join(folder, "run.html");
    await writeFile(file, await writeEmbeddedPage(SHAPE, PAGE));
    const { page, complaints } = await openPage(browser, `${pathToFileURL(file).href}#/episodes/2?call=5`);
    await page.locator(".turn-card.chosen").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".tokens [data-token]").first().waitFor();
    await page.keyboard.press("g");
    await page.locator(".counts").waitFor();
    expect(complaints).toEqual([]);
    await page.close();
    await rm(folder, { recursive: true });
  });
});
