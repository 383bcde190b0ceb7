import fp from "fastify-plugin";
import { declaredSize } from "../../http/body-budget.js";
import { onResponseClose } from "../../http/disconnect.js";
import { JsonStream } from "../call/json-stream.js";
/** Refuses calls beyond the limits of their session or of the store. Register this after the plugin that checks keys. */
export const admissionPlugin = fp((app, { admission, isDraining }, done) => {
    app.decorateRequest("admitted", null);
    /** Returns true if the route refuses the call with a better reason: the session has ended, or the server stops. */
    const isRefusedByRoute = (kind, { state }) => kind === "model" && (state !== "active" || isDraining());
    app.addHook("onRequest", (request, reply, next) => {
        const { session, routeOptions } = request;
        const kind = routeOptions.config.admits;
        if (!kind || !session || isRefusedByRoute(kind, session))
            return next();
        try {
            request.admitted = admission.admit(session, kind, declaredSize(request));
        }
        catch (error) {
            return next(error);
        }
        const { admitted } = request;
        const onAnswered = () => admitted.answered();
        onResponseClose(reply, onAnswered);
        // Without this, the next request of the connection could begin before this call has ended: both wait for `close`.
        reply.raw.on("finish", onAnswered);
        next();
    });
    app.addHook("onSend", ({ admitted }, _reply, payload, next) => {
        if (typeof payload === "string")
            admitted?.holdAnswer(Buffer.byteLength(payload));
        else if (payload instanceof JsonStream)
            admitted?.holdAnswer(payload.memory);
        next(null, payload);
    });
    done();
});
/** Runs the call of a request. It stays in flight until its answer is sent. */
export async function whileAdmitted({ admitted, bodyBytes }, { raw }, run) {
    if (!admitted)
        return run();
    admitted.begin(bodyBytes);
    try {
        return await run();
    }
    finally {
        // For a stream, whose end was written by now. Other answers are counted in `onSend`.
        admitted.finish(raw.writableLength);
    }
}
//# sourceMappingURL=admission.js.map