import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { NativeBatch, NativeSharedPool } from "../../src/native/contract.js";
import { noPython, PythonProgram } from "../helpers/python.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { packed, sharedPool } from "./memory-support.js";
import { tensor } from "./support.js";

/** A program that maps files like a trainer. It reads one command per line: `map PATH`, `read`, `unlink`. */
const PROGRAM = `
import hashlib, json, mmap, os, struct, sys
view = path = None
for line in sys.stdin:
    command, _, argument = line.rstrip("\\n").partition(" ")
    if command == "map":
        path = argument
        with open(path, "rb") as file:
            view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    elif command == "unlink":
        os.unlink(path)
    (length,) = struct.unpack_from("<Q", view)
    header = json.loads(view[8:8 + length])
    header.pop("__metadata__", None)
    begin, end = header["input_ids"]["data_offsets"]
    ids = memoryview(view)[8 + length + begin:8 + length + end].cast("i")
    covered = 8 + length + max(tensor["data_offsets"][1] for tensor in header.values())
    print(json.dumps({"sha256": hashlib.sha256(view).hexdigest(), "whole": covered == len(view),
                      "first": ids[0], "last": ids[-1], "tokens": len(ids)}), flush=True)
    del ids
`;

interface Seen {
  readonly sha256: string;
  /** True if the tensors in the header cover the file up to its last byte. */
  readonly whole: boolean;
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
}

const reader = () => new PythonProgram<Seen>("-c", PROGRAM);
const TOKENS = 200_000;

/** Packs and acknowledges batches of other tokens, so that every free slot is overwritten. */
async function packOthers(pool: NativeSharedPool): Promise<Set<number>> {
  const inodes = new Set<number>();
  for (let id = 100; id < 106; id++) {
    const batch = await packed(TOKENS, id, pool);
    inodes.add(readInode(batch));
    batch.acknowledge();
  }
  return inodes;
}

function readInode({ path }: NativeBatch): number {
  return statSync(path ?? "").ino;
}

describe.skipIf(noPython)("a reader in another process", () => {
  it("maps the file without copying it and finds the batch in it", async () => {
    const batch = await packed(TOKENS, 7, sharedPool(sharedDirectory()));
    const seen = await reader().ask(`map ${batch.path}`);
    expect(seen).toMatchObject({ whole: true, first: 7, last: 8, tokens: TOKENS + 1 });
    expect(tensor(batch, "input_ids").length).toBe(seen.tokens);
  });

  it("never sees its batch change while later ones are packed, before and after its release", async () => {
    const pool = sharedPool(sharedDirectory());
    const batch = await packed(TOKENS, 7, pool);
    const inode = readInode(batch);
    const python = reader();
    const first = await python.ask(`map ${batch.path}`);
    const [others, meanwhile] = await Promise.all([packOthers(pool), python.ask("read")]);
    expect(others.has(inode)).toBe(false);
    expect(meanwhile).toEqual(first);
    batch.release();
    await packOthers(pool);
    expect(await python.ask("read")).toEqual(first);
  });

  it("frees the slot for another batch with an acknowledgement", async () => {
    const pool = sharedPool(sharedDirectory());
    const batch = await packed(TOKENS, 7, pool);
    const inode = readInode(batch);
    const python = reader();
    await python.ask(`map ${batch.path}`);
    batch.acknowledge();
    const next = await packed(TOKENS, 9, pool);
    expect(readInode(next)).toBe(inode);
    expect(await python.ask(`map ${next.path}`)).toMatchObject({ first: 9, last: 8 });
  });

  it("may unlink the file and keep it, even if it is acknowledged afterwards", async () => {
    const pool = sharedPool(sharedDirectory());
    const batch = await packed(TOKENS, 7, pool);
    const python = reader();
    const first = await python.ask(`map ${batch.path}`);
    await python.ask("unlink");
    expect(batch.taken).toBe(true);
    batch.acknowledge();
    await packOthers(pool);
    expect(await python.ask("read")).toEqual(first);
  });

  it("may die; its file is removed when the batch is released", async () => {
    const pool = sharedPool(sharedDirectory());
    const batch = await packed(TOKENS, 7, pool);
    const { path = "" } = batch;
    const python = reader();
    await python.ask(`map ${path}`);
    python.process.kill("SIGKILL");
    await once(python.process, "exit");
    expect(existsSync(path)).toBe(true);
    batch.release();
    expect(existsSync(path)).toBe(false);
    expect(pool.use).toEqual({ bytes: 0, freeSlots: 0, lentSlots: 0 });
  });
});
