/**
 * A made-up corpus of notes: 45 words each, spread as words of a language are (the n-th most frequent has 1/n of the
 * first's share), and what people ask of one. The same on every run.
 */
import type { Database, Session, WorkspaceId } from '../src/db/database'
import { linkHook } from '../src/notes/links/body-links'
import { createNoteRow, createNoteWriter } from '../src/notes/note'
import { revisionHook } from '../src/notes/revisions/history'
import { tagHook } from '../src/notes/tag-and-property-store'

const VOCABULARY = 50_000
const NOTES_PER_COMMIT = 1000
export const WORKSPACE: Session['workspace'] = { id: 'b'.repeat(32) as WorkspaceId, kind: 'key' }

/** The same numbers on every run. */
export function makeChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const chance = makeChance(1)
const below = (limit: number) => Math.floor(chance() * limit)
const letter = (letters: string) => letters[below(letters.length)] ?? ''
const syllable = () => letter('bcdfghjklmnprstvw') + letter('aeiou')
const vocabulary = Array.from(
  { length: VOCABULARY },
  () => Array.from({ length: 1 + below(4) }, syllable).join('') + letter('lmnrs'),
)
const wordOf = (rank: number) => vocabulary[rank] ?? ''
/** So many words of the corpus, with blanks between. */
export const words = (count: number) =>
  Array.from({ length: count }, () => wordOf(Math.floor(VOCABULARY ** chance()) - 1)).join(' ')

/** Writes that many notes through the notes' own writer. The n-th has the instant n. */
export async function write(db: Database, notes: number): Promise<void> {
  const writer = createNoteWriter({
    now: () => 0,
    record: async () => {},
    hooks: [tagHook, linkHook, revisionHook],
  })
  for (let first = 0; first < notes; first += NOTES_PER_COMMIT)
    await db.transaction(async (tx) => {
      for (let at = first; at < Math.min(notes, first + NOTES_PER_COMMIT); at++) {
        const id = `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`
        const input = { title: words(4), tags: [words(1)], body: words(40) }
        await writer.insert({ workspace: WORKSPACE, db: tx }, createNoteRow(input, id, at))
      }
    })
}
