import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { readCivilDate } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { MAX_POSITION } from '../cards/schema'
import { requireLivingDeck } from '../decks/tree'
import { readFactTags } from '../facts/tags'
import type { CardsAction } from './schema'

/** How far from today a card can be set due, in days either way. */
const FARTHEST = 36_500

/** What `value` may be for each action. All throw invalid_request at /value. */

export function noValue({ action, value }: CardsAction): void {
  if (value != null) throw invalid('/value', 'not_allowed', `${action} takes no value`)
}

export function wholeNumber({ action, value }: CardsAction, max: number): number {
  if (typeof value !== 'number' || value < 0 || value > max)
    throw invalid('/value', 'invalid_value', `for ${action} value must be a whole number from 0 to ${max}`)
  return value
}

/** The position of the first of so many cards. */
export function firstPosition(asked: CardsAction, count: number): number {
  return wholeNumber(asked, MAX_POSITION - Math.max(0, count - 1))
}

/** The key of a deck. */
export async function deckKey(session: Session, asked: CardsAction): Promise<number> {
  return (await requireLivingDeck(session, text(asked), '/value')).key
}

/** One tag, as tags are stored. */
export function oneTag(asked: CardsAction): string {
  return atValue(() => readFactTags([text(asked)]))[0] ?? ''
}

/** Tags with one more. Throws also if they are too many then. */
export function withTag(tags: readonly string[], tag: string): string[] {
  return atValue(() => readFactTags([...tags, tag]))
}

/** A study day: whole days since 1970-01-01. */
export function dueDay(asked: CardsAction, today: number): number {
  const day = toDay(readCivilDate(text(asked), '/value'))
  if (Math.abs(day - today) > FARTHEST)
    throw invalid('/value', 'out_of_range', `value must be at most ${FARTHEST} days from today`)
  return day
}

function text({ action, value }: CardsAction): string {
  if (typeof value !== 'string') throw invalid('/value', 'invalid_value', `for ${action} value must be text`)
  return value
}

function atValue<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof ApiError) throw invalid('/value', 'invalid_value', error.detail)
    throw error
  }
}
