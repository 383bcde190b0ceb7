import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIND_LOW_CONTRAST, HAS_CHROMIUM, launchBrowser, openPage, type PageOptions, THEMES } from "./browser.js";
import { type FixtureServer, startFixtureServer } from "./fixture-server.js";
import { fixtureOverview, type RunShape } from "./fixtures.js";

const SHAPE: RunShape = { seed: 3, episodes: 960, turns: 12 };
const VIEWS = ["#/", "#/groups", "#/episodes?status=accepted", "#/episodes/17?call=6", "#/compare/16/17"] as const;

/** Text that the page shows when a view is complete. */
const READY = ".counts, .table .row:not(.head), .turn-card";

/** Scrolls by 900 pixels in each of 12 frames. Counts the rows that are created in the last eight. */
const SCROLL_FAST = `new Promise((resolve) => {
  const table = document.querySelector(".table");
  let [frame, created] = [0, 0];
  const count = (records) => (created += records.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0));
  const observer = new MutationObserver(count);
  const step = () => {
    table.scrollTop += 900;
    frame++;
    if (frame === 4) observer.observe(table.querySelector(".table-body"), { childList: true });
    if (frame < 12) return requestAnimationFrame(step);
    count(observer.takeRecords());
    resolve({ created, isBrief: table.classList.contains("brief") });
  };
  requestAnimationFrame(step);
})`;

/** For each row: the number of cells that are shown, and how far its number is from that of the row before. */
const READ_ROWS = `(() => {
  const rows = [...document.querySelectorAll(".table-body .row")];
  const number = (row) => Number(row.getAttribute("aria-rowindex"));
  const first = rows[0] && number(rows[0]) - 1;
  return rows.map((row, at) => [
    [...row.children].filter((cell) => cell.checkVisibility()).length,
    number(row) - (at === 0 ? first : number(rows[at - 1])),
  ]);
})()`;

