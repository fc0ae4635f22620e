import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { QuickSpan } from '../../src/tasks/quick/parse'
import { KINDS, type Kind } from './add'

interface Props {
  readonly text: string
  readonly spans: readonly QuickSpan[]
  readonly kind: Kind
  readonly setText: (text: string) => void
}

/** The most characters: of a line that is read as a task, and of a note or a card. */
const MAX_CHARS: Readonly<Record<Kind, number>> = { task: 1000, note: 100_000, card: 10_000 }

/** A field with marks behind what was understood: the same text, unseen, lies under the letters that are typed. */
export function MarkedInput({ text, spans, kind, setText }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  // Before the box opens, which gives the focus to it: a letter that is typed before that is lost, or a shortcut.
  useLayoutEffect(() => {
    if (!field.current) return
    field.current.autofocus = true
    field.current.setSelectionRange(text.length, text.length)
  }, [])
  return (
    <div class="marked">
      <div class="marks" aria-hidden="true" dir="auto">
        {markedParts(text, spans)}{' '}
      </div>
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={KINDS[kind].field}
        aria-describedby="quick-add-hint"
        placeholder={KINDS[kind].example}
        maxLength={MAX_CHARS[kind]}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing || (event.shiftKey && kind === 'note')) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
    </div>
  )
}

/** Offsets of spans count code points. */
function markedParts(text: string, spans: readonly QuickSpan[]): ComponentChildren[] {
  const letters = [...text]
  const parts: ComponentChildren[] = []
  let at = 0
  for (const { start, end, kind } of spans) {
    if (kind === 'escape' || start < at) continue
    parts.push(letters.slice(at, start).join(''), <mark key={start}>{letters.slice(start, end).join('')}</mark>)
    at = end
  }
  return [...parts, letters.slice(at).join('')]
}
