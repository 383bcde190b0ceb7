import type { BatchFields } from "../client/admin-client.js";

export interface ExportAgain {
  readonly url: string;
  readonly sessionIds: readonly string[];
  readonly fields: BatchFields;
  readonly file: string;
}

/** Returns the shell command that exports these sessions of a proxy once more. */
export function exportAgainCommand({ url, sessionIds, fields, file }: ExportAgain): string {
  const body = JSON.stringify({ session_ids: sessionIds, ...fields });
  // The body comes on standard input: thousands of ids are too long for an argument.
  return [
    `curl --fail -o ${quoted(file)} -H "Authorization: Bearer $ROLLTAPE_ADMIN_API_KEY" \\`,
    `  -H 'content-type: application/json' --data-binary @- ${quoted(`${url.replace(/\/+$/, "")}/export_batch`)} <<'END'`,
    body,
    "END",
  ].join("\n");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
