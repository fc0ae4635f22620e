import type { ScopedFinder } from './find'
import { clip } from './fit'
import { eitherError } from './notes'
import type { ChatCardDraft, ChatNote, ChatServices } from './services'
import { beginningSource } from './source'
import type { ReadOutcome, ToolContext } from './tool'

/** Code points of each text of a draft that is shown whole. */
const SIDE = 500

interface DraftDeps {
  readonly flashcards: Pick<ChatServices['flashcards'], 'draft'>
  readonly find: Pick<ScopedFinder, 'note'>
}

/** Drafts of cards from a note of the scope or from a text; of a note, the lines that they begin in are cited. */
export async function collectDrafts(
  { flashcards, find }: DraftDeps,
  context: ToolContext,
  { id, text }: { id?: string; text?: string },
  limit: number,
): Promise<ReadOutcome> {
  if ((id === undefined) === (text === undefined)) throw eitherError('id', 'text')
  const note = id === undefined ? null : (await find.note(context, id)).resource
  const asked = { text: note?.body ?? text ?? '', limit }
  const { drafts } = await flashcards.draft(context.session, asked)
  return {
    result: { drafts: drafts.map(draftShown) },
    sources: note
      ? draftSources(
          note,
          drafts.map(({ line }) => line),
        )
      : [],
  }
}

function draftShown({ fact: { type, front, back, text }, pattern }: ChatCardDraft) {
  const side = (value: string | null | undefined) => (value ? clip(value, SIDE) : null)
  return { type, front: side(front), back: side(back), text: side(text), pattern }
}

/** What is cited of the lines of a body, counted from 1. As in drafting, LF, CRLF and CR end one. */
function draftSources(note: ChatNote, lines: readonly number[]) {
  const bounds = [0, ...Array.from(note.body.matchAll(/\r\n|[\r\n]/g), ({ index, 0: end }) => index + end.length)]
  return lines.flatMap((line) => beginningSource(note, bounds[line - 1] ?? 0, bounds[line] ?? note.body.length))
}
