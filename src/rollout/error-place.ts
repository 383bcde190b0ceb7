import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CHECK_MS = 10_000;

/**
 * Returns `file:line:column`, or `file:line`, where a module's error comes from; undefined where nothing tells. If a package
 * threw it, the line that led there follows.
 */
export async function errorPlace(error: unknown, url: string | undefined): Promise<string | undefined> {
  if (!(error instanceof Error) || typeof error.stack !== "string") return undefined;
  const place = headOf(error.stack) ?? frameOf(error.stack);
  if (place !== undefined || !(error instanceof SyntaxError) || url === undefined) return place;
  return headOf(await linkErrors(url));
}

/** Errors of CommonJS modules, and those that end a process, begin with a line `file:line`. */
function headOf(text: string): string | undefined {
  const [, place] = /^((?:file:\/\/)?\/.*:\d+)$/m.exec(text.split("\n    at ")[0] ?? "") ?? [];
  return place && withoutScheme(place);
}

/** The innermost frame that is not Node's own; behind it, if it is a package's, the innermost one of no package. */
function frameOf(stack: string): string | undefined {
  const frames = [...stack.matchAll(/^\s+at (?:.*\()?((?:file:\/\/)?\/[^()\n]*:\d+:\d+)\)?$/gm)];
  const places = frames.map(([, place = ""]) => place);
  const [thrown] = places;
  if (thrown === undefined) return undefined;
  const own = places.find((place) => !place.includes("/node_modules/"));
  const by = own === undefined || own === thrown ? "" : `, called by ${withoutScheme(own)}`;
  return withoutScheme(thrown) + by;
}

function withoutScheme(place: string): string {
  const [, file = place, line = ""] = /^(file:.*?)((?::\d+)+)$/.exec(place) ?? [];
  return file.startsWith("file:") ? fileURLToPath(file) + line : place;
}

/**
 * Returns what Node prints of a module that it cannot link. Only then it names the line: an import that is caught does not.
 * Nothing of the module is run, because what it is linked behind ends the process first.
 */
async function linkErrors(url: string): Promise<string> {
  const script = `import "data:text/javascript,process.exit()"; import ${JSON.stringify(url)};`;
  const args = ["--input-type=module", "--eval", script];
  const failed = await promisify(execFile)(process.execPath, args, { timeout: CHECK_MS }).catch(
    (error: unknown) => error,
  );
  const { stderr } = failed as { readonly stderr?: unknown };
  return typeof stderr === "string" ? stderr : "";
}
