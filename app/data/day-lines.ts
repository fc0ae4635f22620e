/** Adds lines to the notes of days on the server, each of them once. */
import { type Api, Refused } from '../api/client'
import type { Note } from '../api/types'
import type { Confirmed, Copy } from './copy'
import { partNote } from './resources'
import type { DayWrite } from './writes'

/** The server knows an Idempotency-Key for 24 hours. Later it is asked for the note before lines are sent again. */
const KEY_KNOWN_MS = 23 * 3_600_000

interface Deps {
  readonly api: Api
  readonly copy: Copy
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Adds lines to the note of their day, each as a paragraph, and returns what the note has become. The server adds them to
 * what it has by then, so that lines of several devices come to be in one note. Throws Refused, Unreachable.
 * @param writes of one day and one batch
 * @param isRepeat the server may have added them: the answer never came
 */
export async function appendLines(
  { api, copy, now }: Deps,
  writes: readonly DayWrite[],
  isRepeat: boolean,
): Promise<Confirmed[]> {
  const [first] = writes
  if (!first) return []
  const path = `api/notes/daily/${first.op.date}`
  const contents = writes.map(({ op }) => op.content)
  const before = isRepeat && now() - first.at > KEY_KNOWN_MS ? await readDay(api, path) : null
  const answer =
    before && hasAll(before.body, contents)
      ? before
      : await api.call<Note>({
          method: 'POST',
          path: `${path}/edits`,
          headers: { 'Idempotency-Key': first.batch ?? '' },
          body: {
            edits: contents.map((content) => ({ op: 'append', target: { document: true }, content, join: 'block' })),
          },
        })
  // The answer to a repeat is the one that never came: the note may have changed since.
  const note = isRepeat ? await readDay(api, path) : answer
  if (!note || note.revision < copy.revisionOf('note', note.id)) return []
  const { summary, body } = partNote(note)
  return [{ type: 'note', id: note.id, resource: summary, body }]
}

/** The note of a day; null: there is none. */
async function readDay(api: Api, path: string): Promise<Note | null> {
  try {
    return await api.call<Note>({ path })
  } catch (error) {
    if (error instanceof Refused && error.code === 'not_found') return null
    throw error
  }
}

/** Whether a text has all of these as lines, one after the other. */
function hasAll(text: string, contents: readonly string[]): boolean {
  const lines = text.split(/\r\n|[\r\n]/)
  let from = 0
  return contents.every((content) => {
    from = lines.indexOf(content, from) + 1
    return from > 0
  })
}
