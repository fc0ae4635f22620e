import type { Session } from '../db/database'
import { byteLength, valuesIn } from '../db/dialect'
import { titleKey } from '../lib/text'
import { findDailyNote } from './store'

export interface NamedNote {
  readonly id: string
  readonly title: string
  readonly daily_date: string | null
  /** Milliseconds since 1970; null: it is not archived. */
  readonly archived_at: number | null
  /** Milliseconds since 1970; null: it is not in the trash. */
  readonly deleted_at: number | null
}

/** A text that is above all texts which begin in the same way. */
const LAST = '\u{10ffff}'

/** Lists the titles of living notes whose title keys begin with `key`, in their order. Several notes may have one title. */
async function listTitlesFrom({ db, workspace }: Session, key: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ title: string }>(
    `SELECT title FROM notes WHERE workspace = $1 AND deleted_at IS NULL AND title_key >= $2 AND title_key < $3
     ORDER BY title_key LIMIT $4`,
    [workspace.id, key, key + LAST, limit],
  )
  return rows.map(({ title }) => title)
}

/** Lists the titles of the `newest` living notes whose keys hold `key`, newest first; an empty key is in every title. */
export async function listNewestTitles(
  { db, workspace }: Session,
  key: string,
  { newest, limit }: { readonly newest: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db.all<{ title: string }>(
    `SELECT title FROM (SELECT title, title_key FROM notes WHERE workspace = $1 AND deleted_at IS NULL
       ORDER BY updated_at DESC, id DESC LIMIT $3) AS listed
     WHERE instr(title_key, $2) > 0 LIMIT $4`,
    [workspace.id, key, newest, limit],
  )
  return rows.map(({ title }) => title)
}

/** Lists the days of living daily notes that begin with `start`, newest first. */
async function listDailyDates({ db, workspace }: Session, start: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ daily_date: string }>(
    `SELECT daily_date FROM notes WHERE workspace = $1 AND daily_date >= $2 AND daily_date < $3 AND deleted_at IS NULL
     ORDER BY daily_date DESC LIMIT $4`,
    [workspace.id, start, start + LAST, limit],
  )
  return rows.map((row) => row.daily_date)
}

/** A title that only holds the text, and does not begin with it, is looked for in so many of the newest notes. */
const MAX_SEARCHED_NOTES = 5000

/** What was found for a beginning of a name, best first. */
export interface NameMatches {
  readonly names: readonly string[]
  /** Whether there are more than these, as far as was looked. */
  readonly more: boolean
}

export type NoteNames = typeof noteNames

/** Tells what notes are called, without reading their texts. All that it does is bounded. */
export const noteNames = {
  /** Returns the names of notes by their ids, living or in the trash, in no order. At most 1,000 ids. */
  list({ db, workspace }: Session, ids: readonly string[]): Promise<NamedNote[]> {
    const sql = `SELECT id, title, daily_date, archived_at, deleted_at FROM notes
      WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
    return db.all<NamedNote>(sql, [workspace.id, JSON.stringify(ids)])
  },

  /** Returns the id of the living note of a day; null if there is none. */
  findDaily: findDailyNote,

  /** Returns the bytes of the bodies of notes by their ids, without reading the bodies. At most 1,000 ids. */
  async bodyBytes({ db, workspace }: Session, ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await db.all<{ id: string; bytes: number }>(
      `SELECT id, ${byteLength('body')} AS bytes FROM notes JOIN note_bodies ON note_bodies.key = notes.key
       WHERE notes.workspace = $1 AND id IN ${valuesIn('$2')}`,
      [workspace.id, JSON.stringify(ids)],
    )
    return new Map(rows.map(({ id, bytes }) => [id, bytes]))
  },

  /**
   * Completes a title: those that begin with the text, then those that hold it, newest first; for a blank text the
   * newest. Titles are compared as titleKey makes them, and each is returned once. At most `limit` titles.
   */
  async completeTitle(session: Session, text: string, limit: number): Promise<NameMatches> {
    const key = titleKey(text)
    // Several notes may have one title, so more rows are read than titles are returned.
    const rows = 2 * limit + 1
    const begin = key === '' ? [] : await listTitlesFrom(session, key, rows)
    const newest = await listNewestTitles(session, key, { newest: MAX_SEARCHED_NOTES, limit: rows })
    const distinct = new Map([...begin, ...newest].map((title) => [titleKey(title), title]))
    const more = distinct.size > limit || begin.length === rows || newest.length === rows
    return { names: [...distinct.values()].slice(0, limit), more }
  },

  /** Completes the date of a daily note, newest first. At most `limit` dates. */
  async completeDate(session: Session, text: string, limit: number): Promise<NameMatches> {
    const dates = await listDailyDates(session, text.trim(), limit + 1)
    return { names: dates.slice(0, limit), more: dates.length > limit }
  },
}
