import type { Session } from '../db/database'
import type { ParsedRequest } from './request'
import type { CitationSource } from './tools/source'
import type { ToolOutcome } from './tools/tool'

/** One request being answered: all that an engine may do. */
export interface EngineRun {
  readonly session: Session
  readonly ask: ParsedRequest
  /** Aborted when the caller has gone or the time is over: no tool runs after that. */
  readonly signal: AbortSignal
  /**
   * Adds text to the answer. In a stream it goes out at once, but for what may still become an image or a false mark.
   */
  say(text: string): void
  /** The number `n` of the mark `[n]` for a source; the same range of the same revision keeps its number. */
  cite(source: CitationSource): number
  /**
   * Runs a tool of the catalogue with arguments that are checked here. Errors of services (ApiError) come back as
   * `fault`.
   */
  call(tool: string, args: unknown): Promise<ToolOutcome>
  /** Adds a code to the answer's warnings, once. */
  warn(code: string): void
}

/** How an engine ended. */
export interface EngineEnding {
  readonly reason: 'stop' | 'length'
  /** How often a model was asked; 1 for the embedded engine. */
  readonly steps: number
  /** What the model counted; null to estimate it as bytes / 4. */
  readonly tokens: { readonly prompt: number; readonly completion: number; readonly estimated?: boolean } | null
}

/** What answers: the embedded rules, or a language model. Throws an ApiError where nothing can be answered. */
export interface Engine {
  readonly name: 'local' | 'upstream'
  /** The model's name as answers show it. */
  readonly model: string
  answer(run: EngineRun): Promise<EngineEnding>
}

/** What a run had done when its model failed: as far as it may still be answered otherwise, and what it has cost. */
export interface ModelProgress {
  /** Text was said or an action reported: nothing else may answer any more. */
  readonly began: boolean
  /** How often the model was asked. */
  readonly steps: number
  /** Tokens of all steps so far; `estimated` where the model did not count them. */
  readonly tokens: ModelTokens
}

export interface ModelTokens {
  readonly prompt: number
  readonly completion: number
  readonly estimated: boolean
}

/** The fixed sentences that callers see. What the server really said is in the log alone. */
const SENTENCES = {
  upstream_failed: 'The language model failed to answer.',
  upstream_timeout: 'The language model did not answer in time.',
} as const

/** The language model did not answer. Its message is fit for callers: it holds nothing of what the server sent. */
export class UpstreamFailed extends Error {
  override readonly name = 'UpstreamFailed'

  constructor(
    readonly code: keyof typeof SENTENCES,
    readonly progress: ModelProgress,
  ) {
    super(SENTENCES[code])
  }

  get began(): boolean {
    return this.progress.began
  }
}
