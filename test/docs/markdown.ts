import { dirname, join, normalize } from "node:path";

/** A link of a Markdown page to a file of the repository or to a heading. */
export interface PageLink {
  readonly target: string;
  /** Path of the file, relative to the repository root. */
  readonly file: string;
  readonly anchor: string | undefined;
}

const FENCE = /^( *)(`{3,}|~{3,})[^\n]*\n[^]*?^\1\2 *$/gm;

/** Returns a page without its code blocks, because their `#` and brackets are not Markdown. */
function prose(page: string): string {
  return page.replaceAll(FENCE, "");
}

/** Returns the anchors that GitHub creates for the headings of a page. */
export function headingAnchors(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose(page).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = headingText(heading)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Replaces the links in a heading with their texts. */
function headingText(heading: string): string {
  return heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

/** Returns the links of a page to files of this repository. `path` is relative to the repository root. */
export function relativeLinks(path: string, page: string): PageLink[] {
  const text = prose(page).replaceAll(/`[^`\n]*`/g, "code");
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", anchor] = target.split("#");
      return { target, file: file === "" ? path : normalize(join(dirname(path), file)), anchor };
    });
}
