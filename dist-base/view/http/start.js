import { createViewer } from "./app.js";
/** Serves a source on the loopback interface. Resolves when the page can be opened. */
export async function startViewer(source, page, port) {
    const { app, firstPath } = await createViewer(source, page);
    const address = await app.listen({ host: "127.0.0.1", port });
    const close = async () => {
        const closed = app.close();
        // Requests for changes would delay the end by seconds.
        app.server.closeAllConnections();
        await closed;
        await source[Symbol.asyncDispose]();
    };
    return { url: `${address}${firstPath}`, close };
}
//# sourceMappingURL=start.js.map