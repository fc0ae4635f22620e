/** The notes that link to a note, and on request those that mention it without a link. */
import { useEffect, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Backlink, NoteSummary } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { addressOf } from '../shell/route'
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
        <button type="button" class="link" onClick={() => setMentions(true)}>
          {say`Find mentions without a link`}
        </button>
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
  const [found, setFound] = useState<Page | null>(null)
  const [fault, setFault] = useState('')
  const read = async (before: Page | null, signal?: AbortSignal) => {
    setFault('')
    try {
      const query = { unlinked: unlinked || undefined, cursor: before?.next_cursor ?? undefined }
      const page = await api.call<Page>({ path: `api/notes/${id}/backlinks`, query, ...(signal && { signal }) })
      setFound({ items: [...(before?.items ?? []), ...page.items], next_cursor: page.next_cursor })
    } catch (error) {
      if (!signal?.aborted) setFault(inWords(error))
    }
  }
  useEffect(() => {
    const end = new AbortController()
    void read(null, end.signal)
    return () => end.abort()
  }, [id])
  if (fault !== '')
    return (
      <p role="alert">
        {fault}{' '}
        <button type="button" class="link" onClick={() => read(found)}>
          {say`Try again`}
        </button>
      </p>
    )
  if (!found) return <p class="quiet">{say`Loading …`}</p>
  return (
    <>
      {found.items.length === 0 && found.next_cursor === null && <p class="quiet">{none}</p>}
      <ul class="note-backlinks">
        {found.items.map(({ note_id, title, ...quoted }) => (
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
      {found.next_cursor !== null && (
        <button type="button" class="link" onClick={() => read(found)}>
          {say`More`}
        </button>
      )}
    </>
  )
}
