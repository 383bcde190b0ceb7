import { readFileSync } from "node:fs";

/** A section of a page of docs/: from its heading to the next heading. */
interface Section {
  readonly heading: string;
  readonly text: string;
}

export interface PythonBlock {
  /** Heading of its section and its number in the section: `Overlong masking 2`. */
  readonly name: string;
  readonly code: string;
}

export function readPage(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
}

function readSections(page: string): Section[] {
  return page.split(/^#+ /m).map((part) => {
    const [heading = ""] = part.split("\n", 1);
    return { heading, text: part.slice(heading.length) };
  });
}

export function pythonBlocks(page: string): PythonBlock[] {
  // Code blocks are skipped, because a comment in Python looks like a heading.
  const hidden = page.replaceAll(/```python\n[^]*?```/g, (block) => block.replaceAll(/^#/gm, "\0"));
  return readSections(hidden).flatMap(({ heading, text }) =>
    [...text.matchAll(/```python\n([^]*?)```/g)].map(([, code = ""], index) => ({
      name: `${heading} ${index + 1}`,
      code: code.replaceAll("\0", "#"),
    })),
  );
}

/** Returns the rows of the table with this header line, without the separator. */
export function tableRows(page: string, header: string): string[] {
  const lines = page.split("\n");
  const start = lines.indexOf(header);
  if (start < 0) throw new Error(`The page has no table with the header ${header}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return end < 0 ? rows : rows.slice(0, end);
}
