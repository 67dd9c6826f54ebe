import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { resetConnection } from '../accept/disconnect.ts';

// Combines small chunks into larger writes, which take less time. A chunk waits at most one turn of the event loop.
const CHUNK_LENGTH = 8_192;

/**
 * The body of a response that is written while it is produced. Collects short texts, and waits for the client to read.
 * Disconnects a client that reads nothing for a time.
 */
export class StreamOutput {
  /** Whether the client must read before more is written. */
  isBlocked = false;
  readonly #res: ServerResponse & { readonly flush?: () => void };
  readonly #encoder: Transform | undefined;
  readonly #stallTimeoutMs: number;
  readonly #onError: (error: unknown) => void;
  #text = '';
  #isFlushScheduled = false;
  #wake: (() => void) | undefined;

  /**
   * @param onError receives the error of a write at the end of a turn, such as a body longer than its Content-Length
   * @param encoder compresses the body, and flushes each chunk
   */
  constructor(res: ServerResponse, stallTimeoutMs: number, onError: (error: unknown) => void, encoder?: Transform) {
    this.#res = res;
    this.#onError = onError;
    this.#encoder = encoder;
    this.#stallTimeoutMs = stallTimeoutMs;
    // Middleware such as `compression` emits these events but never calls the callbacks of write() and end(). Its on()
    // returns another stream, so calls are not chained.
    this.#target.on('drain', this.#onDrain);
    res.on('finish', this.wake);
    encoder?.on('error', (error) => res.destroy(error)).pipe(res);
  }

  /** The stream to write to. */
  get #target(): Transform | ServerResponse {
    return this.#encoder ?? this.#res;
  }

  /** Whether the connection is closed. */
  get isClosed(): boolean {
    return this.#res.destroyed;
  }

  write(chunk: string | Uint8Array): void {
    if (typeof chunk === 'string') {
      this.#text += chunk;
      if (this.#text.length >= CHUNK_LENGTH) this.#flush();
      else this.#scheduleFlush();
    } else {
      this.#flush();
      this.#send(chunk);
    }
  }

  /** Resolves once the client has read the written data, or has disconnected. */
  drained(): Promise<void> {
    return this.#until(() => !this.isBlocked);
  }

  /** Ends the body. Returns whether it was sent completely. */
  async end(): Promise<boolean> {
    this.#target.end(this.#takeText());
    await this.#until(() => this.#res.writableFinished);
    return this.#res.writableFinished;
  }

  /** Continues when the client has read or has disconnected. */
  readonly wake = (): void => {
    this.#wake?.();
  };

  /** Removes the listeners. */
  release(): void {
    this.#target.off('drain', this.#onDrain);
    this.#res.off('finish', this.wake);
    this.#encoder?.destroy();
  }

  readonly #onDrain = (): void => {
    this.isBlocked = false;
    this.wake();
  };

  #takeText(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #flush(): void {
    if (this.#text !== '') this.#send(this.#takeText());
  }

  #send(chunk: string | Uint8Array): void {
    if (this.#res.destroyed) return;
    // Middleware may have replaced write() by a function that returns nothing.
    const isAccepted: unknown = this.#target.write(chunk);
    if (isAccepted === false || (isAccepted === undefined && this.#target.writableNeedDrain)) this.isBlocked = true;
    this.#scheduleFlush();
  }

  /** Flushes at the end of the turn, since the source may pause for long; also the buffers of middleware. */
  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    setImmediate(() => {
      try {
        this.#flush();
        this.#isFlushScheduled = false;
        if (!this.#res.destroyed && !this.#res.writableEnded) this.#res.flush?.();
      } catch (error) {
        this.#onError(error);
      }
    });
  }

  /** Waits until the client has taken the written data or has disconnected. Disconnects a stalled client. */
  #until(isTaken: () => boolean): Promise<void> {
    const res = this.#res;
    return new Promise((resolve) => {
      let hasSocket = res.socket !== null; // A pipelined response has no socket until earlier responses are sent.
      let { writableLength } = res;
      const timer = setInterval(() => {
        // A reset also frees the kernel's buffers.
        if (hasSocket && res.writableLength === writableLength) resetConnection(res);
        hasSocket = res.socket !== null;
        ({ writableLength } = res);
      }, this.#stallTimeoutMs);
      this.#wake = () => {
        if (!isTaken() && !res.destroyed) return;
        clearInterval(timer);
        resolve();
      };
      this.#wake();
    });
  }
}
