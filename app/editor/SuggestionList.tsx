import type { ReadonlySignal } from '@preact/signals'
import { say } from '../words/say'
import type { Suggestions } from './suggestions'

/** The id of the list that completes links, in its shadow root. Only one editor has the focus. */
export const listId = (editorId: string) => `${editorId}-titles`
/** The id of an option of that list. */
export const optionId = (editorId: string, index: number) => `${editorId}-title-${index}`

/**
 * Shows the titles that complete a link. The focus stays in the text, which names the active option; the controller
 * takes the clicks.
 */
export function SuggestionList({ id, suggestions }: { id: string; suggestions: ReadonlySignal<Suggestions | null> }) {
  const shown = suggestions.value
  if (!shown) return null
  const { titles, active, place } = shown
  const above = place.isAbove ? { transform: 'translateY(-100%)' } : {}
  // 24rem is their greatest width, so they end within the surface.
  const style = { left: `max(0px, min(${place.left}px, 100% - 24rem))`, top: `${place.top}px`, ...above }
  return (
    <div class="editor-titles" id={listId(id)} role="listbox" aria-label={say`Notes to link to`} style={style}>
      {titles.map((title, index) => (
        <div
          key={title}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          data-index={index}
        >
          {title}
        </div>
      ))}
    </div>
  )
}
