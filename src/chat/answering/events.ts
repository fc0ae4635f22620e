import type { ChatAction, ChatCitation } from '../schema'

/** What answers, told with each event. */
export interface AnswerHead {
  readonly id: string
  readonly model: string
  /** RFC 3339. */
  readonly created_at: string
  /** The outcome of a request that came before under the same Idempotency-Key. */
  readonly replayed: boolean
}

/** A part of an answer, as soon as it is certain. */
export type AnswerEvent =
  /** An engine begins; the first of each answer. It says nothing yet: the next engine may have to answer. */
  | { readonly name: 'start' }
  | { readonly name: 'delta'; readonly data: string }
  | { readonly name: 'action'; readonly data: ChatAction }
  | { readonly name: 'citation'; readonly data: ChatCitation }

/** Takes the parts of an answer as they come. */
export type EmitAnswer = (event: AnswerEvent, about: AnswerHead) => void
