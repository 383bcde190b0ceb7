import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { resolve as resolveModule } from "import-meta-resolve";
import { describeThrown } from "./class-name.js";
import { WorkflowError } from "./workflow-error.js";

interface ImportString {
  readonly module: string;
  /** Undefined: the default export if there is one, else the module itself. */
  readonly name: string | undefined;
}

/**
 * Imports what a string names: `module#export`, or `module` for its default export or the module itself.
 *
 * The module is a file (relative to `directory`, absolute, or a file: URL) or a package. TypeScript needs a loader in
 * this process.
 */
export async function importString(text: string, directory: string): Promise<unknown> {
  const { module, name } = parse(text);
  const exports = await importModule(module, directory);
  if (name === undefined) return "default" in exports ? exports["default"] : exports;
  if (Object.hasOwn(exports, name)) return exports[name];
  // Node lists some names of a CommonJS module only as properties of its default export.
  const whole = exports["default"];
  if (typeof whole === "object" && whole !== null && Object.hasOwn(whole, name)) return (whole as Exports)[name];
  const names = Object.keys(exports).join(", ") || "nothing";
  throw new WorkflowError("export_not_found", `${module} does not export ${name}. It exports ${names}.`);
}

function parse(text: string): ImportString {
  const hash = text.lastIndexOf("#");
  const [module, name] = hash < 0 ? [text, undefined] : [text.slice(0, hash), text.slice(hash + 1)];
  if (module !== "" && name !== "") return { module, name };
  const message = `The import string must be "module#export" or "module"; received ${JSON.stringify(text)}.`;
  throw new WorkflowError("invalid_import", message);
}

type Exports = Readonly<Record<string, unknown>>;

async function importModule(module: string, directory: string): Promise<Exports> {
  const file = findFile(module, directory);
  try {
    if (file !== undefined) return (await import(pathToFileURL(findMain(file)).href)) as Exports;
    return await importPackage(module, directory);
  } catch (error) {
    throw await importFailed(module, file, directory, error);
  }
}

/**
 * Returns the path of the file or folder that a module names, whether or not it exists; undefined if it names a
 * package. A bare name never means a folder.
 */
function findFile(module: string, directory: string): string | undefined {
  if (module.startsWith("file:")) return fileURLToPath(module);
  const path = resolve(directory, module);
  return /^\.{1,2}(\/|$)/.test(module) || isAbsolute(module) || isFile(path) ? path : undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Returns the main module of a folder: from its package.json, or its index. A file is returned as it is. */
function findMain(path: string): string {
  if (!existsSync(path) || isFile(path)) return path;
  try {
    return createRequire(path).resolve(path);
  } catch (cause) {
    throw new Error("it is a folder whose package.json names no main module, and it has no index.js", { cause });
  }
}

/**
 * Imports a package from the directory, else from Rolltape's own folder, which differs if Rolltape is installed
 * globally.
 */
async function importPackage(name: string, directory: string): Promise<Exports> {
  const url = resolveFrom(directory, name);
  if (typeof url === "string") return (await import(url)) as Exports;
  try {
    return (await import(name)) as Exports;
  } catch (error) {
    // If both fail, the error that names the user's directory helps more.
    throw isUnresolved(error) ? url : error;
  }
}

/** Returns the package's URL, or the error if it cannot be resolved. */
function resolveFrom(directory: string, name: string): string | Error {
  try {
    return resolveModule(name, pathToFileURL(resolve(directory, "package.json")).href);
  } catch (error) {
    return error as Error;
  }
}

function isUnresolved(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
}

async function importFailed(
  module: string,
  file: string | undefined,
  directory: string,
  cause: unknown,
): Promise<WorkflowError> {
  const why = (text: string) => new WorkflowError("import_failed", text, { cause });
  if (file !== undefined && !existsSync(file)) {
    return why(`${module} does not exist in ${directory}.`);
  }
  const unknownFile = findUnknownExtension(cause);
  if (unknownFile !== undefined && /\.[cm]?tsx?$/.test(unknownFile)) {
    const typescript = unknownFile === file ? module : unknownFile;
    return why(`${typescript} is TypeScript, and this process has no loader for it. Run it with: node --import tsx`);
  }
  // Resolved again, because a package that exists may fail to import another one.
  if (file === undefined && isUnresolved(cause) && typeof resolveFrom(directory, module) !== "string") {
    const message = readMessage(cause);
    return why(`${module} is neither a file in ${directory} nor a package that can be imported: ${message}`);
  }
  const place = await findErrorPlace(cause, file && pathToFileURL(file).href);
  const suffix = place === undefined || readMessage(cause).includes(place) ? "" : ` (${place})`;
  return why(`${module} could not be imported: ${describeThrown(cause)}${suffix}`);
}

/**
 * Returns the file whose extension Node does not know: the module, or one that it imports. Returns undefined for other
 * errors.
 */
function findUnknownExtension(cause: unknown): string | undefined {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return code === "ERR_UNKNOWN_FILE_EXTENSION" ? / for (\/.*)$/m.exec(readMessage(cause))?.[1] : undefined;
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const CHECK_MS = 10_000;

/**
 * Returns the place of an error in a module as `file:line:column` or `file:line`; undefined if it is unknown. If a
 * package threw the error, the calling line of the module follows.
 *
 * @param url URL of the imported module, to find the place of an error that occurs when it is linked
 */
async function findErrorPlace(error: unknown, url: string | undefined): Promise<string | undefined> {
  if (!(error instanceof Error) || typeof error.stack !== "string") return undefined;
  const place = readHead(error.stack) ?? readFrame(error.stack);
  if (place !== undefined || !(error instanceof SyntaxError) || url === undefined) return place;
  return readHead(await printLinkErrors(url));
}

/** Reads the first line `file:line`, which errors of CommonJS modules and errors that end a process begin with. */
function readHead(text: string): string | undefined {
  const [, place] = /^((?:file:\/\/)?\/.*:\d+)$/m.exec(text.split("\n    at ")[0] ?? "") ?? [];
  return place && withoutScheme(place);
}

/** Reads the innermost frame that is not Node's own. If it belongs to a package, the innermost other frame follows. */
function readFrame(stack: string): string | undefined {
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
 * Returns what Node prints about a module that it cannot link. An uncaught error is needed, because only its output
 * names the line. The module's code does not run: the first import ends the process after linking.
 */
async function printLinkErrors(url: string): Promise<string> {
  const script = `import "data:text/javascript,process.exit()"; import ${JSON.stringify(url)};`;
  const args = ["--input-type=module", "--eval", script];
  const failed = await promisify(execFile)(process.execPath, args, { timeout: CHECK_MS }).catch(
    (error: unknown) => error,
  );
  const { stderr } = failed as { readonly stderr?: unknown };
  return typeof stderr === "string" ? stderr : "";
}