describe.skipIf(!HAS_CHROMIUM)("the page in Chromium", () => {
  let browser: Browser;
  let server: FixtureServer;

  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startFixtureServer({ shape: SHAPE });
  });
  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  /** Opens a view, and after the test of it expects no complaint of the browser. */
  async function withView(view: string, test: (page: Page) => Promise<void>, options: PageOptions = {}): Promise<void> {
    const { page, complaints } = await openPage(browser, server.url + view, options);
    await page.locator(READY).first().waitFor();
    await test(page);
    await page.close();
    expect(complaints).toEqual([]);
  }

  const resultOf = (page: Page) => page.locator(".result").innerText();
  const selectedTask = (page: Page) => page.locator(".row[aria-selected=true] [role=gridcell]").first().innerText();

  describe.each(THEMES)("in the %s theme", (theme) => {
    it.each(VIEWS)("%s keeps the policy and has texts of enough contrast", async (view) => {
      await withView(
        view,
        async (page) => {
          await page
            .locator(".turn-head .button")
            .first()
            .click({ timeout: 500 })
            .catch(() => undefined);
          await expect.poll(() => page.locator(".loading").count()).toBe(0);
          expect(await page.evaluate(FIND_LOW_CONTRAST)).toEqual([]);
        },
        { theme },
      );
    });
  });

  it("is checked by a test that notices a pale text", async () => {
    await withView("#/", async (page) => {
      await page.evaluate("document.documentElement.style.setProperty('--quiet', '#999999')");
      expect(await page.evaluate(FIND_LOW_CONTRAST)).toContainEqual(expect.stringContaining("count-label"));
    });
  });

  it.each(VIEWS)("%s needs no horizontal scroll at a zoom of four", async (view) => {
    await withView(
      view,
      async (page) => {
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
      },
      { width: 320, height: 256 },
    );
  });

  describe("the overview", () => {
    it("opens the episodes behind a bar, as many as the bar says, and Back returns", async () => {
      await withView("#/", async (page) => {
        const bar = page.locator(".chart", { hasText: "Turns" }).locator(".histogram a").nth(2);
        const [, count] = /: ([\d,]+) episodes/.exec((await bar.getAttribute("aria-label")) ?? "") ?? [];
        await bar.click();
        await expect.poll(() => resultOf(page)).toBe(`${count} episodes of 960`);
        await page.goBack();
        await page.locator(".counts").waitFor();
      });
    });

    it("opens the episodes of a step from the chart by keyboard", async () => {
      await withView("#/", async (page) => {
        await page.locator(".plot").first().focus();
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
        await page.locator(".chip", { hasText: "Step 1" }).waitFor();
        expect(new URL(page.url()).hash).toBe("#/episodes?step=1");
      });
    });

    it("charts the metrics of the job and of its trainer, and opens the episodes of a step", async () => {
      await withView("#/", async (page) => {
        const loss = page.locator("[aria-label='Metrics by step'] .chart", { hasText: "loss by step" });
        await loss.locator("canvas").waitFor();
        await loss.locator("summary").click();
        const rows = loss.locator("tbody tr");
        await expect.poll(() => rows.count()).toBe(15);
        expect(await rows.nth(1).innerText()).toMatch(/^1\s+1$/);
        const score = page.locator(".chart", { hasText: "eval/score by step" });
        await score.locator(".plot").focus();
        await page.keyboard.press("ArrowRight");
        expect(await score.locator(".legend").innerText()).toMatch(/Step 0\s+trainer –/);
        await page.keyboard.press("Enter");
        await page.locator(".chip", { hasText: "Step 0" }).waitFor();
      });
    });

    it("has the numbers of a chart in a table", async () => {
      await withView("#/", async (page) => {
        await page.locator(".data-table summary").first().click();
        await expect.poll(() => page.locator(".data-table tbody tr").count()).toBe(15);
      });
    });
  });

  it("charts a job of one step over time, and lists its metrics", async () => {
    await using small = await startFixtureServer({
      shape: { seed: 5, episodes: 64, turns: 4 },
      overview: (made) => ({ ...made, metrics: made.metrics.slice(0, 1) }),
    });
    const { page, complaints } = await openPage(browser, `${small.url}#/`);
    const reward = page.locator(".chart", { hasText: "Reward by start time" });
    await reward.locator("summary").click();
    const rows = reward.locator("tbody tr");
    await expect.poll(() => rows.count()).toBeGreaterThan(6);
    expect(await rows.first().locator("th").innerText()).toBe("+0 s");
    expect(await page.locator("[aria-label=Metrics] li", { hasText: "loss" }).innerText()).toMatch(/loss\s+2$/);
    await rows.first().locator("a").click();
    await page.locator(".chip", { hasText: "Started" }).waitFor();
    expect(await page.locator(".result").innerText()).toMatch(/^\d+ episodes? of 64$/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  describe("the list", () => {
    it("moves, opens and returns by keyboard, and finds its place again", async () => {
      await withView("#/episodes?sort=-reward", async (page) => {
        for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
        const chosen = await selectedTask(page);
        await page.keyboard.press("Enter");
        await page.locator(".turn-card").first().waitFor();
        expect(new URL(page.url()).hash).toBe(`#/episodes/${chosen}?sort=-reward`);
        await page.keyboard.press("Escape");
        await page.locator(".table").waitFor();
        expect(await selectedTask(page)).toBe(chosen);
      });
    });

    it("opens an episode by a click anywhere in its row, and by its link", async () => {
      for (const place of ["[role=gridcell] >> nth=4", "a"]) {
        await withView("#/episodes?sort=-reward", async (page) => {
          const row = page.locator("#episodes-4");
          const episode = await row.locator("a").innerText();
          await row.locator(place).click();
          await expect.poll(() => new URL(page.url()).hash).toBe(`#/episodes/${episode}?sort=-reward`);
          await page.locator(".episode-head").waitFor();
        });
      }
    });

    it("searches messages, and types into one entry of the history", async () => {
      await withView("#/episodes", async (page) => {
        await page.keyboard.press("/");
        await page.keyboard.type("issue 1042");
        await expect.poll(() => resultOf(page)).toContain("1 episode of 960");
        await page.goBack();
        await expect.poll(() => resultOf(page)).toBe("960 episodes of 960");
      });
    });

    it("sorts by a column, and tells the order", async () => {
      await withView("#/episodes", async (page) => {
        await page.getByRole("button", { name: "Output" }).click();
        await page.getByRole("button", { name: "Output" }).click();
        expect(await page.getByRole("columnheader", { name: "Output" }).getAttribute("aria-sort")).toBe("descending");
        expect(new URL(page.url()).hash).toBe("#/episodes?sort=-completion");
      });
    });

    it("sets and removes filters", async () => {
      await withView("#/episodes", async (page) => {
        await page.getByText("Filters", { exact: true }).click();
        await page.getByLabel("Turns, lowest").fill("12");
        await page.getByLabel("Turns, lowest").press("Tab");
        await page.locator(".chip", { hasText: "Turns 12.." }).waitFor();
        await page.getByLabel("Status").fill("rejected");
        await page.getByLabel("Status").press("Tab");
        await expect.poll(() => new URL(page.url()).hash).toBe("#/episodes?status=rejected&turns=12..");
        await page.locator(".chip", { hasText: "Turns" }).click();
        await expect.poll(() => resultOf(page)).toBe("35 episodes of 960");
      });
    });

    it("has few rows in the document, and the last one at the end", async () => {
      await withView("#/episodes", async (page) => {
        await page.locator(".table").press("End");
        await expect.poll(() => selectedTask(page)).toBe("959");
        expect(await page.locator(".table .row").count()).toBeLessThan(80);
        expect(await page.locator(".table").getAttribute("aria-rowcount")).toBe("961");
      });
    });

    it("reuses its rows while it is scrolled fast, and is complete and in order at rest", async () => {
      await withView("#/episodes", async (page) => {
        const { created, isBrief } = await page.evaluate<{ created: number; isBrief: boolean }>(SCROLL_FAST);
        expect(created).toBe(0);
        expect(isBrief).toBe(true);
        await expect.poll(() => page.locator(".table.brief").count()).toBe(0);
        await expect
          .poll(() => page.evaluate(READ_ROWS))
          .toEqual(Array.from({ length: await page.locator(".table-body .row").count() }, () => [18, 1]));
        const first = page.locator(".table-body .row").first();
        const at = Number(await first.getAttribute("aria-rowindex")) - 2;
        expect(await first.locator("[role=gridcell]").first().innerText()).toBe(String(at));
      });
    });
  });

  describe("an episode", () => {
    it("shows its conversations, its branches and what is left out", async () => {
      await withView("#/episodes/17", async (page) => {
        const titles = await page.locator(".outline h3").allInnerTexts();
        expect(titles).toEqual(["Conversation 13", "Sub-agent explorer-1 2", "Side call title 1"]);
        const dropped = page.locator(".call", { hasText: "dropped" });
        await dropped.click();
        await page.locator(".turn-card.chosen", { hasText: "Left out of exports: the client disconnected" }).waitFor();
        expect(await page.locator(".turn-card").count()).toBe(4);
      });
    });

    it("shows tokens with all about the token under the pointer, and where a prompt broke", async () => {
      await withView("#/episodes/17?call=6", async (page) => {
        await page.keyboard.press("Enter");
        const panel = page.locator(".token-panel");
        await panel.locator(".difference", { hasText: "token 412" }).waitFor();
        expect(await panel.locator(".differs.first").allInnerTexts()).toEqual(["/parser", "/"]);
        await panel.locator("[class*=surprise-]:not(.token-legend *)").first().hover();
        await expect
          .poll(() => panel.locator(".token-facts").innerText())
          .toMatch(/id \d+.*log probability −?\d.*version 3.*temperature 1/s);
        await page.keyboard.press("l");
        await panel.locator(".tokens .mask-1").first().waitFor();
        await page.keyboard.press("l");
        await panel.locator(".tokens .version-3").first().waitFor();
        await page.keyboard.press("Escape");
        await expect.poll(() => page.locator(".token-panel").count()).toBe(0);
      });
    });

    it("goes to the next turn and the next episode by keyboard", async () => {
      await withView("#/episodes/17?status=accepted", async (page) => {
        for (const key of ["j", "j"]) await page.keyboard.press(key);
        await page.locator(".turn-card.chosen", { hasText: "Turn 2" }).waitFor();
        await page.keyboard.press("n");
        await expect.poll(() => new URL(page.url()).hash).toBe("#/episodes/18?status=accepted");
      });
    });

    it("is shown beside another one of its group", async () => {
      await withView("#/episodes/17", async (page) => {
        await page.getByRole("link", { name: "Show episode 20 beside episode 17" }).click();
        await page.getByRole("region", { name: "Episode 20" }).locator(".turn-card").first().waitFor();
        await page.getByRole("region", { name: "Episode 17" }).locator(".turn-card").first().waitFor();
        expect(new URL(page.url()).hash).toBe("#/compare/17/20");
      });
    });
  });

  it("shows its keys, and Escape closes the help only", async () => {
    await withView("#/episodes", async (page) => {
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
      expect(new URL(page.url()).hash).toBe("#/episodes");
    });
  });

  it("begins its tab order with a link to the content, and shows the focus", async () => {
    await withView("#/episodes", async (page) => {
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Overview");
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    });
  });

  it("keeps a theme that was chosen", async () => {
    await withView("#/", async (page) => {
      await page.keyboard.press("t");
      await page.reload();
      await page.locator(".counts").waitFor();
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    });
  });

  it("shows episodes that come later", async () => {
    await using growing = await startFixtureServer({ shape: { ...SHAPE, episodes: 5 } });
    const { page } = await openPage(browser, growing.url);
    await page.getByText("5 episodes").waitFor();
    await expect.poll(() => growing.asked.some((path) => path.startsWith("/api/changes?after=1"))).toBe(true);
    growing.change({ ...fixtureOverview({ ...SHAPE, episodes: 9 }), revision: 2 });
    await page.getByText("9 episodes").waitFor();
    await expect.poll(() => growing.asked.at(-1)).toBe("/api/changes?after=2");
    await page.close();
  });

  it("shows the episodes of all pages, without those that are removed meanwhile", async () => {
    await using paged = await startFixtureServer({
      shape: { ...SHAPE, episodes: 4 },
      overview: (first) => ({ ...first, more: true }),
      pages: [
        // Repeats the first four.
        { ...fixtureOverview({ ...SHAPE, episodes: 9 }), revision: 2, reset: false, more: true },
        { ...fixtureOverview({ ...SHAPE, episodes: 0 }), revision: 3, reset: false, removed: [2] },
      ],
    });
    const { page } = await openPage(browser, paged.url);
    await page.getByText("8 episodes").waitFor();
    const api = paged.asked.filter((path) => path.startsWith("/api/"));
    expect(api.slice(0, 4)).toEqual([
      "/api/overview",
      "/api/overview?after=1",
      "/api/overview?after=2",
      "/api/changes?after=3",
    ]);
    await page.goto(`${paged.url}#/episodes`);
    await page.getByText("8 episodes of 8").waitFor();
    const indices = await page.locator(".table-body .row [role=gridcell]:first-child").allInnerTexts();
    expect(indices).toEqual(["0", "1", "3", "4", "5", "6", "7", "8"]);
    await page.close();
  });
});
