import type { ComponentChild, VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EmbeddedNote, MarkdownActions } from './actions'

interface Props {
  readonly target: string
  /** The heading or the name of the block that is shown; null: all. */
  readonly part: string | null
  /** The link to the note. */
  readonly title: ComponentChild
  readonly load: NonNullable<MarkdownActions['loadNote']>
  /** The addresses of the notes around what is shown, its own last. */
  readonly around: readonly string[]
  readonly show: ShowPart
}

/** Makes the elements of a body, or of the part of it with a name. */
export type ShowPart = (body: string, part: string | null, actions: MarkdownActions, around: readonly string[]) => VNode

/** Shows a note, or a part of it, within another one. Until it is there, and where it cannot be read, its link stays. */
export function NoteEmbed({ target, part, title, load, around, show }: Props) {
  const [note, setNote] = useState<EmbeddedNote | null>(null)
  useEffect(() => {
    let isCurrent = true
    setNote(null)
    load(target).then(
      (read) => isCurrent && setNote(read),
      // The link leads to the page of the note, which says why.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [target, load])
  // The place of a note does not change while its text is shown.
  const content = useMemo(() => note && show(note.body, part, note.actions, around), [note, part])
  return (
    <div class="md-embed">
      <p class="md-embed-title">{title}</p>
      {content}
    </div>
  )
}
