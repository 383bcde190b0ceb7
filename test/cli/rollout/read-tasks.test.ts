import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTasks } from "../../../src/cli/rollout/read-tasks.js";
import { temporaryFolder } from "../rolltape.js";

function write(text: string): string {
  const file = join(temporaryFolder(), "tasks.jsonl");
  writeFileSync(file, text);
  return file;
}

describe("the tasks of a file", () => {
  it.each<[string, string, [string, unknown][]]>([
    [
      "one on each line",
      '{"a":1}\n\n  \n"b"\n3\n',
      [
        ["task-0", { a: 1 }],
        ["task-1", "b"],
        ["task-2", 3],
      ],
    ],
    [
      "an array",
      '\n [{"a":1},\n 2]\n',
      [
        ["task-0", { a: 1 }],
        ["task-1", 2],
      ],
    ],
    [
      "an array on each line",
      "[1,2]\n[3]\n",
      [
        ["task-0", [1, 2]],
        ["task-1", [3]],
      ],
    ],
    ["a byte order mark", '\uFEFF{"a":1}', [["task-0", { a: 1 }]]],
    [
      "ids of their own",
      '{"task_id":"math.7:a_b-c"}\n{"task_id":null}\nnull\n',
      [
        ["math.7:a_b-c", { task_id: "math.7:a_b-c" }],
        ["task-1", { task_id: null }],
        ["task-2", null],
      ],
    ],
  ])("may be %s", async (_, text, tasks) => {
    expect(await readTasks(write(text))).toEqual(tasks.map(([taskId, data]) => ({ taskId, data })));
  });

  it.each<[string, string, RegExp]>([
    ["none", "\n \n", /tasks\.jsonl has no tasks\.$/],
    ["none in an array", "[]", /tasks\.jsonl has no tasks\.$/],
    ["a line that is no JSON", '{"a":1}\n{b}\n', /tasks\.jsonl:2 is not JSON: .*JSON/],
    ["an array without an end", "[1,\n2", /tasks\.jsonl is not a JSON array: .*JSON/],
    ["a line after one array", "[1]\n[2\n", /tasks\.jsonl:2 is not JSON/],
    [
      "an id of a number",
      '[{"task_id":7}]',
      /tasks\.jsonl\[0\]: `task_id` must be 1 to 128 characters of A-Z a-z 0-9 \. _ : -; received 7\.$/,
    ],
    ["an empty id", '1\n{"task_id":""}', /tasks\.jsonl:2: `task_id` must be .*; received ""\.$/],
    ["an id with a space", '{"task_id":"a b"}', /received "a b"\.$/],
    ["a long id", `{"task_id":"${"x".repeat(129)}"}`, /received "x{129}"\.$/],
    ["a very long id", `{"task_id":"${"x".repeat(999)}"}`, /received "x{159}\.$/],
  ])("are refused with %s", async (_, text, problem) => {
    const refused = readTasks(write(text));
    await expect(refused).rejects.toMatchObject({ code: "invalid_data" });
    await expect(refused).rejects.toThrow(problem);
  });

  it("are refused if there is no such file", async () => {
    const missing = join(temporaryFolder(), "none");
    await expect(readTasks(missing)).rejects.toThrow(`--data ${missing} cannot be read: ENOENT`);
  });
});
