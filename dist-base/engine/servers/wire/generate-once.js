import { GenerationSink } from "./reply-sink.js";
/** Sends one request and adds the tokens of its reply, streamed or not, to the call's generation. */
export async function generateOnce(server, call, { path, body, onSent, headers, format }, signal) {
    const version = call.currentVersion();
    const routed = { path, body, onSent, headers: { ...call.traceHeaders, ...headers }, routingKey: call.affinityKey };
    const sink = await server.generate(routed, () => new GenerationSink(call, format, version), signal);
    return sink.finish();
}
//# sourceMappingURL=generate-once.js.map