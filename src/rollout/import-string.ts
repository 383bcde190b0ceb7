import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve as resolveModule } from "import-meta-resolve";
import { describeThrown } from "./class-name.js";
import { errorPlace } from "./error-place.js";
import { WorkflowError } from "./workflow-error.js";

interface ImportString {
  readonly module: string;
  /** Undefined: the default export where there is one, else the module itself. */
  readonly name: string | undefined;
}

/**
 * Imports what a string names: `module#export`, or `module` for its default export or itself. A module is a file
 * relative to `directory` or absolute (path or file: URL), or else a package. TypeScript takes a loader that runs in this
 * process.
 */
export async function importString(text: string, directory: string): Promise<unknown> {
  const { module, name } = parse(text);
  const exports = await importModule(module, directory);
  if (name === undefined) return "default" in exports ? exports["default"] : exports;
  if (Object.hasOwn(exports, name)) return exports[name];
  // Of a CommonJS module Node tells some names only as properties of what it exports.
  const whole = exports["default"];
  if (typeof whole === "object" && whole !== null && Object.hasOwn(whole, name)) return (whole as Exports)[name];
  const names = Object.keys(exports).join(", ") || "nothing";
  throw new WorkflowError("export_not_found", `${module} does not export ${name}. It exports ${names}.`);
}

function parse(text: string): ImportString {
  const hash = text.lastIndexOf("#");
  const [module, name] = hash < 0 ? [text, undefined] : [text.slice(0, hash), text.slice(hash + 1)];
  if (module !== "" && name !== "") return { module, name };
  const given = JSON.stringify(text);
  throw new WorkflowError("invalid_import", `${given} names no module. Expected "module#export" or "module".`);
}

type Exports = Readonly<Record<string, unknown>>;

async function importModule(module: string, directory: string): Promise<Exports> {
  const file = fileOf(module, directory);
  try {
    if (file !== undefined) return (await import(pathToFileURL(mainOf(file)).href)) as Exports;
    return await importPackage(module, directory);
  } catch (error) {
    throw await importFailed(module, file, directory, error);
  }
}

/** The file or folder that is meant, whether or not it is there; undefined: a package. A name alone never means a folder. */
function fileOf(module: string, directory: string): string | undefined {
  if (module.startsWith("file:")) return fileURLToPath(module);
  const path = resolve(directory, module);
  return /^\.{1,2}(\/|$)/.test(module) || isAbsolute(module) || isFile(path) ? path : undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Of a folder, what its package.json names, or its index. */
function mainOf(path: string): string {
  if (!existsSync(path) || isFile(path)) return path;
  try {
    return createRequire(path).resolve(path);
  } catch (cause) {
    throw new Error("it is a folder whose package.json names no main module, and it has no index.js", { cause });
  }
}

/** A package as the directory sees it, else as this one does: the two differ where this one is installed globally. */
async function importPackage(name: string, directory: string): Promise<Exports> {
  const url = resolveFrom(directory, name);
  if (typeof url === "string") return (await import(url)) as Exports;
  try {
    return (await import(name)) as Exports;
  } catch (error) {
    // Where neither finds it, the user knows the directory.
    throw isUnresolved(error) ? url : error;
  }
}

/** The package's URL, or the error that says why there is none. */
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
    return why(`${module} is no file of ${directory}.`);
  }
  const unread = unreadFile(cause);
  if (unread !== undefined && /\.[cm]?tsx?$/.test(unread)) {
    const typescript = unread === file ? module : unread;
    return why(`${typescript} is TypeScript and this process has no loader for it. Run it with: node --import tsx`);
  }
  // A package that is there may import one that is not.
  if (file === undefined && isUnresolved(cause) && typeof resolveFrom(directory, module) !== "string") {
    return why(`${module} is neither a file of ${directory} nor a package that can be imported: ${messageOf(cause)}`);
  }
  const place = await errorPlace(cause, file && pathToFileURL(file).href);
  const told = place === undefined || messageOf(cause).includes(place) ? "" : ` (${place})`;
  return why(`${module} could not be imported: ${describeThrown(cause)}${told}`);
}

/** Returns the file whose extension Node does not know; undefined for another error. It may be one that the module imports. */
function unreadFile(cause: unknown): string | undefined {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return code === "ERR_UNKNOWN_FILE_EXTENSION" ? / for (\/.*)$/m.exec(messageOf(cause))?.[1] : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
