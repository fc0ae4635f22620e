import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { readCivilDate, requireLength } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { titleKey } from '../../lib/text'
import { decksDownwards } from '../decks/store'
import { requireDeck } from '../decks/tree'
import { factTagKey } from '../facts/tags'
import { startOfStudyDay } from '../scheduling/study-day'
import type { Study } from '../settings/study'
import { QUERY_LENGTH, type StudyFilters } from './schema'
import type { StudyFilter } from './store'

/** Reads the filters of a request. Throws not_found for a deck that is none, invalid_request. */
export async function readStudyFilter(session: Session, asked: StudyFilters, { clock }: Study): Promise<StudyFilter> {
  const { deck_id, tag, type, state, due_before, leech, suspended, flag, q, source_note_id, external_id } = asked
  const day = due_before === undefined ? null : toDay(readCivilDate(due_before, '/due_before'))
  return {
    decks: deck_id === undefined ? null : await keysBelow(session, deck_id),
    tagKey: tag === undefined ? null : factTagKey(tag),
    type: type ?? null,
    text: q === undefined ? null : readText(q),
    sourceNote: source_note_id ?? null,
    externalId: external_id ?? null,
    state: state ?? null,
    dueBefore: day === null ? null : { day, at: startOfStudyDay(day, clock) },
    leech: leech === undefined ? null : leech === 'true',
    suspended: suspended === undefined ? null : suspended === 'true',
    flag: flag === undefined ? null : Number(flag),
  }
}

/** The keys of a deck and all below it. Throws not_found. */
export async function keysBelow(session: Session, id: string): Promise<number[]> {
  const deck = await requireDeck(session, id)
  const decks = await decksDownwards(session.db, session.workspace.id, deck.key)
  return decks.map(({ key }) => key)
}

function readText(q: string): string {
  requireLength(q, QUERY_LENGTH, '/q')
  const text = titleKey(q)
  if (text === '') throw invalid('/q', 'too_short', 'q must not be blank')
  return text
}
