import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  /** Read aloud when it opens. */
  readonly label: string
  readonly class?: string
  /** Called when it was closed: by Escape, by the backdrop, by going elsewhere, or because it is no longer shown. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is shown. The browser gives the focus back when it closes. */
export function Dialog({ label, class: name = '', onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  // Before the effects of what is inside, which may put the focus elsewhere than on its first control.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    const close = () => dialog?.close()
    // Such as by the browser's way back.
    addEventListener('hashchange', close)
    return () => {
      removeEventListener('hashchange', close)
      close()
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
