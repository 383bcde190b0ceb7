import { copyFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BatchFiles } from "../../../src/cli/rollout/batch-files.js";
import type { BatchWriter } from "../../../src/cli/rollout/batch-writer.js";
import { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { turn, user } from "../../helpers/turn.js";
import { temporaryFolder } from "../rolltape.js";

/** Returns the file of a batch with a row of each of these lengths. */
async function batchFile(outputs: readonly number[]): Promise<string> {
  const store = new TrajectoryStore();
  const ids = outputs.map((length, index) => {
    const sessionId = `s-${index}`;
    const session = store.createSession({ sessionId });
    session.record(
      turn(
        [user("hi")],
        [1, 2],
        Array.from({ length }, (_, id) => id),
      ),
    );
    session.setReward(index);
    session.end();
    return sessionId;
  });
  const batch = await store.exportBatch(ids, { layout: "padded" });
  const file = join(temporaryFolder(), "made.safetensors");
  writeFileSync(file, batch.bytes);
  batch.release();
  store.close();
  return file;
}

/** Batch files whose writer copies a file to where each batch belongs, or to another place. */
function createFiles(made: string, first: number | undefined, elsewhere?: string) {
  const write = async (file: string) => {
    const saved = elsewhere ?? file;
    copyFileSync(made, saved);
    return { file: saved };
  };
  const out = join(temporaryFolder(), "b.safetensors");
  return { out, files: new BatchFiles({ write } as unknown as BatchWriter, out, first) };
}

describe("the files of a job", () => {
  it("have numbers, from that of the first", async () => {
    const { out, files } = createFiles("", 7);
    const folder = out.slice(0, -"b.safetensors".length);
    expect(files.upcomingFile).toBe(`${folder}b-00007.safetensors`);
    expect([files.nextFile(), files.number]).toEqual([`${folder}b-00007.safetensors`, 7]);
    expect([files.nextFile(), files.number]).toEqual([`${folder}b-00008.safetensors`, 8]);
    expect(files.addNumber("a.sessions", 3)).toBe("a-00003.sessions");
  });

  it("have none if there is only one", async () => {
    const { out, files } = createFiles("", undefined);
    expect([files.upcomingFile, files.nextFile(), files.number]).toEqual([out, out, 0]);
    expect(files.addNumber("a.sessions", 3)).toBe("a.sessions");
  });

  it("are counted where they were written, with those of an earlier process", async () => {
    const made = await batchFile([3, 1]);
    const elsewhere = join(temporaryFolder(), "rescued.safetensors");
    const { files } = createFiles(made, 0, elsewhere);
    await files.restore(made);
    expect(await files.write(files.nextFile(), new Uint8Array())).toEqual({ file: elsewhere });
    const { size } = statSync(made);
    expect(files.files).toEqual([made, elsewhere]);
    expect(files).toMatchObject({ bytes: 2 * size, rows: 4, tokens: 16, filtered: 0 });
    expect(files.findings).toMatchObject({ rows: 4, episodes: 4, lowestReward: 0, highestReward: 1 });
  });
});
