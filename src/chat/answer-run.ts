import type { Context, Session } from '../db/database'
import { toCodePoints } from '../lib/text'
import type { Executor } from '../tools/executor'
import type { ChatAction, ChatCitation } from '../tools/schema'
import type { CitationSource } from '../tools/source'
import { resourcePath, type ToolContext, type ToolOutcome } from '../tools/tool'
import { createTextLimits, listCitationMarks, TextFilter, type TextLimits } from './answer-text'
import { writeConfirmationText, writeUnread } from './confirmation'
import type { AnswerRating, EngineRun } from './engine'
import type { ParsedRequest } from './request'

/** The id and origin of an answer; sent with each event. */
export interface AnswerHead {
  readonly id: string
  readonly model: string
  /** RFC 3339. */
  readonly created_at: string
  /** Whether it repeats the outcome of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** A part of an answer, as soon as it is certain. */
export type AnswerEvent =
  /** An engine starts. Nothing is certain yet: if it fails, another engine may answer. */
  | { readonly name: 'start' }
  | { readonly name: 'delta'; readonly data: string }
  | { readonly name: 'action'; readonly data: ChatAction }
  | { readonly name: 'citation'; readonly data: ChatCitation }

/** Takes the parts of an answer as they come. */
export type EmitAnswer = (event: AnswerEvent, about: AnswerHead) => void

interface AnswerRunDeps extends Pick<Context, 'now'> {
  readonly session: Session
  readonly ask: ParsedRequest
  readonly signal: AbortSignal
  readonly streams: boolean
  readonly executor: Executor
  /** Whether a model decides what is called. */
  readonly withModel: boolean
  readonly record: ToolContext['record']
  readonly emit: (event: AnswerEvent) => void
}

/** The result of a run. */
interface FinishedText {
  readonly text: string
  readonly citations: ChatCitation[]
  readonly cut: boolean
}

/** An answer in progress: text, citations and actions are sent on as soon as they are certain. */
export class AnswerRun implements EngineRun {
  readonly session: Session
  readonly ask: ParsedRequest
  readonly signal: AbortSignal
  readonly streams: boolean
  readonly actions: ChatAction[] = []
  readonly warnings: string[] = []
  toolCalls = 0
  /** Null unless the engine set it. */
  rating: AnswerRating | null = null
  readonly #deps: AnswerRunDeps
  readonly #citations = createCitationList()
  readonly #filter = new TextFilter((n) => this.#citations.has(n))
  readonly #limits
  #text = ''
  #hasReadText = false

  constructor(deps: AnswerRunDeps) {
    this.session = deps.session
    this.ask = deps.ask
    this.signal = deps.signal
    this.streams = deps.streams
    this.#deps = deps
    this.#limits = createTextLimits(deps.ask.stop, deps.ask.tokenLimit)
  }

  /** The text that was sent so far. */
  get text(): string {
    return this.#text
  }

  get ended(): TextLimits['ended'] {
    return this.#limits.ended
  }

  say(text: string): void {
    this.#send(this.#limits.push(this.#filter.push(text)))
  }

  cite(source: CitationSource): number {
    return this.#citations.assignNumber(source)
  }

  async call(tool: string, args: unknown, asksFirst = false): Promise<ToolOutcome> {
    this.signal.throwIfAborted()
    this.toolCalls++
    const outcome = await this.#deps.executor.call({ ...this.toolContext(), asksFirst }, tool, args)
    this.#hasReadText ||= this.#deps.withModel && this.#readsTexts(tool) && !outcome.fault
    return this.addOutcome(outcome)
  }

  /** Whether the results of a tool contain text of bodies or cards, which may hold prompt injections. */
  #readsTexts(name: string): boolean {
    return this.#deps.executor.catalogue.some((tool) => tool.name === name && tool.returnsText === 'texts')
  }

  listWaiting(codes: readonly string[]): Promise<string[]> {
    return this.#deps.executor.listWaiting(this.toolContext(), codes)
  }

