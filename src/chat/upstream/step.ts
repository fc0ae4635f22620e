import type { EngineRun, ModelTokens } from '../engine'
import { CallMerger, type ToolCall } from './calls'
import type { AnswerPiece } from './chat-completions'
import { echoMembers, growMembers, type Members } from './members'

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

/** The tags of reasoning, and of calls of tools that a model writes as text: those are never run. */
const TAG = /<(\/?)(think|thinking|tool_call)>/
const CLOSING = { think: /<(\/)(think|thinking)>/, tool_call: /<(\/)(tool_call)>/ } as const
const TAGS = ['think', 'thinking', 'tool_call'].flatMap((name) => [`<${name}>`, `</${name}>`])
const LONGEST_TAG = Math.max(...TAGS.map(({ length }) => length))

/**
 * Removes from a model's text what is between tags of reasoning and of calls, wherever the stream cuts them, and the
 * white space before the first word. An unclosed tag hides all that follows. What is before a `</think>` without an
 * opening is reasoning, too.
 */
export class VisibleText {
  /** Whether reasoning ended that had no opening. */
  wasUnopened = false
  #held = ''
  #hidden: keyof typeof CLOSING | null = null
  #hasSpoken = false
  /** Whether there was no reasoning yet: only the first can be without an opening. */
  #isFirst = true
  /** Text that may turn out to be reasoning without an opening; null if text is said as it comes. */
  #waiting: string | null

  /** @param waits whether nothing is said before the text ends, or its reasoning, since it may begin with that */
  constructor(waits = false) {
    this.#waiting = waits ? '' : null
  }

