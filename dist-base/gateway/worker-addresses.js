import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { registrationSchema } from "../control/worker-registration.js";
/** Reads the addresses of workers. If a source cannot be read, its last addresses stay valid. */
export class WorkerAddresses {
    #sources;
    #report;
    #file = { mtimeMs: -1, urls: [] };
    #registered = new Map();
    constructor(sources, report) {
        this.#sources = sources;
        this.#report = report;
    }
    /** Returns the current addresses, each URL once. */
    async read() {
        await Promise.all([this.#readFile(), this.#readFolder()]);
        const addresses = new Map();
        for (const url of [...this.#sources.urls, ...this.#file.urls])
            addresses.set(toOrigin(url), { url: toOrigin(url) });
        for (const { registration } of this.#registered.values()) {
            const { url, tag } = registration;
            addresses.set(toOrigin(url), { url: toOrigin(url), tag });
        }
        return [...addresses.values()];
    }
    async #readFile() {
        const { file } = this.#sources;
        if (file === undefined)
            return;
        try {
            const { mtimeMs } = await stat(file);
            if (mtimeMs === this.#file.mtimeMs)
                return;
            const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.replace(/#.*/, "").trim());
            const urls = lines.filter((line) => URL.canParse(line));
            const invalid = lines.filter((line) => line !== "" && !URL.canParse(line));
            if (invalid.length > 0)
                this.#report(`${file} must have one URL per line; received "${invalid[0]}"`);
            this.#file = { mtimeMs, urls };
        }
        catch (error) {
            this.#report(`${file} cannot be read: ${describeError(error)}`);
        }
    }
    async #readFolder() {
        const { folder } = this.#sources;
        if (folder === undefined)
            return;
        try {
            const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith("."));
            const registrations = await Promise.all(names.map(async (name) => [name, await this.#readRegistration(folder, name)]));
            this.#registered = new Map(registrations.flatMap(([name, file]) => (file ? [[name, file]] : [])));
        }
        catch (error) {
            if (!isMissing(error))
                this.#report(`${folder} cannot be read: ${describeError(error)}`);
        }
    }
    /** Reads a file only if it is new or was replaced. A server that returns with its tag replaces its file. */
    async #readRegistration(folder, name) {
        const path = join(folder, name);
        const known = this.#registered.get(name);
        try {
            const { ino, mtimeMs, size } = await stat(path);
            const version = `${ino} ${mtimeMs} ${size}`;
            if (known?.version === version)
                return known;
            const parsed = registrationSchema.safeParse(JSON.parse(await readFile(path, "utf8")));
            if (parsed.success)
                return { version, registration: parsed.data };
            this.#report(`${name} in ${folder} is not the registration of a server. It is ignored.`);
        }
        catch (error) {
            if (isMissing(error))
                return undefined;
            this.#report(`${name} in ${folder} cannot be read: ${describeError(error)}`);
            return known;
        }
        return undefined;
    }
}
function toOrigin(url) {
    return new URL(url).origin;
}
function isMissing(error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
}
function describeError(error) {
    return error instanceof Error ? error.message : String(error);
}
//# sourceMappingURL=worker-addresses.js.map