/**
 * The page's side of the worker: sends requests, hands on what comes back, and ends a run that takes too long.
 *
 * @typedef {{exitCode: number, output: string, reported: string}} Result  what a command printed
 * @typedef {Record<string, string>} Files  name -> text
 * @typedef {{id: number, files: Files, commands: string[][], masked: boolean}} Request
 * @typedef {{id?: number, progress?: string, index?: number, result?: Result, masked?: Files, done?: boolean, time?: number, failed?: string}} Reply
 * @typedef {{resolve: (done: Reply) => void, reject: (reason: Error) => void, onResult: (index: number, result: Result) => void}} Waiting
 */

/** A run that the user or a newer one has ended. */
export class Stopped extends Error {}

export class Runner {
  #worker = /** @type {Worker | undefined} */ (undefined);
  #waiting = /** @type {Map<number, Waiting>} */ (new Map());
  #number = 0;
  #onProgress;

  /** @param {(text: string, isRun: boolean) => void} onProgress  gets what the worker does now; it loads, or runs a command */
  constructor(onProgress) {
    this.#onProgress = onProgress;
    this.#start();
  }

  /**
   * Runs commands on files, one after another; `onResult` gets each result as soon as it is there.
   *
   * @param {Files} files
   * @param {string[][]} commands  the arguments of each
   * @param {(index: number, result: Result) => void} onResult
   * @returns {Promise<number>}  the milliseconds that they took; rejected with Stopped if `stop` was called
   */
  async run(files, commands, onResult) {
    const { time } = await this.#send({ files, commands, masked: false }, onResult);
    return time ?? 0;
  }

  /**
   * Returns files without credentials and without what Secrets hold.
   *
   * @param {Files} files
   * @returns {Promise<Files>}
   */
  async masked(files) {
    const { masked } = await this.#send({ files, commands: [], masked: true }, () => {});
    return masked ?? {};
  }

  /** Ends what runs now. Python cannot be interrupted, so a new worker takes the place of the old one. */
  stop() {
    this.#end(new Stopped("stopped"));
    this.#start();
  }

  #start() {
    const worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = (/** @type {MessageEvent<Reply>} */ event) => this.#handle(event.data);
    worker.onerror = (event) => this.#fail(`the worker could not run: ${event.message ?? "it was not found"}`);
    this.#worker = worker;
  }

  /**
   * @param {Omit<Request, "id">} request
   * @param {(index: number, result: Result) => void} onResult
   * @returns {Promise<Reply>}
   */
  #send(request, onResult) {
    if (!this.#worker) {
      this.#start();
    }
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onResult });
      this.#worker?.postMessage({ id, ...request });
    });
  }

  /** @param {Reply} reply */
  #handle(reply) {
    const { id, progress, index, result, done, failed } = reply;
    if (progress !== undefined) {
      this.#onProgress(progress, id !== undefined);
    }
    if (failed !== undefined) {
      this.#fail(failed);
      return;
    }
    const waiting = this.#waiting.get(id ?? 0);
    if (waiting && result && index !== undefined) {
      waiting.onResult(index, result);
    }
    if (waiting && done) {
      this.#waiting.delete(id ?? 0);
      waiting.resolve(reply);
    }
  }

  /** @param {string} message  what went wrong; a new worker is started with the next request */
  #fail(message) {
    this.#end(new Error(message));
    this.#onProgress(message, false);
  }

  /** @param {Error} reason */
  #end(reason) {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) {
      waiting.reject(reason);
    }
    this.#waiting.clear();
  }
}
