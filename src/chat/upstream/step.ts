import { CallMerger, type ToolCall } from './calls'
import type { Piece } from './dialect'
import type { ModelTokens } from './failure'
import type { Speech } from './speech'
import { ThinkingFilter } from './thinking'

/** What one step brought. */
export interface ModelStep {
  /** What was said in it. */
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** `length`: the model had no more tokens. `said`: the caller wants no more than what was said. */
  readonly end: 'whole' | 'length' | 'said'
}

/** Bytes of a token that no text reaches on average: a server that goes on beyond ignores the limit it was told. */
const TOKEN_BYTES = 8
/** For names, role and usage, which come in pieces of their own. */
const SLACK = 64

/**
 * Says the text of an answer as it comes and gathers its calls. Leaves the rest unread where nothing more is wanted.
 * `number`: of the step, from 1.
 */
export async function takeStep(
  pieces: AsyncIterable<Piece>,
  speech: Speech,
  seen: StepUsage,
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
  speech.begin()
  for await (const piece of pieces) {
    seen.add(piece)
    calls.add(piece.fragments)
    if (!say(visible.push(piece.text))) return step('said')
    if (seen.tooMuch) return step('length')
  }
  if (!say(visible.end())) return step('said')
  return step(seen.finish === 'length' ? 'length' : 'whole')
}

/** Keeps count of what a server sends in one step. */
export class StepUsage {
  finish = ''
  #usage: Piece['usage'] = null
  #bytes = 0
  #pieces = 0
  readonly #maxTokens: number
  readonly #promptTokens: number

  /** `promptTokens`: estimated; what the server counts goes before it. */
  constructor(maxTokens: number, promptTokens: number) {
    this.#maxTokens = maxTokens
    this.#promptTokens = promptTokens
  }

  add({ text, thought, fragments, finish, usage }: Piece): void {
    const sent = [text, thought, ...fragments.map((call) => call.name + call.arguments)].join('')
    this.#bytes += Buffer.byteLength(sent)
    this.#pieces++
    this.finish ||= finish
    this.#usage = usage ?? this.#usage
  }

  /** Empty pieces count as well, so that they come to an end too. */
  get tooMuch(): boolean {
    return this.#bytes > this.#maxTokens * TOKEN_BYTES + SLACK || this.#pieces > this.#maxTokens * TOKEN_BYTES + SLACK
  }

  /** Nothing was spent as long as nothing has come. */
  get tokens(): ModelTokens {
    if (this.#usage) return { ...this.#usage, estimated: false }
    const prompt = this.#pieces > 0 ? this.#promptTokens : 0
    return { prompt, completion: Math.ceil(this.#bytes / 4), estimated: this.#pieces > 0 }
  }
}
