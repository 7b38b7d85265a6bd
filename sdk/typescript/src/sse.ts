// Parser of server-sent events, without I/O.

export interface ServerSentEvent {
  kind: string;
  data: string;
}

/** Takes a stream in pieces. `lastId` and `retryMs` outlive a connection. */
export class EventParser {
  lastId: string | undefined;
  retryMs = 2000;
  #rest = "";
  #kind = "";
  #data: string[] = [];

  /** Drops the incomplete event of an interrupted connection. */
  start(): void {
    this.#rest = "";
    this.#kind = "";
    this.#data = [];
  }

  /** The events that a piece of text completes. */
  push(text: string): ServerSentEvent[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    const events: ServerSentEvent[] = [];
    for (const line of lines) {
      const event = this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (event) events.push(event);
    }
    return events;
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === "") {
      const event = { kind: this.#kind || "message", data: this.#data.join("\n") };
      this.#kind = "";
      this.#data = [];
      return event.data === "" ? undefined : event;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#kind = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.lastId = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }
}
