import { describeJsonCall } from "../structure/call-structure.js";
import { listCalls } from "../syntax/call-list.js";
const CALLS = { begin: "<TOOLCALL>", end: "</TOOLCALL>" };
/** Nemotron Nano v2 and the Llama-Nemotron models: a JSON list between tags. Source: the models' chat templates. */
export const nemotronNanoV2 = {
    name: "nemotron_nano_v2",
    calls: {
        docs: {
            models: "Nemotron Nano v2, Llama-Nemotron",
            call: '`<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>`',
            arguments: "JSON",
        },
        detection: { template: [CALLS.begin] },
        syntax: listCalls([CALLS]),
        structure: {
            trigger: CALLS.begin,
            section: { begin: `${CALLS.begin}[`, end: `]${CALLS.end}` },
            list: { separator: ", " },
            describeCall: describeJsonCall((name) => `{"name": "${name}", "arguments": `, "}"),
        },
    },
};
//# sourceMappingURL=nemotron-nano-v2.js.map