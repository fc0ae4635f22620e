import type { Finder } from './find'
import { clip } from './fit'
import { either } from './notes'
import type { ChatServices, Draft, Note } from './services'
import { beginningOf } from './source'
import type { ReadOutcome, ToolContext } from './tool'

/** Code points of each text of a draft that is shown whole. */
const SIDE = 500

interface Deps {
  readonly flashcards: Pick<ChatServices['flashcards'], 'draft'>
  readonly find: Pick<Finder, 'note'>
}

/** Drafts of cards from a note of the scope or from a text; of a note, the lines that they begin in are cited. */
export async function collectDrafts(
  { flashcards, find }: Deps,
  context: ToolContext,
  { id, text }: { id?: string; text?: string },
  limit: number,
): Promise<ReadOutcome> {
  if ((id === undefined) === (text === undefined)) throw either('id', 'text')
  const note = id === undefined ? null : (await find.note(context, id)).resource
  const asked = { text: note?.body ?? text ?? '', limit }
  const { drafts } = await flashcards.draft(context.session, asked)
  return {
    result: { drafts: drafts.map(shown) },
    sources: note
      ? cited(
          note,
          drafts.map(({ line }) => line),
        )
      : [],
  }
}

function shown({ fact: { type, front, back, text }, pattern }: Draft) {
  const side = (value: string | null | undefined) => (value ? clip(value, SIDE) : null)
  return { type, front: side(front), back: side(back), text: side(text), pattern }
}

/** What is cited of the lines of a body, counted from 1. As in drafting, LF, CRLF and CR end one. */
function cited(note: Note, lines: readonly number[]) {
  const bounds = [0, ...Array.from(note.body.matchAll(/\r\n|[\r\n]/g), ({ index, 0: end }) => index + end.length)]
  return lines.flatMap((line) => beginningOf(note, bounds[line - 1] ?? 0, bounds[line] ?? note.body.length))
}
