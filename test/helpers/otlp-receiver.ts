import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number;
  readonly intValue?: { toString(): string };
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
}
type Attributes = readonly { readonly key: string; readonly value: AnyValue }[];

interface WireSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array | null;
  readonly startTimeUnixNano: { toString(): string };
  readonly endTimeUnixNano: { toString(): string };
  readonly status?: { readonly code: number } | null;
  readonly attributes: Attributes;
}

interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/** Made from the published definitions of OTLP by protobufjs. The exporter under test has an encoder of its own. */
const generated = createRequire(import.meta.url)(
  "@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js",
) as {
  opentelemetry: {
    proto: { collector: { trace: { v1: { ExportTraceServiceRequest: { decode(bytes: Buffer): WireRequest } } } } };
  };
};
const { ExportTraceServiceRequest } = generated.opentelemetry.proto.collector.trace.v1;

export interface ReceivedSpan {
  readonly name: string;
  /** `server`, `client` or `internal`. */
  readonly kind: string | undefined;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly failed: boolean;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly nanoseconds: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Attributes of the process. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** `take`: answers with 200. `hang`: never answers. `refuse`: answers with 400. */
export type ReceiverMode = "take" | "hang" | "refuse";

/** A receiver of OTLP over HTTP, which is closed when the test ends. */
export class OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[] = [];
  /** Headers of the requests. */
  readonly headers: IncomingMessage["headers"][] = [];
  /** The requests as they arrived. */
  readonly bodies: Buffer[] = [];

  private constructor(url: string) {
    this.url = url;
  }

  static async start(mode: ReceiverMode = "take"): Promise<OtlpReceiver> {
    const server = createServer((request, response) => void receiver.#receive(request, response, mode));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const receiver = new OtlpReceiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return receiver;
  }

  /** Returns the only span with this name. */
  span(name: string): ReceivedSpan {
    const [span, ...others] = this.spans.filter((each) => each.name === name);
    if (!span || others.length > 0) {
      throw new Error(`expected one span ${name}, received ${JSON.stringify(this.spans.map((each) => each.name))}`);
    }
    return span;
  }

  /** Returns the names of the spans whose parent is this one, in the order of their starts. */
  childrenOf({ spanId }: ReceivedSpan): string[] {
    return this.spans.filter(({ parentId }) => parentId === spanId).map(({ name }) => name);
  }

  async #receive(request: IncomingMessage, response: ServerResponse, mode: ReceiverMode): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    this.headers.push(request.headers);
    this.bodies.push(body);
    if (mode === "hang") return;
    if (request.url !== "/v1/traces" || mode === "refuse") return void response.writeHead(400).end();
    this.spans.push(...decode(body));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  }
}

function decode(body: Buffer): ReceivedSpan[] {
  return ExportTraceServiceRequest.decode(body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = readAttributes(resource.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => toReceived(span, process)));
  });
}

function toReceived(span: WireSpan, resource: Readonly<Record<string, unknown>>): ReceivedSpan {
  return {
    name: span.name,
    kind: [undefined, "internal", "server", "client"][span.kind],
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentId: hex(span.parentSpanId),
    failed: span.status?.code === 2,
    startTime: Number(BigInt(span.startTimeUnixNano.toString()) / 1_000_000n),
    nanoseconds: BigInt(span.endTimeUnixNano.toString()) - BigInt(span.startTimeUnixNano.toString()),
    attributes: readAttributes(span.attributes),
    resource,
  };
}

const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString("hex");

const readAttributes = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));

function readValue(value: AnyValue): unknown {
  if (Object.hasOwn(value, "arrayValue")) return value.arrayValue?.values.map(readValue);
  if (Object.hasOwn(value, "intValue")) return Number(value.intValue?.toString());
  if (Object.hasOwn(value, "doubleValue")) return value.doubleValue;
  if (Object.hasOwn(value, "boolValue")) return value.boolValue;
  return value.stringValue;
}
