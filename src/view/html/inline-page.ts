import { createHash } from "node:crypto";
import type { PageFiles } from "../http/page-files.js";

/** The page as one document, split where the data blocks are inserted. */
export interface InlinePage {
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the page with its script and its style inside, and with a content security policy that allows only these two.
 *
 * @throws Error if the page is not built as expected
 */
export function inlinePage(page: PageFiles): InlinePage {
  const html = readText(page, "index.html");
  const script = readText(page, onlyName(page, ".js"));
  const style = readText(page, onlyName(page, ".css"));
  for (const text of [script, style]) {
    if (/<\/script|<\/style|<!--/i.test(text)) throw new Error("The built page cannot be put into one file.");
  }
  const policy = [
    "default-src 'none'",
    `script-src ${hashSource(script)}`,
    `style-src ${hashSource(style)}`,
    "img-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const parts = html
    .replace(/<script\b[^>]*><\/script>/g, "")
    .replace(/<link\b[^>]*rel="stylesheet"[^>]*>/g, "")
    .split(/(?<=<head>)|(?=<\/head>)|(?=<\/body>)/);
  const [start, head, body, end] = parts;
  if (parts.length !== 4) throw new Error("The built page has no head and body.");
  return {
    before: `${start}${meta}${head}<style>${style}</style>${body}`,
    after: `<script type="module">${script}</script>${end}`,
  };
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function onlyName(page: PageFiles, ending: string): string {
  const names = [...page.keys()].filter((name) => name.endsWith(ending));
  if (names.length !== 1) throw new Error(`The built page has ${names.length} files *${ending}; expected one.`);
  return names[0] ?? "";
}

function readText(page: PageFiles, name: string): string {
  const file = page.get(name);
  if (!file) throw new Error(`The built page has no ${name}.`);
  return file.content.toString("utf8");
}
