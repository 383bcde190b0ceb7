import { PassThrough, Readable } from "node:stream";
import fp from "fastify-plugin";
import { declaredSize } from "../http/body-budget.js";
import { onResponseClose } from "../http/disconnect.js";
/** All held bodies together get the share of one sender, so that they leave room for control calls. */
const HELD = {};
/**
 * Adds `reply.holdBody`, for requests that wait. As long as a body is not read from its connection, Node does not notice that the
 * client disconnected, and the time limit for receiving the request continues.
 */
export const bodyHolding = fp((app, { budget }, done) => {
    app.decorateReply("holdBody", function () {
        const { request } = this;
        const { body, raw } = request;
        if (raw.complete || !(body instanceof Readable) || body instanceof PassThrough)
            return;
        const size = declaredSize(request);
        const release = budget.take(size, HELD);
        // Without room, the request waits with its body in the connection.
        if (typeof release === "string")
            return;
        const held = new PassThrough({ highWaterMark: size });
        request.body = body.pipe(held);
        held.once("close", release);
        onResponseClose(this, () => {
            held.destroy();
            // Read and drop the rest of the body, so that the connection can be reused.
            body.unpipe(held).resume();
        });
    });
    done();
});
//# sourceMappingURL=hold-body.js.map