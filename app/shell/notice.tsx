/** The one sentence at the bottom of the page that says what was just done, with a way back. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../words/say'
import { Act } from './controls'

/** How long a notice is shown, in milliseconds, unless the pointer or the focus is on it. */
const SHOWN_MS = 8000

interface Notice {
  readonly words: string
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

const current = signal<Notice | null>(null)

/** Shows a sentence, and reads it aloud, in place of the one before. */
export function notify(words: string, action?: Notice['action']): void {
  current.value = { words, action }
}

export function NoticeBar() {
  const notice = current.value
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(() => {
      if (current.peek() === notice && !document.querySelector('.notice-bar:is(:hover, :focus-within)'))
        current.value = null
    }, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [notice])
  return (
    <div class="notice-bar" role="status" hidden={!notice}>
      {notice && <span dir="auto">{notice.words}</span>}
      {notice?.action && (
        <Act
          run={() => {
            current.value = null
            notice.action?.run()
          }}
        >
          {notice.action.label}
        </Act>
      )}
      {notice && (
        <button type="button" class="link" aria-label={say`Close`} onClick={() => (current.value = null)}>
          ×
        </button>
      )}
    </div>
  )
}
