import type { Session } from '../db/database'
import type { CitationSource } from '../tools/source'
import type { ToolOutcome } from '../tools/tool'
import type { TextLimits } from './answer-text'
import type { ParsedRequest } from './request'

/** How surely quotations answer a question. */
export interface AnswerRating {
  /** 0 to 1. */
  readonly confidence: number
  /** Whether they count as an answer; else they are only the nearest that was found. */
  readonly answers: boolean
}

/** A request that is being answered, with all that an engine may do. */
export interface EngineRun {
  readonly session: Session
  readonly ask: ParsedRequest
  /** Aborted when the caller disconnects or the time is over: no tool runs after that. */
  readonly signal: AbortSignal
  /** Adds text to the answer. A stream sends it at once, except for what may still become an image or a false mark. */
  say(text: string): void
  /** Whether the caller gets the text while it is made. */
  readonly streams: boolean
  /** Why the text has ended by the caller's limits; null if it goes on. */
  readonly ended: TextLimits['ended']
  /** Returns the number `n` of the mark `[n]` for a source. The same range of the same revision keeps its number. */
  cite(source: CitationSource): number
  /**
   * Checks the arguments and runs a tool of the catalogue. Errors of services (ApiError) are returned as `fault`.
   * @param asksFirst whether a change waits for the caller to confirm it, whichever it is
   */
  call(tool: string, args: unknown, asksFirst?: boolean): Promise<ToolOutcome>
  /** Returns those of some codes whose actions still wait. They decide nothing here: only the caller's message does. */
  listWaiting(codes: readonly string[]): Promise<string[]>
  /**
   * Undoes what the first of some answers did that changed something, or asks whether to; null if none of them did. An
   * answer is known by its whole text.
   */
  undo(answers: readonly string[]): Promise<ToolOutcome | null>
  /** Tells how surely the quotations answer, 0 to 1, and whether they count as an answer. Untold, they do. */
  rate(rating: AnswerRating): void
  /** Adds a code to the answer's warnings, once. */
  warn(code: string): void
}

/** The end of an engine's run. */
export interface EngineEnding {
  readonly reason: 'stop' | 'length'
  /** The number of requests to a model; 1 for the embedded engine. */
  readonly steps: number
  /** The tokens that the model counted; null to estimate them as bytes / 4. */
  readonly tokens: ModelTokens | null
}

/**
 * An engine answers a request: the embedded rules, or a language model. `answer` throws an ApiError if it cannot
 * answer.
 */
export interface Engine {
  readonly name: 'local' | 'upstream'
  /** The model's name as answers show it. */
  readonly model: string
  answer(run: EngineRun): Promise<EngineEnding>
}

/** The progress of a run when its model failed: whether another engine may answer, and the cost so far. */
export interface ModelProgress {
  /** Whether text or an action was sent: then no other engine may answer. */
  readonly began: boolean
  /** The number of requests to the model. */
  readonly steps: number
  /** The tokens of all steps so far. */
  readonly tokens: ModelTokens
}

/** The tokens of requests to a model; `estimated` if its server did not count all of them. */
export interface ModelTokens {
  readonly prompt: number
  readonly completion: number
  readonly estimated: boolean
}

/**
 * Why a model did not answer, and the fixed messages that callers see. What the server really sent is only logged.
 * Another engine that answers in its place has it as a warning.
 */
const CAUSES = {
  upstream_failed: 'The language model failed to answer.',
  upstream_timeout: 'The language model did not answer in time.',
  upstream_unauthorized: 'The server of the language model refused our key.',
  upstream_out_of_tokens: 'The language model had no tokens left for an answer.',
  upstream_unreachable: 'The server of the language model cannot be reached.',
} as const

export type UpstreamCause = keyof typeof CAUSES

/** Thrown when the language model fails. The message is safe for callers: it holds nothing that the server sent. */
export class UpstreamFailed extends Error {
  override readonly name = 'UpstreamFailed'

  constructor(
    readonly code: 'upstream_failed' | 'upstream_timeout',
    override readonly cause: UpstreamCause,
    readonly progress: ModelProgress,
  ) {
    super(CAUSES[cause])
  }
}

/** What the embedded engine answers to a change where a request may only read, by language; OpenAI's API reads by default. */
export const READ_ONLY = {
  en: 'This request may only read, so I changed nothing. Send it with mode "write" to have it done, or ask about what is there.',
  de: 'Diese Anfrage darf nur lesen, also habe ich nichts geändert. Schick sie mit mode "write".',
  fr: `Cette demande ne peut que lire : je n'ai rien changé. Envoyez-la avec mode "write".`,
  es: 'Esta petición solo puede leer, así que no cambié nada. Envíala con mode "write".',
} as const
