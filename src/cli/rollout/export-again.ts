import type { BatchFields } from "../../client/admin-client.js";

export interface ExportAgain {
  /** Address of the proxy that has the sessions. */
  readonly url: string;
  readonly sessionIds: readonly string[];
  readonly fields: BatchFields;
  readonly file: string;
}

/** Returns a shell command that exports these sessions again. */
export function writeExportCommand({ url, sessionIds, fields, file }: ExportAgain): string {
  const body = JSON.stringify({ session_ids: sessionIds, ...fields });
  // The body is on standard input, because thousands of ids are too long for an argument.
  return [
    `curl --fail -o ${quote(file)} -H "Authorization: Bearer $ROLLTAPE_ADMIN_API_KEY" \\`,
    `  -H 'content-type: application/json' --data-binary @- ${quote(`${url.replace(/\/+$/, "")}/export_batch`)} <<'END'`,
    body,
    "END",
  ].join("\n");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
