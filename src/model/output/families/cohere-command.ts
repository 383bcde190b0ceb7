import type { Family } from "../family.js";
import type { Step } from "../reader/output-cursor.js";
import { describeJsonArguments } from "../structure/call-structure.js";
import { constant, regex, sequence, tag } from "../structure/format.js";
import { type ReadItem, readCallList } from "../syntax/call-list.js";
import type { CallContext } from "../syntax/call-syntax.js";
import { readJsonCall } from "../syntax/json-call.js";

const ACTION = { begin: "<|START_ACTION|>", end: "<|END_ACTION|>" };
const THINKING = { begin: "<|START_THINKING|>", end: "<|END_THINKING|>" };

/** Markers around the answer's text: Command 3 and 4. */
const TEXT = { begin: ["<|START_RESPONSE|>", "<|START_TEXT|>"], end: ["<|END_RESPONSE|>", "<|END_TEXT|>"] };
const TEXT_MARKERS = [...TEXT.begin, ...TEXT.end];

const readItem: ReadItem = (context, call) => readJsonCall(context, call, { nameField: "tool_name" });

/**
 * Cohere's Command 3 and 4: every part of an answer stands between markers. The model's call ids are not kept, because
 * the chat templates number the calls anew. Sources: the models' chat templates; Cohere's melody.
 */
export const cohereCommand = {
  name: "cohere_command",
  calls: {
    docs: {
      models: "Command R7B, Command A, North",
      call: `\`${ACTION.begin}[{"tool_call_id": "0", "tool_name": …, "parameters": {…}}]${ACTION.end}\``,
      arguments: "JSON",
    },
    detection: { template: [ACTION.begin] },
    syntax: {
      markers: [ACTION.begin, ACTION.end, ...TEXT_MARKERS],
      read: (context) => readParts(context, [ACTION.begin, ACTION.end]),
      textOnly: { markers: TEXT_MARKERS, read: (context) => readParts(context, []) },
    },
    structure: {
      trigger: ACTION.begin,
      section: { begin: `${ACTION.begin}[\n    `, end: `\n]${ACTION.end}` },
      list: { separator: ",\n    " },
      describeCall: (tool) => {
        const name = constant(`", "tool_name": "${tool.function.name}", "parameters": `);
        return tag('{"tool_call_id": "', sequence([regex("[0-9]{1,4}"), name, describeJsonArguments(tool)]), "}");
      },
    },
  },
  reasoning: {
    docs: `\`${THINKING.begin}\` and \`${THINKING.end}\`; a call ends it`,
    detection: { markers: [THINKING.begin] },
    block: { ...THINKING, endsAtCalls: true },
  },
} as const satisfies Family;

/** Reads text and calls, without the markers around the text. */
function* readParts(context: CallContext, callMarkers: readonly string[]): Step<void> {
  const { reader, out } = context;
  const markers = reader.markers([...callMarkers, ...TEXT_MARKERS]);
  for (;;) {
    const marker = yield* reader.until(markers, out.text);
    if (marker === undefined) return;
    reader.startRecording();
    reader.skip(marker);
    if (marker === ACTION.begin) yield* readCallList(context, ACTION, readItem, callMarkers);
    else if (marker === ACTION.end) out.writeMalformed(reader.endRecording());
    else {
      reader.endRecording();
      if (TEXT.begin.includes(marker)) out.beginPart();
      else out.markBoundary();
    }
  }
}
