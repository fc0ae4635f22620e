import type { Session } from '../db/database'
import type { ParsedRequest } from './request'
import type { ChatAction, ChatCitation } from './schema'

/** A range of a resource's text, in UTF-16 units, that an answer may cite. A task's text is its title, a fact's its front or cloze text. */
export interface CitationSource {
  readonly type: ChatCitation['type']
  readonly id: string
  readonly title: string
  readonly revision: number
  readonly text: string
  readonly start: number
  readonly end: number
}

/** What came of a call of a tool. */
export interface ToolOutcome {
  /** A JSON object of at most 4 KiB; for an engine with a model, what the model is told. */
  readonly result: Readonly<Record<string, unknown>>
  /** What the caller is told was done, is pending, failed or was denied; null for plain reads. */
  readonly action: ChatAction | null
  /** Why the tool did nothing: an error code of ours and a sentence. Null if it did what it was asked for. */
  readonly fault: { readonly code: string; readonly detail: string } | null
  /** What was read, the best first: cited by the text or, if a text cites nothing, listed with `cited: false`. */
  readonly sources: readonly CitationSource[]
}

/** One request being answered: all that an engine may do. */
export interface EngineRun {
  readonly session: Session
  readonly ask: ParsedRequest
  /** Aborted when the caller has gone or the time is over: no tool runs after that. */
  readonly signal: AbortSignal
  /** Adds text to the answer. In a stream it goes out at once, but for what may still become an image or a false mark. */
  say(text: string): void
  /** The number `n` of the mark `[n]` for a source; the same range of the same revision keeps its number. */
  cite(source: CitationSource): number
  /** Runs a tool of the catalogue with arguments that are checked here. Refusals of services come back as `fault`. */
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

/** What answers: the embedded rules, or a language model. Throws a Refusal where nothing can be answered. */
export interface Engine {
  readonly name: 'local' | 'upstream'
  /** The model's name as answers show it. */
  readonly model: string
  answer(run: EngineRun): Promise<EngineEnding>
}
