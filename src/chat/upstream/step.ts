import type { EngineRun, ModelTokens } from '../engine'
import { CallMerger, type ToolCall } from './calls'
import type { AnswerPiece } from './chat-completions'

/** Sends the text of a run, whose limits cut it to the exact character; here only the model is stopped. */
export class SpokenText {
  /** Whether any text was sent. */
  began = false
  readonly #run: Pick<EngineRun, 'say' | 'ended'>
  #isSeparated = true

  constructor(run: Pick<EngineRun, 'say' | 'ended'>) {
    this.#run = run
  }

  /** Begins a step, whose text becomes a separate paragraph. */
  beginStep(): void {
    this.#isSeparated = !this.began
  }

  /** Sends text; false once the text has ended. */
  say(text: string): boolean {
    if (text !== '') {
      this.#run.say(this.#isSeparated ? text : `\n\n${text}`)
      this.#isSeparated = true
      this.began = true
    }
    return this.#run.ended === null
  }
}

const OPENING = /<think(?:ing)?>/
const CLOSING = /<\/think(?:ing)?>/
const TAGS = ['<think>', '<thinking>', '</think>', '</thinking>']

/**
 * Removes from a model's text the reasoning between `<think>` and `</think>`, wherever the stream cuts the tags, and
 * the white space before the first word. An unclosed tag hides all that follows.
 */
export class ThinkingFilter {
  #held = ''
  #thinking = false
  #hasSpoken = false

  /** Adds text; returns the part of the answer that is certain. */
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

  /** Ends the text; returns what was held back, which turned out not to be a tag. */
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

/** Counts the characters at the end that may be the start of a tag. */
function countOpenTag(text: string): number {
  const start = text.lastIndexOf('<')
  const end = text.slice(start)
  return start >= 0 && TAGS.some((tag) => tag.startsWith(end)) ? end.length : 0
}

/** The result of one step. */
export interface ModelStep {
  /** The text that was sent. */
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** `length`: the model had no more tokens. `said`: the caller's stop sequence or limit ended the text. */
  readonly end: 'whole' | 'length' | 'said'
}

/** Bytes of a token, more than any text has on average: a server that sends more ignores our limit. */
const TOKEN_BYTES = 8
/** Bytes, and pieces, for names, role and usage. */
const SLACK_BYTES = 64

/**
 * Reads an answer: sends its text as it comes, and collects its calls. Stops reading when the text has ended.
 * @param number the number of the step, from 1
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

/** Counts what a server sends in one step. */
export class StepUsage {
  finish = ''
  #usage: AnswerPiece['usage'] = null
  #bytes = 0
  #pieces = 0
  readonly #maxTokens: number
  readonly #promptTokens: number

  /** @param promptTokens estimated; used unless the server counts them */
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

  /** Whether the server sent more than the limit. Empty pieces count too, so that an endless stream of them ends. */
  get isOverLimit(): boolean {
    return (
      this.#bytes > this.#maxTokens * TOKEN_BYTES + SLACK_BYTES ||
      this.#pieces > this.#maxTokens * TOKEN_BYTES + SLACK_BYTES
    )
  }

  /** The tokens of the step: none as long as nothing came. */
  get tokens(): ModelTokens {
    if (this.#usage) return { ...this.#usage, estimated: false }
    const prompt = this.#pieces > 0 ? this.#promptTokens : 0
    return { prompt, completion: Math.ceil(this.#bytes / 4), estimated: this.#pieces > 0 }
  }
}
