import { pino } from "pino";
import { isHttpUrl } from "../../rollout/http-url.js";
import { hasStorage } from "../../storage/index.js";
import { makeInert } from "../../support/inert-text.js";
import { isS3Address } from "../../support/s3-address.js";
import { ViewError } from "../../view/errors.js";
import { type PageFiles, readPageFiles } from "../../view/http/page-files.js";
import { startViewer } from "../../view/http/start.js";
import { openPath } from "../../view/sources/find-source.js";
import type { OpenSource } from "../../view/sources/open-source.js";
import { countNoun } from "../count-noun.js";
import { formatBytes } from "../format-bytes.js";
import { stopOnSignal } from "../lifetime.js";

/** Options of `rolltape view`. */
export interface ViewCommandOptions {
  readonly model?: string;
  readonly port?: number;
  readonly html?: string;
  readonly maxBytes?: number;
}

/** Seconds that a stop may take. */
const STOP_SECONDS = 5;

/** `rolltape view`: serves the episodes of a file, folder or server to a browser on this machine, until a signal stops it. */
export async function view(target: string, options: ViewCommandOptions): Promise<void> {
  if (options.html === undefined && options.maxBytes !== undefined) {
    throw new ViewError("invalid_arguments", "--max-bytes is for --html.");
  }
  if (options.html !== undefined && options.port !== undefined) {
    throw new ViewError("invalid_arguments", "--port and --html cannot be used together.");
  }
  const page = await readPageFiles();
  const source = await openSource(target, options);
  if (options.html !== undefined) return writeFile(options.html, source, page, options);
  const viewer = await startViewer(source, page, options.port ?? 0).catch(async (error: unknown) => {
    await source[Symbol.asyncDispose]();
    throw error;
  });
  stopOnSignal(STOP_SECONDS, pino({ level: "silent" }), async () => {
    await viewer.close();
    return 0;
  });
  process.stdout.write(`${viewer.url}\n`);
  for (const notice of (await source.overview()).notices) process.stderr.write(`rolltape: ${makeInert(notice)}\n`);
  process.stderr.write("rolltape: open this address in a browser; it works once. Ctrl-C stops the viewer.\n");
}

/** Writes one HTML file instead of serving. */
async function writeFile(
  path: string,
  source: OpenSource,
  page: PageFiles,
  options: ViewCommandOptions,
): Promise<void> {
  try {
    const { writeHtml } = await import("../../view/html/write-html.js");
    const { bytes, episodes, readable, withTokens, images } = await writeHtml(path, source, page, options.maxBytes);
    const contents = `${countNoun(episodes, "episode")}, ${readable} with messages, ${withTokens} with tokens, ${countNoun(images, "image")}`;
    process.stdout.write(`wrote ${path}: ${contents} (${formatBytes(bytes)})\n`);
  } finally {
    await source[Symbol.asyncDispose]();
  }
}

async function openSource(target: string, { model }: ViewCommandOptions): Promise<OpenSource> {
  if (isS3Address(target)) {
    // Imported late, because it loads the AWS SDK.
    const { openStoredSource } = await import("../archive/open-source.js");
    return openStoredSource(target, model);
  }
  if (!isHttpUrl(target)) return openLocal(target, model);
  if (model !== undefined)
    throw new ViewError("invalid_arguments", "--model is for files: a server has its own model.");
  const { readEnvironmentKey } = await import("../../config/index.js");
  const adminKey = readEnvironmentKey(process.env);
  if (!adminKey) {
    throw new ViewError("invalid_arguments", "ROLLTAPE_ADMIN_API_KEY must be set to the admin key of the server.");
  }
  const { ServerSource } = await import("../../view/sources/server-source.js");
  const source = new ServerSource(target, adminKey);
  await source.check();
  return source;
}

/** Opens a storage folder only if it has no transcript and no tensor file. */
async function openLocal(path: string, model: string | undefined): Promise<OpenSource> {
  try {
    return await openPath(path, { model });
  } catch (error) {
    if (!(error instanceof ViewError && error.code === "nothing_to_view" && hasStorage(path))) throw error;
    const { openFolder } = await import("../view/open-folder.js");
    const { StoredSource } = await import("../view/stored-source.js");
    return StoredSource.open(openFolder(path), model);
  }
}
