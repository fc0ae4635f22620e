import type { EngineRun, ModelTokens } from '../engine'
import type { ParsedRequest } from '../request'
import { CallMerger, type ToolCall } from './calls'
import type { AnswerPiece } from './dialects'

/** What is said in a run, and when the caller has heard enough of it: a stop sequence or the limit of tokens. */
export class SpokenText {
  readonly #run: Pick<EngineRun, 'say'>
  readonly #stop: readonly string[]
  /** Bytes of UTF-8: a token is four, wherever nobody has counted. */
  readonly #limit: number
  #bytes = 0
  /** The end of what was said, as long as a stop sequence may still need it. */
  #tail = ''
  #isSeparated = true
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

  /** A new step begins: its text becomes a paragraph of its own. */
  beginStep(): void {
    this.#isSeparated = !this.began
  }

  /** False once the caller has heard enough. The run cuts the text to the character; here only the model is stopped. */
  say(text: string): boolean {
    if (text === '') return this.#end === null
    const spoken = this.#isSeparated ? text : `\n\n${text}`
    this.#isSeparated = true
    this.#run.say(spoken)
    this.#bytes += Buffer.byteLength(spoken)
    const heard = this.#tail + spoken
    if (this.#stop.some((sequence) => heard.includes(sequence))) this.#end ??= 'stop'
    else if (this.#bytes > this.#limit) this.#end ??= 'length'
    this.#tail = heard.slice(-Math.max(1, ...this.#stop.map(({ length }) => length)))
    return this.#end === null
  }
}

const OPENING = /<think(?:ing)?>/
const CLOSING = /<\/think(?:ing)?>/
const TAGS = ['<think>', '<thinking>', '</think>', '</thinking>']

/**
 * Takes out of a model's text what it thinks aloud between `<think>` and `</think>`, wherever the stream cuts the
 * tags, and the blank space before the first word. What is never closed is all thought.
 */
export class ThinkingFilter {
  #held = ''
  #thinking = false
  #hasSpoken = false

  /** The part of the answer that is certain by now. */
  push(text: string): string {
    this.#held += text
    let said = ''
    for (;;) {
      const tag = (this.#thinking ? CLOSING : /<\/?think(?:ing)?>/).exec(this.#held)
      if (!tag) break
      if (!this.#thinking) said += this.#held.slice(0, tag.index)
      this.#held = this.#held.slice(tag.index + tag[0].length)
      this.#thinking = OPENING.test(tag[0])
    }
    const certain = this.#held.length - countOpenTag(this.#held)
    if (!this.#thinking) said += this.#held.slice(0, certain)
    this.#held = this.#held.slice(certain)
    return this.#trimStart(said)
  }

  /** What was held back and has turned out to be no tag. */
  end(): string {
    const rest = this.#thinking ? '' : this.#held
    this.#held = ''
    return this.#trimStart(rest)
  }

  #trimStart(text: string): string {
    const said = this.#hasSpoken ? text : text.trimStart()
    this.#hasSpoken ||= said !== ''
    return said
  }
}

/** How many characters at the end may be the start of a tag. */
function countOpenTag(text: string): number {
  const start = text.lastIndexOf('<')
  const end = text.slice(start)
  return start >= 0 && TAGS.some((tag) => tag.startsWith(end)) ? end.length : 0
}

/** What one step brought. */
export interface ModelStep {
  /** What was said in it. */
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** `length`: the model had no more tokens. `said`: the caller wants no more than what was said. */
  readonly end: 'whole' | 'length' | 'said'
}

/** Bytes of a token that no text reaches on average: a server that sends more ignores the limit that we sent. */
const TOKEN_BYTES = 8
/** For names, role and usage, which come in pieces of their own. */
const SLACK_BYTES = 64

/**
 * Says the text of an answer as it comes and gathers its calls. Leaves the rest unread where nothing more is wanted.
 * `number`: of the step, from 1.
 */
export async function readStep(
  pieces: AsyncIterable<AnswerPiece>,
  speech: SpokenText,
  usage: StepUsage,
  number: number,
): Promise<ModelStep> {
  const visible = new ThinkingFilter()
  const calls = new CallMerger()
  let text = ''
  const say = (part: string) => {
    text += part
    return speech.say(part)
  }
  const step = (end: ModelStep['end']): ModelStep => ({ text, calls: calls.finish(number), end })
  speech.beginStep()
  for await (const piece of pieces) {
    usage.add(piece)
    calls.add(piece.fragments)
    if (!say(visible.push(piece.text))) return step('said')
    if (usage.isOverLimit) return step('length')
  }
  if (!say(visible.end())) return step('said')
  return step(usage.finish === 'length' ? 'length' : 'whole')
}

/** Keeps count of what a server sends in one step. */
export class StepUsage {
  finish = ''
  #usage: AnswerPiece['usage'] = null
  #bytes = 0
  #pieces = 0
  readonly #maxTokens: number
  readonly #promptTokens: number

  /** `promptTokens`: estimated; what the server counts goes before it. */
  constructor(maxTokens: number, promptTokens: number) {
    this.#maxTokens = maxTokens
    this.#promptTokens = promptTokens
  }

  add({ text, thought, fragments, finish, usage }: AnswerPiece): void {
    const sent = [text, thought, ...fragments.map((call) => call.name + call.arguments)].join('')
    this.#bytes += Buffer.byteLength(sent)
    this.#pieces++
    this.finish ||= finish
    this.#usage = usage ?? this.#usage
  }

  /** Empty pieces count as well, so that they come to an end too. */
  get isOverLimit(): boolean {
    return (
      this.#bytes > this.#maxTokens * TOKEN_BYTES + SLACK_BYTES ||
      this.#pieces > this.#maxTokens * TOKEN_BYTES + SLACK_BYTES
    )
  }

  /** Nothing was spent as long as nothing has come. */
  get tokens(): ModelTokens {
    if (this.#usage) return { ...this.#usage, estimated: false }
    const prompt = this.#pieces > 0 ? this.#promptTokens : 0
    return { prompt, completion: Math.ceil(this.#bytes / 4), estimated: this.#pieces > 0 }
  }
}
