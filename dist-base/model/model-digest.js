import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
/** The files that determine the tokens of a conversation. */
const FILES = ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"];
/**
 * Returns a digest of a model folder's tokenizer and chat template: the SHA-256, in hex, of the output of
 * `sha256sum tokenizer.json tokenizer_config.json chat_template.jinja` for the files that exist.
 */
export async function modelDigest(folder) {
    const lines = await Promise.all(FILES.map((name) => checksumLine(folder, name)));
    return sha256(lines.join(""));
}
async function checksumLine(folder, name) {
    const content = await readFile(join(folder, name)).catch(() => undefined);
    return content === undefined ? "" : `${sha256(content)}  ${name}\n`;
}
function sha256(content) {
    return createHash("sha256").update(content).digest("hex");
}
//# sourceMappingURL=model-digest.js.map