import { describe, expect, it } from "vitest";
import { headingAnchors, relativeLinks } from "./markdown.js";
import { filesIn, isInRepository, PAGES, readRepositoryFile } from "./repository.js";

const ALL = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...PAGES,
  ...filesIn([".github", "src", "native", "bench"], /\.md$/),
];
const SOURCES = [
  ".oxlintrc.json",
  ...filesIn(["src", "test", "bench", "examples", "scripts", "native"], /\.(ts|mjs|py|sh|h|cc|cpp)$/),
];

const { files: PACKED } = JSON.parse(readRepositoryFile("package.json")) as { readonly files: readonly string[] };

/** Returns true if the npm package has the file. npm adds README.md by itself. */
function isInPackage(path: string): boolean {
  const isPartOf = (entry: string) => path === entry || path.startsWith(`${entry}/`);
  const isLeftOut = PACKED.some((entry) => entry.startsWith("!") && isPartOf(entry.slice(1)));
  return !isLeftOut && ["README.md", ...PACKED].some(isPartOf);
}

/** Returns one line for each broken link of a page. */
function brokenLinks(path: string): string[] {
  return relativeLinks(path, readRepositoryFile(path)).flatMap(({ target, file, anchor }) => {
    if (!isInRepository(file)) return [`${target}: no such file`];
    if (anchor === undefined) return [];
    return headingAnchors(readRepositoryFile(file)).has(anchor) ? [] : [`${target}: no such heading`];
  });
}

describe("headingAnchors", () => {
  it("returns GitHub's anchors: lower case, hyphens, numbers after repeated ones", () => {
    const page = "# `POST /x`: a [link](y.md)\n## Step 1\n```sh\n# a comment\n```\n## Step 1\n";
    expect([...headingAnchors(page)]).toEqual(["post-x-a-link", "step-1", "step-1-1"]);
  });
});

describe("relativeLinks", () => {
  it("resolves links from the page's folder, and ignores URLs and code", () => {
    const page = "[a](../b.md#c) [d](#e) [f](https://g) `[h](i.md)`\n```\n[j](k.md)\n```\n";
    expect(relativeLinks("docs/x/page.md", page)).toEqual([
      { target: "../b.md#c", file: "docs/b.md", anchor: "c" },
      { target: "#e", file: "docs/x/page.md", anchor: "e" },
    ]);
  });
});

describe("the pages", () => {
  it.each(ALL)("%s has no link to a missing file or heading", (path) => {
    expect(brokenLinks(path)).toEqual([]);
  });

  it.each(ALL.filter(isInPackage))("%s links only to files of the npm package, like itself", (path) => {
    const missing = relativeLinks(path, readRepositoryFile(path)).filter(({ file }) => !isInPackage(file));
    expect(missing.map(({ target }) => target)).toEqual([]);
  });

  it.each(PAGES.filter((page) => page !== "docs/README.md"))("%s is listed in docs/README.md", (path) => {
    const listed = relativeLinks("docs/README.md", readRepositoryFile("docs/README.md")).map(({ file }) => file);
    expect(listed).toContain(path);
  });

  it("exist if a source file, a test, a bench or a script names them", () => {
    const missing = SOURCES.flatMap((source) =>
      [...readRepositoryFile(source).matchAll(/(?<![\w/.])docs\/[\w/-]+\.md/g)]
        .map(([page]) => page)
        .filter((page) => !isInRepository(page) && source !== "test/docs/links.test.ts")
        .map((page) => `${source}: ${page}`),
    );
    expect(missing).toEqual([]);
  });
});
