/** Writes the pictures of the viewer in docs/images, of a synthetic run: npm run docs:images. Look at each one before you commit it. */
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import type { TokenSlice } from "../src/view/api.js";
import { launchBrowser } from "../test/view/browser.js";
import { startFixtureServer } from "../test/view/fixture-server.js";

const FOLDER = fileURLToPath(new URL("../docs/images/", import.meta.url));

interface Picture {
  readonly name: string;
  readonly view: string;
  readonly width: number;
  readonly height: number;
  /** Selector of an element that is shown once the view is complete. */
  readonly ready: string;
  readonly prepare?: (page: Page) => Promise<void>;
  /** Tokens have channels. */
  readonly channels?: boolean;
}

async function openTokens(page: Page): Promise<void> {
  const card = page.locator(".turn-card.chosen");
  await card.locator(".turn-head .button", { hasText: "Tokens" }).click();
  await card.locator(".tokens [data-token]").first().waitFor();
  await card
    .locator(".tokens")
    .first()
    .evaluate((element) => element.scrollIntoView({ block: "start" }));
}

async function openChannels(page: Page): Promise<void> {
  await openTokens(page);
  const card = page.locator(".turn-card.chosen");
  await card.getByRole("button", { name: "Teacher big" }).click();
  await card.locator(".tokens [class*=higher-]").nth(2).click();
  await card.locator(".experts").waitFor();
  await card.locator(".token-bar").evaluate((element) => element.scrollIntoView({ block: "start" }));
}

/** Without the channels that only a trainer records. */
const ofEngines = (slice: TokenSlice): TokenSlice => ({
  ...slice,
  channels: slice.channels.filter(({ values }) => values !== "numbers"),
});

const ROWS = ".table-body .row";
const PICTURES: readonly Picture[] = [
  { name: "overview", view: "#/", width: 1200, height: 900, ready: ".plot canvas" },
  { name: "episodes", view: "#/episodes?sort=-reward", width: 1200, height: 560, ready: ROWS },
  { name: "groups", view: "#/groups", width: 1200, height: 520, ready: ROWS },
  { name: "episode", view: "#/episodes/17?call=6", width: 1100, height: 540, ready: ".turn-card.chosen" },
  { name: "compare", view: "#/compare/16/17", width: 1100, height: 520, ready: ".turn-card" },
  {
    name: "tokens",
    view: "#/episodes/17?call=6",
    width: 1000,
    height: 500,
    ready: ".turn-card.chosen",
    prepare: openTokens,
  },
  {
    name: "channels",
    view: "#/episodes/17?call=6",
    width: 1200,
    height: 1400,
    ready: ".turn-card.chosen",
    prepare: openChannels,
    channels: true,
  },
];

const SHAPE = { seed: 3, episodes: 960, turns: 12 };
await using plain = await startFixtureServer({ shape: SHAPE });
await using withChannels = await startFixtureServer({ shape: SHAPE, channels: true, tokens: ofEngines });
const browser = await launchBrowser();
for (const { name, view, width, height, ready, prepare, channels = false } of PICTURES) {
  const server = channels ? withChannels : plain;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(server.url + view);
  await page.locator(ready).first().waitFor();
  await prepare?.(page);
  await page.screenshot({ path: `${FOLDER}view-${name}.png` });
  await page.close();
}
await browser.close();