  async undo(answers: readonly string[]): Promise<ToolOutcome | null> {
    this.toolCalls++
    const outcome = await this.#deps.executor.undo(this.toolContext(), answers)
    return outcome && this.addOutcome(outcome)
  }

  /** Returns this run in the form that the executor takes. */
  toolContext(): ToolContext {
    const { session, ask, signal } = this
    const { now, record } = this.#deps
    const { scope, mode, timeZone } = ask
    return { session, scope, mode, timeZone, now: now(), signal, hasReadText: this.#hasReadText, record }
  }

  /** Adds the action of an outcome to the answer, with its number. */
  addOutcome(outcome: ToolOutcome): ToolOutcome {
    // The embedded engine cites what it uses; a model may leave out the marks.
    if (this.#deps.withModel) this.#citations.addRetrieved(outcome.sources)
    if (!outcome.action) return outcome
    const action = { ...outcome.action, n: this.actions.length + 1 }
    this.actions.push(action)
    if (action.result?.warnings) this.warn('read_in_part')
    this.#deps.emit({ name: 'action', data: action })
    return { ...outcome, action }
  }

  rate(rating: AnswerRating): void {
    this.rating = rating
  }

  warn(code: string): void {
    if (!this.warnings.includes(code)) this.warnings.push(code)
  }

  /**
   * Ends the text, and adds how to confirm pending actions. This ignores the caller's limits, and no model sees the
   * codes.
   */
  finish(): FinishedText {
    this.#send(this.#limits.push(this.#filter.end()) + this.#limits.end())
    const cut = this.#limits.ended === 'length'
    if (this.#deps.withModel) this.#send(writeUnread(this.actions, this.#text))
    this.#send(writeConfirmationText(this.actions, this.#text))
    const citations = this.#citations.listCitations(listCitationMarks(this.#text))
    for (const citation of citations) this.#deps.emit({ name: 'citation', data: citation })
    return { text: this.#text, citations, cut }
  }

  /** Sends text. A model's server may send lone surrogates, which not every client can read: they are replaced. */
  #send(text: string): void {
    if (text === '') return
    const data = text.toWellFormed()
    this.#text += data
    this.#deps.emit({ name: 'delta', data })
  }
}

/** Citations up to which sources that the text does not cite are added. */
const MAX_UNCITED = 20

/** Creates the empty list of the sources of one answer, and of their numbers. */
function createCitationList() {
  const numbers = new Map<string, number>()
  const sources: CitationSource[] = []
  const read: CitationSource[] = []

  /** Returns the number of a source, a new one for a new source. The same range of the same revision keeps its number. */
  function assignNumber(source: CitationSource): number {
    const { type, id, revision, start, end } = source
    const key = `${type} ${id} ${revision} ${start} ${end}`
    const known = numbers.get(key) ?? sources.push(source)
    numbers.set(key, known)
    return known
  }

  return {
    assignNumber,
    has: (n: number) => n >= 1 && n <= sources.length,
    /** Adds sources that a tool has read. They are listed if the text cites nothing. */
    addRetrieved: (more: readonly CitationSource[]) => void read.push(...more),
    /** Lists all numbered sources, and the retrieved ones if the text has no mark of a numbered one. */
    listCitations(marks: ReadonlySet<number>): ChatCitation[] {
      const cites = sources.some((_, i) => marks.has(i + 1))
      if (!cites) for (const source of read) if (sources.length < MAX_UNCITED) assignNumber(source)
      return sources.map((source, i) => toCitation(source, i + 1, marks.has(i + 1)))
    },
  }
}

function toCitation(
  { type, id, title, revision, text, start, end }: CitationSource,
  n: number,
  cited: boolean,
): ChatCitation {
  const quote = text.slice(start, end)
  const [from = 0, to = 0] = toCodePoints(text, [start, end])
  return {
    n,
    type,
    id,
    title,
    revision,
    quote,
    start: from,
    end: to,
    url: resourcePath({ type, id }),
    cited,
  }
}