  /** Adds text; returns the part of the answer that is certain. */
  push(text: string): string {
    this.#held += text
    let said = ''
    for (let tag = this.#findTag(); tag; tag = this.#findTag()) {
      const [whole, closes, name] = tag
      if (this.#hidden === null) said += this.#held.slice(0, tag.index)
      if (this.#hidden === null && closes === '/' && name !== 'tool_call' && this.#isFirst) {
        this.#isFirst = false
        this.wasUnopened = true
        said = ''
        this.#waiting = null
      }
      this.#hidden = closes === '' ? (name === 'tool_call' ? 'tool_call' : 'think') : null
      this.#held = this.#held.slice(tag.index + whole.length)
      if (this.#hidden === 'think') {
        this.#isFirst = false
        said = this.#release(said)
      }
    }
    const open = this.#hidden === null ? countOpenTag(this.#held) : Math.min(this.#held.length, LONGEST_TAG)
    const certain = this.#held.length - open
    if (this.#hidden === null) said += this.#held.slice(0, certain)
    this.#held = this.#held.slice(certain)
    if (this.#waiting === null) return this.#trimStart(said)
    this.#waiting += said
    return ''
  }

  /** Ends the text; returns what was held back, which turned out to be the answer. */
  end(): string {
    const rest = this.#hidden === null ? this.#held : ''
    this.#held = ''
    return this.#trimStart(this.#release(rest))
  }

  #findTag(): RegExpExecArray | null {
    return (this.#hidden === null ? TAG : CLOSING[this.#hidden]).exec(this.#held)
  }

  /** Ends the wait, since this reasoning has an opening, or there was none. */
  #release(said: string): string {
    const all = (this.#waiting ?? '') + said
    this.#waiting = null
    return all
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
  /** The other members of the turn, to be sent back. */
  readonly others: Members
  /** `length`: the model had no more tokens. `said`: the caller's stop sequence or limit ended the text. */
  readonly end: 'whole' | 'length' | 'said'
}

/** Bytes of a token, more than any text has on average: a server that sends more ignores our limit. */
const TOKEN_BYTES = 8
/** Bytes, and pieces, for names, role and usage. */
const SLACK_BYTES = 64
/** Bytes of JSON of the members to be sent back, in pieces: far more than reasoning and its signatures have. */
const MAX_OTHER_BYTES = 4 * 1024 * 1024

/**
 * Reads an answer: sends its text as it comes, and collects its calls. Stops reading when the text has ended.
 * @param number the number of the step, from 1
 */
export async function readStep(
  pieces: AsyncIterable<AnswerPiece>,
  { speech, visible, usage }: { speech: SpokenText; visible: VisibleText; usage: StepUsage },
  number: number,
): Promise<ModelStep> {
  const calls = new CallMerger()
  let others: Members = {}
  let text = ''
  const say = (part: string) => {
    text += part
    return speech.say(part)
  }
  const step = (end: ModelStep['end']): ModelStep => {
    return { text, calls: calls.finish(number), others: echoMembers(others), end }
  }
  speech.beginStep()
  for await (const piece of pieces) {
    const part = visible.push(piece.text)
    usage.add(piece, part)
    calls.add(piece.fragments)
    others = growMembers(others, piece.others)
    if (!say(part)) return step('said')
    if (usage.isOverLimit) return step('length')
  }
  if (!say(visible.end())) return step('said')
  return step(usage.finish === 'length' ? 'length' : 'whole')
}

/** The tokens that a step may take: of its answer, and of reasoning besides. */
interface StepLimits {
  readonly answer: number
  readonly reasoning: number
}

/** Counts what a server sends in one step. */
export class StepUsage {
  finish = ''
  #usage: AnswerPiece['usage'] = null
  #bytes = 0
  /** Bytes that are no answer: reasoning, and text that is not shown. */
  #hiddenBytes = 0
  #otherBytes = 0
  #pieces = 0
  readonly #limits: StepLimits
  readonly #promptTokens: number

  /** @param promptTokens estimated; used unless the server counts them */
  constructor(limits: StepLimits, promptTokens: number) {
    this.#limits = limits
    this.#promptTokens = promptTokens
  }

  /** @param said the part of the answer that a piece has brought */
  add({ text, thought, fragments, others, finish, usage }: AnswerPiece, said: string): void {
    const calls = Buffer.byteLength(fragments.map((call) => call.name + call.arguments).join(''))
    const sent = Buffer.byteLength(text) + Buffer.byteLength(thought) + calls
    this.#bytes += sent
    this.#hiddenBytes = Math.max(0, this.#hiddenBytes + sent - calls - Buffer.byteLength(said))
    this.#otherBytes += Buffer.byteLength(JSON.stringify(others))
    this.#pieces++
    this.finish ||= finish
    this.#usage = usage ?? this.#usage
  }

  /** Whether the server sent more than the limit. Empty pieces count too, so that an endless stream of them ends. */
  get isOverLimit(): boolean {
    const { answer, reasoning } = this.#limits
    const most = (tokens: number) => tokens * TOKEN_BYTES + SLACK_BYTES
    const isLong = Math.max(this.#bytes, this.#pieces) > most(answer + reasoning)
    return isLong || this.#bytes - this.#hiddenBytes > most(answer) || this.#otherBytes > MAX_OTHER_BYTES
  }

  /** Whether the model has thought: the server says so, or sent its reasoning. */
  get hasThought(): boolean {
    return (this.#usage?.reasoning ?? 0) > 0 || this.#hiddenBytes > 0
  }

  /** The tokens of the answer, without those of reasoning. */
  get answerTokens(): number {
    const { completion } = this.tokens
    const share = this.#bytes === 0 ? 0 : this.#hiddenBytes / this.#bytes
    return completion - Math.min(completion, this.#usage?.reasoning ?? Math.round(completion * share))
  }

  /** The tokens of the step: none as long as nothing came. */
  get tokens(): ModelTokens {
    if (this.#usage) return { prompt: this.#usage.prompt, completion: this.#usage.completion, estimated: false }
    const prompt = this.#pieces > 0 ? this.#promptTokens : 0
    return { prompt, completion: Math.ceil(this.#bytes / 4), estimated: this.#pieces > 0 }
  }
}
