import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CHECK_MS = 10_000;

/** Returns `file:line:column`, or `file:line`, where a module's error comes from; undefined where nothing tells. */
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

/** The innermost frame of a file that is neither Node's own nor a package's. */
function frameOf(stack: string): string | undefined {
  for (const [, place = ""] of stack.matchAll(/^\s+at (?:.*\()?((?:file:\/\/)?\/[^()\n]*:\d+:\d+)\)?$/gm)) {
    if (!place.includes("/node_modules/")) return withoutScheme(place);
  }
  return undefined;
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
