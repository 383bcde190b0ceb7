import { once } from "node:events";
import { createServer } from "node:net";
/** Finds a port that is free on this machine now: the wanted one if it is free, else any. */
export async function findFreePort(wanted = 0) {
    const server = createServer();
    try {
        server.listen(wanted);
        await once(server, "listening");
    }
    catch (error) {
        if (wanted === 0)
            throw error;
        return findFreePort();
    }
    const address = server.address();
    server.close();
    await once(server, "close");
    if (address === null || typeof address === "string")
        throw new Error("a TCP server has no port");
    return address.port;
}
//# sourceMappingURL=free-port.js.map