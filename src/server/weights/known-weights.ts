import { z } from "zod";
import type { StepReply } from "../../admin-api/weights/weight-steps.js";
import type { TargetServer, UpdateTarget } from "../../admin-api/weights/weight-targets.js";
import type { LoraAdapter } from "../../engine/engine.js";
import type { CurrentVersion } from "../current-version.js";
import type { ServerStorage } from "../storage/server-storage.js";

/** The address of the engine in this process. */
export const EMBEDDED = "embedded";

/** Name of the known weights in the storage. */
export const WEIGHTS = "weights";

const serverSchema = z.object({
  url: z.string(),
  version: z.int().nullable(),
  path: z.string().nullable(),
  /** Noted during the update in progress. */
  noted: z.boolean().optional(),
});

const storedSchema = z.object({
  /** The current version when this was stored. */
  version: z.int(),
  servers: z.array(serverSchema),
  update: z
    .object({
      version: z.int(),
      mode: z.enum(["path", "external", "lora"]),
      path: z.string().nullable(),
      name: z.string().optional(),
      sleep: z.boolean().optional(),
      id: z.string().optional(),
    })
    .nullable(),
  /** The adapter that requests use; absent: the base model. */
  adapter: z.object({ name: z.string(), path: z.string(), version: z.int() }).optional(),
});

type Stored = z.output<typeof storedSchema>;
type KnownServer = z.output<typeof serverSchema>;

/**
 * The known weights of the engine servers, and the update that is in progress. With storage, they are still known after a restart.
 *
 * A server about which nothing is known is assumed to have the current version: it was started with it, or a trainer set it.
 */
export class KnownWeights {
  readonly #current: CurrentVersion;
  readonly #storage: ServerStorage | undefined;
  readonly #name: string;
  #known: Stored;

  /** @param scope see {@link openWeightVersion} */
  constructor(current: CurrentVersion, storage: ServerStorage | undefined, scope: string = "") {
    this.#current = current;
    this.#storage = storage;
    this.#name = WEIGHTS + scope;
    const stored = storedSchema.safeParse(storage?.records.readValue(this.#name));
    this.#known = stored.success ? stored.data : { version: current.version, servers: [], update: null };
  }

  /** The update in progress; null if there is none. */
  get update(): UpdateTarget | null {
    return this.#known.update;
  }

  /** The adapter that requests use; undefined for the base model, or if another version was set since. */
  get adapter(): LoraAdapter | undefined {
    const { adapter } = this.#known;
    return adapter?.version === this.#current.version ? adapter : undefined;
  }

  find(url: string): KnownServer {
    const found = this.#find(url);
    return found ?? { url, version: this.#current.version, path: null };
  }

  /** Returns where the version of a server comes from. Workers of one server know different things about it. */
  sourceOf(url: string): StepReply["servers"][number]["source"] {
    const found = this.#find(url);
    if (!found) return "assumed";
    return this.#known.update && found.noted ? "update" : "known";
  }

  /** Notes that a server's weights are not known while it loads others. */
  forget(url: string): void {
    // The embedded engine keeps the old weights until it has the new ones.
    if (url !== EMBEDDED) this.note({ url, version: null, path: null });
  }

  /** Notes the update in progress. Resolves when it is stored. */
  async begin(update: UpdateTarget, urls: readonly string[]): Promise<void> {
    const before = this.#known;
    const servers = urls.flatMap((url) => {
      const found = this.#find(url);
      return found ? [{ ...found, noted: before.update !== null && found.noted === true }] : [];
    });
    this.#save({ ...before, version: this.#current.version, servers, update });
    try {
      await this.#storage?.records.committed();
    } catch (error) {
      this.#known = before;
      throw error;
    }
  }

  note({ url, version, path }: TargetServer | KnownServer): void {
    const others = this.#known.servers.filter((server) => server.url !== url);
    this.#save({ ...this.#known, servers: [...others, { url, version, path, noted: true }] });
  }

  /** Notes the end of the update. The adapter changes if its version is current. */
  end(servers: readonly KnownServer[]): void {
    const { update, adapter: before } = this.#known;
    const hasTarget = ({ version, path }: KnownServer) => version === update?.version && path === update.path;
    const isDone = update?.version === this.#current.version && servers.some(hasTarget);
    const adapter = isDone ? toAdapter(update) : before;
    const known = servers.map(({ url, version, path }) => ({ url, version, path }));
    this.#save({ version: this.#current.version, servers: known, update: null, ...(adapter && { adapter }) });
  }

  #find(url: string): KnownServer | undefined {
    const { servers, update, version } = this.#known;
    // Whoever set another version has also loaded its weights into every server.
    const isCurrent = update !== null || version === this.#current.version;
    return isCurrent ? servers.find((server) => server.url === url) : undefined;
  }

  /** Resolves when everything is stored. */
  async stored(): Promise<void> {
    await this.#storage?.records.committed();
  }

  #save(known: Stored): void {
    this.#known = known;
    this.#storage?.records.saveValue(this.#name, known);
  }
}

function toAdapter({ mode, name, path, version }: UpdateTarget): LoraAdapter | undefined {
  return mode === "lora" && name !== undefined && path !== null ? { name, path, version } : undefined;
}
