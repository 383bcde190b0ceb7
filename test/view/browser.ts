import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

/** Browser tests are skipped without it. */
export const HAS_CHROMIUM = existsSync(CHROMIUM);

export const THEMES = ["light", "dark"] as const;

export interface PageOptions {
  readonly theme?: (typeof THEMES)[number];
  readonly width?: number;
  readonly height?: number;
}

export const launchBrowser = (): Promise<Browser> =>
  // A container has no user namespaces for the sandbox, and the page is ours.
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

/** A page that remembers what the browser complains about: errors, and everything that the policy blocks. */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<WatchedPage> {
  const { theme = "light", width = 1400, height = 900 } = options;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints };
}

/**
 * Lists texts whose contrast with their background is below WCAG's AA: 4.5, or 3 for large text. It runs in the page,
 * so it is text. Texts that are hidden, disabled or drawn on the canvas are left out.
 */
export const FIND_LOW_CONTRAST = `(() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = (rgb) => rgb.slice(0, 3)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest(":disabled, script")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(parse(style.color)), luminance(backgroundOf(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) found.add(element.className + ": " + contrast.toFixed(2) + " " + node.data.slice(0, 30));
  }
  return [...found];
})()`;
