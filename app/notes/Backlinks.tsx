/** The notes that link to a note, and on request those that mention it without a link. */
import { useState } from 'preact/hooks'
import type { Backlink, NoteSummary } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { tellFailure } from '../shell/act'
import { Act } from '../shell/controls'
import { Failure } from '../shell/Failure'
import { addressOf } from '../shell/route'
import { useAnswer } from '../shell/use-answer'
import { say } from '../words/say'
import { partText } from './find-notes'
import { plainPiece } from './plain-piece'

interface Page {
  readonly items: readonly Backlink[]
  readonly next_cursor: string | null
}

export function Backlinks({ note }: { note: Pick<NoteSummary, 'id' | 'links'> }) {
  const [withMentions, setMentions] = useState(false)
  return (
    <>
      <LinkList key={note.links.in} id={note.id} unlinked={false} none={say`No note links here.`} />
      {withMentions ? (
        <LinkList id={note.id} unlinked none={say`No other note mentions its title.`} />
      ) : (
        <Act run={() => setMentions(true)}>{say`Find mentions without a link`}</Act>
      )}
    </>
  )
}

function partPiece({ text, ranges }: Pick<Backlink, 'text' | 'ranges'>) {
  const piece = plainPiece(text, ranges)
  return partText(piece.text, piece.ranges)
}

function LinkList({ id, unlinked, none }: { id: string; unlinked: boolean; none: string }) {
  const { api } = useWorkspace()
  const list = (cursor?: string, signal?: AbortSignal) =>
    api.call<Page>({
      path: `api/notes/${id}/backlinks`,
      query: { unlinked: unlinked || undefined, cursor },
      ...(signal && { signal }),
    })
  const { answer, again, set } = useAnswer((signal) => list(undefined, signal))
  if (answer.is === 'loading') return <p class="quiet">{say`Loading …`}</p>
  if (answer.is === 'failed') return <Failure message={answer.message} again={again} />
  const { items, next_cursor: next } = answer.value
  const more = (cursor: string) =>
    tellFailure(list(cursor).then((page) => set({ items: [...items, ...page.items], next_cursor: page.next_cursor })))
  return (
    <>
      {items.length === 0 && next === null && <p class="quiet">{none}</p>}
      <ul class="note-backlinks">
        {items.map(({ note_id, title, ...quoted }) => (
          <li key={note_id}>
            <a href={addressOf('notes', [note_id])} dir="auto">
              {title}
            </a>
            <p class="fine" dir="auto">
              {partPiece(quoted).map(({ text, isMarked }, index) =>
                isMarked ? <mark key={index}>{text}</mark> : text,
              )}
            </p>
          </li>
        ))}
      </ul>
      {next !== null && <Act run={() => more(next)}>{say`More`}</Act>}
    </>
  )
}
