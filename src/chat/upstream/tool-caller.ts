import { list, member } from '../../http/outgoing'
import { cutCodePoints } from '../../lib/text'
import type { CitationSource } from '../../tools/source'
import type { ToolOutcome } from '../../tools/tool'
import type { EngineRun } from '../engine'
import { parseArguments, type ToolCall } from './calls'
import type { ToolDescription } from './chat-completions'

/** The repetition at which the same call with the same arguments is refused: the model goes in a circle. */
const REFUSED_REPEAT = 3
/** Consecutive calls of unknown tools or with invalid JSON, after which tools are closed. */
const MAX_MISUSES = 2
/** Sources of one result that get a mark; the best come first. */
const MAX_MARKED_SOURCES = 12
/** Code points of a question that are searched for. */
const MAX_QUERY_CHARS = 300
/** Notes that a model without tools gets whole, as far as get_note gives them. */
const MAX_NOTES_FOUND = 2
/** UTF-16 units of a source that identify it for the model. */
const BEGINNING_UNITS = 80

/** Runs the calls of a model and returns their results, until a budget is spent or the model makes no progress. */
export class ToolCaller {
  readonly #run: EngineRun
  readonly #tools: readonly ToolDescription[]
  readonly #maxCalls: number
  readonly #madeCalls: { name: string; args: Record<string, unknown> }[] = []
  #calls = 0
  #misuses = 0
  /** Why no tools can be called any more; null if they can. */
  closed: 'budget' | 'useless' | null = null
  /** Whether an action was sent to the caller. */
  hasActed = false

  constructor(run: EngineRun, catalogue: readonly ToolDescription[], maxCalls: number) {
    this.#run = run
    // In mode read, there are no writing tools.
    this.#tools = catalogue.filter(({ risk }) => run.ask.mode === 'write' || risk === 'read')
    this.#maxCalls = maxCalls
  }

  /** The tools that may still be called. */
  get openTools(): readonly ToolDescription[] {
    return this.closed === null ? this.#tools : []
  }

  /**
   * Looks up what a model without tools may answer from: what a search finds for the question, and the first notes of
   * it. Returns JSON, with marks.
   */
  async lookUp(question: string): Promise<string> {
    const look = (name: string, args: object) =>
      this.call({ id: '', name, arguments: JSON.stringify(args), others: {} })
    const found = await look('search', { query: cutCodePoints(question, MAX_QUERY_CHARS) })
    const notes = list(member(member(JSON.parse(found), 'result'), 'items')).filter(
      (one) => member(one, 'type') === 'note',
    )
    const texts: string[] = []
    for (const note of notes.slice(0, MAX_NOTES_FOUND)) texts.push(await look('get_note', { id: member(note, 'id') }))
    return [found, ...texts].join('\n')
  }

  /** Runs a call; returns the result for the model as JSON. */
  async call(call: ToolCall): Promise<string> {
    const refused = this.#refuse(call)
    if (refused) return JSON.stringify({ error: refused })
    const args = parseArguments(call.arguments) ?? {}
    this.#madeCalls.push({ name: call.name, args })
    const outcome = await this.#run.call(call.name, args)
    this.hasActed ||= outcome.action !== null
    return JSON.stringify(this.#toResult(outcome))
  }

  /** Returns why a call is not run; null if it is. */
  #refuse({ name, arguments: text }: ToolCall): { code: string; detail: string } | null {
    if (this.closed === null && this.#calls >= this.#maxCalls) this.#close('budget')
    if (this.closed !== null) return { code: 'not_run', detail: 'No more calls are run. Answer with what you know.' }
    this.#calls++
    const args = parseArguments(text)
    if (!this.#tools.some((tool) => tool.name === name))
      return this.#refuseMisuse('unknown_tool', `There is no such tool. There are: ${this.#listNames()}.`)
    if (args === null) return this.#refuseMisuse('invalid_json', 'The arguments were not a JSON object.')
    this.#misuses = 0
    const same = this.#madeCalls.filter((one) => one.name === name && Bun.deepEquals(one.args, args, true))
    if (same.length + 1 < REFUSED_REPEAT) return null
    this.#close('useless')
    return { code: 'repeated', detail: 'This call was made twice before. Answer with what you know.' }
  }

  /** Returns a fault for the model, which may correct its call. */
  #refuseMisuse(code: string, detail: string): { code: string; detail: string } {
    this.#misuses++
    if (this.#misuses >= MAX_MISUSES) this.#close('useless')
    return { code, detail }
  }

  #close(why: 'budget' | 'useless'): void {
    this.closed = why
    if (why === 'useless') this.#run.warn('tools_stopped')
  }

  #listNames(): string {
    return this.#tools.map(({ name }) => name).join(', ')
  }

  /** Builds the result for the model. It has only the status of an action: tokens and codes are for the caller. */
  #toResult({ result, action, fault, sources }: ToolOutcome): object {
    return {
      ...(fault ? { error: fault } : {}),
      ...(action ? { status: action.status } : {}),
      result,
      ...(sources.length > 0
        ? { sources: sources.slice(0, MAX_MARKED_SOURCES).map((source) => this.#toMarked(source)) }
        : {}),
    }
  }

  #toMarked(source: CitationSource): object {
    const begins = source.text.slice(source.start, Math.min(source.end, source.start + BEGINNING_UNITS))
    return { mark: `[${this.#run.cite(source)}]`, id: source.id, title: source.title, begins: begins.toWellFormed() }
  }
}
