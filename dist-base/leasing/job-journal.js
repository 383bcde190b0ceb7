import { randomUUID } from "node:crypto";
import { fromWire } from "../rollout/lease/wire-result.js";
import { Storage, unusableFolderError } from "../storage/index.js";
/** Version of the records. */
const FORMAT = 2;
/** Formats that this version reads. The storage of format 1 has no write-ahead log, so older versions would not see its changes. */
const READABLE_FORMATS = [1, FORMAT];
const KINDS = { report: "r", losses: "l", unwanted: "u", lost: "x", batch: "b" };
/** The records of one rollout job on disk, from which a later process goes on. */
export class JobJournal {
    /** True if an earlier process has worked on the job. */
    isResumed;
    ended = new Map();
    batches = [];
    restored;
    #storage;
    #job;
    constructor(storage, job, isResumed) {
        this.#storage = storage;
        this.#job = job;
        this.isResumed = isResumed;
        this.restored = this.#restore();
    }
    /**
     * Opens the journal in a folder.
     *
     * @throws StorageError `storage_unusable` if the folder has a job that does not fit the options
     */
    static async open(options) {
        const { directory, durability, intervalMilliseconds, digest, tasks, version, firstBatch, resume } = options;
        const storage = await Storage.open({ directory, durability, intervalMilliseconds });
        try {
            const found = readJson(storage.get("meta", Buffer.from("job")));
            if (found && !READABLE_FORMATS.includes(found.format))
                throw unusableFolderError(directory, `has a job of format ${found.format}; this version reads ${FORMAT}`);
            if (found?.state === "running" && !resume)
                throw unfinished(directory, found);
            if (found && resume) {
                if (found.digest !== digest)
                    throw otherJob(directory, found);
                const journal = new JobJournal(storage, { ...found, format: FORMAT, state: "running" }, true);
                journal.#saveJob({});
                await storage.committed();
                return journal;
            }
            const job = {
                format: FORMAT,
                jobId: `job-${randomUUID()}`,
                digest,
                tasks,
                version,
                nextBatch: firstBatch,
                state: "running",
            };
            storage.write(listAll(storage).map(({ table, key }) => ({ table, key, value: undefined })));
            await storage.committed();
            const journal = new JobJournal(storage, job, false);
            journal.#saveJob({});
            await storage.committed();
            return journal;
        }
        catch (error) {
            await storage.close();
            throw error;
        }
    }
    get jobId() {
        return this.#job.jobId;
    }
    /** The weight version at the start of this process. */
    get version() {
        return this.#job.version;
    }
    get nextBatch() {
        return this.#job.nextBatch;
    }
    saveLease(lease) {
        this.#put("leases", lease.id, lease);
    }
    removeLease(leaseId) {
        this.#put("leases", leaseId, undefined);
    }
    saveLosses(task, losses) {
        this.#put("records", numbered(KINDS.losses, task), losses);
    }
    saveReport({ task, result, leaseId }) {
        const record = { result, version: task.version, leaseId: leaseId ?? null };
        this.#put("records", numbered(KINDS.report, task.index), record);
    }
    removeReport(task) {
        this.#put("records", numbered(KINDS.report, task), undefined);
    }
    saveUnwanted(sessionIds) {
        for (const id of sessionIds)
            this.#put("records", KINDS.unwanted + id, true);
    }
    removeUnwanted(sessionId) {
        this.#put("records", KINDS.unwanted + sessionId, undefined);
    }
    saveLost(leaseId) {
        this.#put("records", KINDS.lost + leaseId, true);
    }
    removeLost(leaseId) {
        this.#put("records", KINDS.lost + leaseId, undefined);
    }
    /** Stores a batch whose file is complete. Its tasks are consumed. */
    async saveBatch(batch) {
        this.#put("records", numbered(KINDS.batch, batch.number), batch);
        this.#saveJob({ nextBatch: batch.number + 1 });
        await this.#storage.committed();
    }
    /** Stores a change of a written batch, and the weight version. */
    async updateBatch(batch, version = this.#job.version) {
        this.#put("records", numbered(KINDS.batch, batch.number), batch);
        this.#saveJob({ version });
        await this.#storage.committed();
    }
    /** Notes how the job ended. A later process then begins another one in the folder. */
    async end(state) {
        this.#saveJob({ state });
        await this.#storage.committed();
    }
    flushed() {
        return this.#storage.flushed();
    }
    async [Symbol.asyncDispose]() {
        await this.#storage.close();
    }
    #restore() {
        const read = (kind) => [...this.#storage.range("records", Buffer.from(kind))].map(({ key, value }) => [
            key.toString().slice(kind.length),
            JSON.parse(value.toString()),
        ]);
        this.batches.push(...read(KINDS.batch).map(([, batch]) => batch));
        const consumed = new Set(this.batches.flatMap(({ tasks }) => tasks));
        const done = new Map();
        for (const [number, { result, version, leaseId }] of read(KINDS.report)) {
            const index = Number(number);
            this.ended.set(index, { result: fromWire(result), version, consumed: consumed.has(index) });
            done.set(index, leaseId ?? undefined);
        }
        const losses = new Map(read(KINDS.losses).map(([task, reasons]) => [Number(task), reasons]));
        const unwanted = read(KINDS.unwanted).map(([id]) => id);
        const lost = read(KINDS.lost).map(([id]) => id);
        const leases = [...this.#storage.range("leases")].map(({ value }) => JSON.parse(value.toString()));
        return { leases, losses, done, unwanted, lost };
    }
    #saveJob(changed) {
        this.#job = { ...this.#job, ...changed };
        this.#put("meta", "job", this.#job);
    }
    #put(table, key, value) {
        const bytes = value === undefined ? undefined : Buffer.from(JSON.stringify(value));
        this.#storage.write([{ table, key: Buffer.from(key), value: bytes }]);
    }
}
const DIGITS = 10;
/** Returns a key that sorts by its number. */
function numbered(kind, number) {
    return kind + String(number).padStart(DIGITS, "0");
}
function readJson(bytes) {
    return bytes && JSON.parse(bytes.toString());
}
function listAll(storage) {
    return ["meta", "records", "leases"].flatMap((table) => [...storage.range(table)].map(({ key }) => ({ table, key: Buffer.from(key) })));
}
function unfinished(directory, { tasks }) {
    const advice = "Go on with it by `--resume`, or remove this folder to begin another job";
    return unusableFolderError(directory, `has an unfinished job of ${tasks} tasks. ${advice}`);
}
function otherJob(directory, { tasks }) {
    const why = "its tasks, group size, batch size or export options differ from those of this command";
    return unusableFolderError(directory, `has another job (${tasks} tasks): ${why}. Repeat the command that began it`);
}
//# sourceMappingURL=job-journal.js.map