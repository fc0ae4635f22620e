/** Drafts of cards, and what becomes of them. Pure. */
import type { BatchFactsOutcome, CreateFact, Drafts } from '../api/types'
import { say } from '../words/say'
import { type FactFields, isComplete, toContent, toFields } from './FactForm'

export interface Draft {
  /** That of the fact, made here: the same one is not made twice. */
  readonly id: string
  readonly fields: FactFields
  /** The line of the note where it begins, from 1. */
  readonly line: number
  readonly isDuplicate: boolean
  readonly choice: 'open' | 'accepted' | 'rejected'
}

/** Reads the server's drafts. A duplicate of a card is rejected at first. */
export function readDrafts({ drafts }: Drafts, newId: () => string): Draft[] {
  return drafts.map(({ fact, line, duplicate_of }) => ({
    id: newId(),
    fields: toFields(fact),
    line,
    isDuplicate: duplicate_of !== null,
    choice: duplicate_of === null ? 'open' : 'rejected',
  }))
}

/** Decides on a draft; the same decision again leaves it open. */
export function decide(drafts: readonly Draft[], place: number, choice: 'accepted' | 'rejected'): Draft[] {
  return drafts.map((draft, index) =>
    index === place ? { ...draft, choice: draft.choice === choice ? 'open' : choice } : draft,
  )
}

/** The next open draft behind a place, from the beginning again at the end; the place itself if there is none. */
export function nextOpen(drafts: readonly Draft[], place: number): number {
  const order = drafts.map((_, index) => (place + 1 + index) % drafts.length)
  return order.find((index) => drafts[index]?.choice === 'open') ?? place
}

/** The facts that accepted drafts make. */
export function factsOf(drafts: readonly Draft[], deckId: string, noteId: string): CreateFact[] {
  return drafts
    .filter(({ choice, fields }) => choice === 'accepted' && isComplete(fields))
    .map(({ id, fields }) => ({ id, deck_id: deckId, ...toContent(fields), note_ids: [noteId] }))
}

export function outcomeInWords({ items }: BatchFactsOutcome): string {
  const count = (test: (status: number) => boolean) => items.filter(({ status }) => test(status)).length
  const [made, there, refused] = [count((s) => s === 201), count((s) => s === 200), count((s) => s >= 400)]
  const first = items.find(({ error }) => error !== null)?.error?.detail ?? ''
  return [
    say`Made ${made} {card|cards}.`,
    there > 0 ? say`${there} {card was|cards were} there already.` : '',
    refused > 0 ? say`${refused} {card was|cards were} refused: ${first}` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}
