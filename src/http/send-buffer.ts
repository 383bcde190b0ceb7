import type { Socket } from "node:net";
import { native } from "../native/addon.js";

/** A half of it is for the kernel's overhead. Larger buffers are not faster, because they do not stay in the processor's cache. */
const SEND_BUFFER = 512 << 10;

/**
 * Lets a Unix socket take more bytes before its reader has read them. Writer and reader of a large answer then wait for each other
 * less often. Does nothing for TCP, whose buffers the kernel grows itself.
 */
export function growSendBuffer(socket: Socket): void {
  if (socket.remoteAddress !== undefined) return;
  // Node has no public way to set the size. Without a descriptor (a closed socket), the size stays as it is.
  const { fd } = (socket as { _handle?: { fd?: number } | null })._handle ?? {};
  if (fd !== undefined && fd >= 0) native.setSendBuffer(fd, SEND_BUFFER);
}
