import type { ParsedRequest } from '../request'
import type { EngineRun } from '../run'

/** What is said in a run, and when the caller has heard enough of it: a stop sequence or the limit of tokens. */
export class Speech {
  readonly #run: Pick<EngineRun, 'say'>
  readonly #stop: readonly string[]
  /** Bytes of UTF-8: a token is four, wherever nobody has counted. */
  readonly #limit: number
  #bytes = 0
  /** The end of what was said, as long as a stop sequence may still need it. */
  #tail = ''
  #parted = true
  #end: 'stop' | 'length' | null = null

  constructor(run: Pick<EngineRun, 'say'>, { stop, tokenLimit }: Pick<ParsedRequest, 'stop' | 'tokenLimit'>) {
    this.#run = run
    this.#stop = stop
    this.#limit = tokenLimit === null ? Number.POSITIVE_INFINITY : tokenLimit * 4
  }

  /** Whether anything was said. */
  get began(): boolean {
    return this.#bytes > 0
  }

  /** Why the caller has heard enough; null if not. */
  get end(): 'stop' | 'length' | null {
    return this.#end
  }

  /** A new step begins: what it says stands in a paragraph of its own. */
  begin(): void {
    this.#parted = !this.began
  }

  /** False once the caller has heard enough. The run cuts the text to the character; here only the model is stopped. */
  say(text: string): boolean {
    if (text === '') return this.#end === null
    const spoken = this.#parted ? text : `\n\n${text}`
    this.#parted = true
    this.#run.say(spoken)
    this.#bytes += Buffer.byteLength(spoken)
    const heard = this.#tail + spoken
    if (this.#stop.some((sequence) => heard.includes(sequence))) this.#end ??= 'stop'
    else if (this.#bytes > this.#limit) this.#end ??= 'length'
    this.#tail = heard.slice(-Math.max(1, ...this.#stop.map(({ length }) => length)))
    return this.#end === null
  }
}
