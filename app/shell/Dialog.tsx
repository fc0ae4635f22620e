import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  /** Read aloud when it opens. */
  readonly label: string
  readonly class?: string
  /** Called when it was closed: by Escape, by the backdrop, or because it is no longer shown. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is shown. The focus goes back to where it was. */
export function Dialog({ label, class: name = '', onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  // Before the effects of what is inside, which may put the focus elsewhere than on its first control.
  useLayoutEffect(() => {
    const before = document.activeElement
    const dialog = ref.current
    dialog?.showModal()
    return () => {
      // While it is open, nothing outside of it can have the focus.
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={ref}
      class={name}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && ref.current?.close()}
    >
      {children}
    </dialog>
  )
}
