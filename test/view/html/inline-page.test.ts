import { describe, expect, it } from "vitest";
import { inlinePage } from "../../../src/view/html/inline-page.js";

const HTML = "<html><head><title>R</title></head><body><p></p></body></html>";

/** The files of a page by name. */
const pageOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([name, text]) => [name, { type: "text/plain", content: Buffer.from(text) }]));

describe("the page inside an HTML file", () => {
  it("has its script behind the data, and its style before it", () => {
    const { before, after } = inlinePage(pageOf({ "index.html": HTML, "a.js": "1", "a.css": "p{}" }));
    expect(before.replace(/<meta [^>]*>/, "<meta>")).toBe(
      "<html><head><meta><title>R</title><style>p{}</style></head><body><p></p>",
    );
    expect(after).toBe('<script type="module">1</script></body></html>');
  });

  it.each([
    ["has no index.html", { "a.js": "", "a.css": "" }],
    ["has 0 files *.js", { "index.html": HTML, "a.css": "" }],
    ["has 2 files *.js", { "index.html": HTML, "a.js": "", "b.js": "", "a.css": "" }],
    ["has no head and body", { "index.html": "<html><body></body></html>", "a.js": "", "a.css": "" }],
    ["cannot be put into one file", { "index.html": HTML, "a.js": "'</SCRIPT'", "a.css": "" }],
    ["cannot be put into one file", { "index.html": HTML, "a.js": "", "a.css": "</style" }],
    ["cannot be put into one file", { "index.html": HTML, "a.js": "x <!-- y", "a.css": "" }],
  ])("is refused if the built page %s: %j", (reason, files) => {
    expect(() => inlinePage(pageOf(files as Record<string, string>))).toThrow(reason);
  });
});
