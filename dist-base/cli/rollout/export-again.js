/** Returns a shell command that exports these sessions again. */
export function writeExportCommand({ url, sessionIds, fields, file }) {
    const body = JSON.stringify({ session_ids: sessionIds, ...fields });
    // The body is on standard input, because thousands of ids are too long for an argument.
    return [
        `curl --fail -o ${quote(file)} -H "Authorization: Bearer $ROLLTAPE_ADMIN_API_KEY" \\`,
        `  -H 'content-type: application/json' --data-binary @- ${quote(`${url.replace(/\/+$/, "")}/export_batch`)} <<'END'`,
        body,
        "END",
    ].join("\n");
}
function quote(word) {
    return `'${word.replaceAll("'", String.raw `'\''`)}'`;
}
//# sourceMappingURL=export-again.js.map