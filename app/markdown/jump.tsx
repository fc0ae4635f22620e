import type { ComponentChildren } from 'preact'

/**
 * Goes to an element of the same text, and moves the focus there. A button, because the hash of the address is the page's.
 * @param to the id of the element
 * @param label its name, where its text says too little
 */
export function Jump({ to, label, children }: { to: string; label?: string; children: ComponentChildren }) {
  return (
    <button
      type="button"
      class="md-jump"
      onClick={(event) => jump(event.currentTarget, to)}
      {...(label ? { 'aria-label': label } : {})}
    >
      {children}
    </button>
  )
}

function jump(from: Element, id: string): void {
  const place = from.closest('.markdown')?.querySelector<HTMLElement>(`#${CSS.escape(id)}`)
  if (!place) return
  // Without this only links and controls can have the focus.
  if (place.tabIndex < 0) place.tabIndex = -1
  place.focus({ preventScroll: true })
  place.scrollIntoView({ block: 'start' })
}
