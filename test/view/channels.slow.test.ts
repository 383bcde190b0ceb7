import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIND_LOW_CONTRAST, HAS_CHROMIUM, launchBrowser, openPage, type PageOptions, THEMES } from "./browser.js";
import { type FixtureServer, startFixtureServer } from "./fixture-server.js";
import type { RunShape } from "./fixtures.js";
import { writeEmbeddedPage } from "./write-embedded-page.js";

const SHAPE: RunShape = { seed: 3, episodes: 20, turns: 12 };
const VIEW = "#/episodes/17?call=6";
/** Of the call: tokens of its prompt, and of its answer. */
const [PROMPT, OUTPUT] = [676, 100];
const LAST = PROMPT + OUTPUT - 1;

describe.skipIf(!HAS_CHROMIUM)("the channels of tokens, in Chromium", () => {
  let browser: Browser;
  let server: FixtureServer;

  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startFixtureServer({ shape: SHAPE, channels: true });
  });
  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  /** Opens the tokens of a call, and after the test of them expects no complaint of the browser. */
  async function withTokens(test: (panel: Locator, page: Page) => Promise<void>, options: PageOptions = {}) {
    const { page, complaints } = await openPage(browser, server.url + VIEW, { height: 1400, ...options });
    await page.locator(".turn-card.chosen").waitFor();
    await page.keyboard.press("Enter");
    const panel = page.locator(".token-panel");
    await panel.locator("[data-token]").first().waitFor();
    await test(panel, page);
    await page.close();
    expect(complaints).toEqual([]);
  }

  const tokenOf = (panel: Locator, position: number) => panel.locator(`[data-token="${position}"]`);
  const channelOf = (panel: Locator, name: string) => panel.getByRole("region", { name, exact: true });

  /** Chooses a token by keyboard: as many steps before the last one. */
  async function chooseFromEnd(panel: Locator, steps: number): Promise<void> {
    await panel.locator(".tokens[tabindex]").focus();
    await panel.page().keyboard.press("End");
    for (let step = 0; step < steps; step++) await panel.page().keyboard.press("ArrowLeft");
    await channelOf(panel, `Values of token ${LAST - steps}`).waitFor();
  }

  it("show the experts of each layer that has some, for a token that was chosen by keyboard", async () => {
    await withTokens(async (panel) => {
      await chooseFromEnd(panel, 2);
      const experts = panel.getByRole("table", { name: "Experts by layer" });
      expect(await experts.getByRole("rowheader").allInnerTexts()).toEqual(
        Array.from({ length: 47 }, (_, at) => String(at + 1)),
      );
      const cells = await experts.getByRole("row").nth(1).getByRole("cell").allInnerTexts();
      expect(cells.length).toBe(8);
      expect(cells.every((cell) => Number(cell) < 128)).toBe(true);
      expect(await channelOf(panel, "Routed experts").innerText()).toContain("Not shown: 1 layer without experts.");
    });
  });

  it("say so if the token has no experts, and what a prompt token cannot have", async () => {
    await withTokens(async (panel) => {
      await chooseFromEnd(panel, 0);
      expect(await channelOf(panel, "Routed experts").innerText()).toContain("does not run on the last token");
      await tokenOf(panel, PROMPT - 1).hover();
      await channelOf(panel, `Values of token ${PROMPT - 1}`).waitFor();
      expect(await panel.locator(".token-details").innerText()).toContain(
        "A prompt token was not sampled, so it has no advantages, head_scores, kept tokens, fixed tokens, alternatives.",
      );
      expect(await channelOf(panel, "Alternatives").count()).toBe(0);
      expect(await channelOf(panel, "Teacher big").innerText()).toMatch(/−\d\.\d{4} \(\d/);
    });
  });

  it("show alternatives with their probabilities, fixed tokens and kept tokens, and any other channel as numbers", async () => {
    await withTokens(async (panel) => {
      await chooseFromEnd(panel, 1);
      const rows = channelOf(panel, "Alternatives").locator("tbody tr");
      // The fourth place is empty.
      expect(await rows.count()).toBe(3);
      expect(await rows.first().innerText()).toMatch(/^".*".*%\s+−\d\.\d{4}$/s);
      const fixed = await channelOf(panel, "Fixed tokens").locator("tbody tr").allInnerTexts();
      expect(fixed.map((row) => row.split(/\s*\t\s*/))).toEqual([
        ['" yes"', "0.000373%", "−12.5000"],
        ['" no"', "0.00%", "−∞"],
      ]);
      const kept = channelOf(panel, "Kept tokens");
      const facts = await panel.locator(".token-facts").innerText();
      const [, count] = /kept tokens (\d+)/.exec(facts) ?? [];
      expect(await kept.innerText()).toContain(`${count} token`);
      expect(await kept.locator("li").count()).toBe(Math.min(24, Number(count)));
      const scores = channelOf(panel, "head_scores");
      expect(await scores.innerText()).toContain("head_scores F32 [2, 3]");
      expect(await scores.locator(".numbers li").count()).toBe(2);
    });
  });

  it("colour tokens by the difference of a teacher's score, and mark those without one", async () => {
    await withTokens(async (panel, page) => {
      // After log probability, mask, version, advantages and kept tokens.
      for (let i = 0; i < 5; i++) await page.keyboard.press("l");
      await expect.poll(() => panel.locator(".switch [aria-pressed=true]").innerText()).toBe("Teacher big");
      const tokens = panel.locator(".tokens[tabindex]");
      for (const kind of ["lower-", "higher-", "equal", "no-value"])
        expect(await tokens.locator(`[class*=${kind}]`).count()).toBeGreaterThan(0);
      const unscored = tokens.locator(".no-value").first();
      await unscored.hover();
      await expect.poll(() => panel.locator(".token-facts").innerText()).toMatch(/teacher big none/);
      const at = await unscored.getAttribute("data-token");
      await channelOf(panel, `Values of token ${at}`).waitFor();
      expect(await channelOf(panel, "Teacher big").innerText()).toContain("No score.");
      const higher = tokens.locator("[class*=higher-]").first();
      await higher.hover();
      await expect.poll(() => panel.locator(".token-facts").innerText()).toMatch(/teacher big −?\d.*\(\+\d/s);
    });
  });

  it("stay at a token that was clicked until the pointer is followed again", async () => {
    await withTokens(async (panel) => {
      await tokenOf(panel, PROMPT + 3).click();
      await channelOf(panel, `Values of token ${PROMPT + 3}`).waitFor();
      await tokenOf(panel, PROMPT + 9).hover();
      expect(await panel.locator(".tokens .active").getAttribute("data-token")).toBe(String(PROMPT + 3));
      await panel.getByRole("button", { name: "Follow the pointer" }).click();
      await tokenOf(panel, PROMPT + 9).hover();
      await channelOf(panel, `Values of token ${PROMPT + 9}`).waitFor();
    });
  });

  it("are asked for once per token, and not for tokens that the pointer only crosses", async () => {
    await withTokens(async (panel) => {
      const asked = () => server.asked.filter((path) => /\/tokens\/6\/\d+$/.test(path));
      const before = asked().length;
      for (const steps of [1, 20, 1]) await chooseFromEnd(panel, steps);
      const found = asked().slice(before);
      expect(found.filter((path) => path.endsWith(`/${LAST - 1}`))).toHaveLength(1);
      expect(found.length).toBeLessThan(15);
    });
  });

  it.each(THEMES)("have texts of enough contrast in the %s theme", async (theme) => {
    await withTokens(
      async (panel, page) => {
        await chooseFromEnd(panel, 1);
        for (const name of ["Log probability", "advantages", "Kept tokens", "Teacher big"]) {
          await panel.getByRole("button", { name, exact: true }).click();
          expect(await page.evaluate(FIND_LOW_CONTRAST)).toEqual([]);
        }
      },
      { theme },
    );
  });

  it("need no horizontal scroll at a zoom of four", async () => {
    await withTokens(
      async (panel, page) => {
        await chooseFromEnd(panel, 1);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
      },
      { width: 320, height: 256 },
    );
  });

  it("have their columns in an HTML file, which says what it does not contain", async () => {
    const folder = await mkdtemp(join(tmpdir(), "view-"));
    const file = join(folder, "run.html");
    const shape = { seed: 3, episodes: 1, turns: 1 };
    await writeFile(file, await writeEmbeddedPage(shape, new URL("../../dist/view/page/", import.meta.url), true));
    const { page, complaints } = await openPage(browser, `${pathToFileURL(file).href}#/episodes/0?call=0`);
    await page.locator(".turn-card.chosen").waitFor();
    await page.keyboard.press("Enter");
    const panel = page.locator(".token-panel");
    await panel.locator(".tokens [class*=surprise-]").nth(1).hover();
    await expect.poll(() => panel.locator(".token-facts").innerText()).toMatch(/kept tokens \d.*teacher big −/s);
    expect(await panel.locator(".token-details").innerText()).toBe(
      "This file does not contain head_scores, kept tokens, fixed tokens, alternatives of teacher big, alternatives, routed experts. " +
        "Start rolltape view on the batch to see them.",
    );
    expect(complaints).toEqual([]);
    await page.close();
    await rm(folder, { recursive: true });
  });
});
