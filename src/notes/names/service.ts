import type { Session } from '../../db/database'
import { titleKey } from '../../lib/text'
import { findDailyNote } from '../store'
import {
  listBodyBytes,
  listDailyDates,
  listNamedNotes,
  listNewestTitles,
  listTitlesFrom,
  type NamedNote,
} from './store'

/** A title that only holds the text, and does not begin with it, is looked for in so many of the newest notes. */
const MAX_SEARCHED_NOTES = 5000

/** What was found for a beginning of a name, best first. */
export interface NameMatches {
  readonly names: readonly string[]
  /** Whether there are more than these, as far as was looked. */
  readonly more: boolean
}

/** Creates the service that tells what notes are called, without reading their texts. All that it does is bounded. */
export function createNoteNames() {
  return {
    /** Returns the names of notes by their ids, living or in the trash, in no order. At most 1,000 ids. */
    list: ({ db, workspace }: Session, ids: readonly string[]): Promise<NamedNote[]> =>
      listNamedNotes(db, workspace.id, ids),

    /** Returns the id of the living note of a day; null if there is none. */
    findDaily: ({ db, workspace }: Session, date: string): Promise<string | null> =>
      findDailyNote(db, workspace.id, date),

    /** Returns the bytes of the bodies of notes by their ids. At most 1,000 ids. */
    async bodyBytes({ db, workspace }: Session, ids: readonly string[]): Promise<Map<string, number>> {
      return new Map((await listBodyBytes(db, workspace.id, ids)).map(({ id, bytes }) => [id, bytes]))
    },

    /**
     * Completes a title: those that begin with the text, then those that hold it, newest first; for a blank text the
     * newest. Titles are compared as titleKey makes them, and each is returned once. At most `limit` titles.
     */
    async completeTitle({ db, workspace }: Session, text: string, limit: number): Promise<NameMatches> {
      const key = titleKey(text)
      // Several notes may have one title, so more rows are read than titles are returned.
      const rows = 2 * limit + 1
      const begin = key === '' ? [] : await listTitlesFrom(db, workspace.id, key, rows)
      const newest = await listNewestTitles(db, workspace.id, key, { newest: MAX_SEARCHED_NOTES, limit: rows })
      const distinct = new Map([...begin, ...newest].map((title) => [titleKey(title), title]))
      const more = distinct.size > limit || begin.length === rows || newest.length === rows
      return { names: [...distinct.values()].slice(0, limit), more }
    },

    /** Completes the date of a daily note, newest first. At most `limit` dates. */
    async completeDate({ db, workspace }: Session, text: string, limit: number): Promise<NameMatches> {
      const dates = await listDailyDates(db, workspace.id, text.trim(), limit + 1)
      return { names: dates.slice(0, limit), more: dates.length > limit }
    },
  }
}
