import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../shell/controls'
import { Dialog } from '../shell/Dialog'
import { say } from '../words/say'

interface Props {
  readonly title: string
  /** What happens, and what cannot be brought back. */
  readonly children: ComponentChildren
  /** What the button says that does it. */
  readonly action: string
  /** A word that must be typed first. */
  readonly word?: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something is done that cannot be undone. The focus is on the word to type, else on what leaves everything as it is. */
export function Confirm({ title, children, action, word, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const isReady = word === undefined || typed.trim() === word
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    onClose()
    onConfirm()
  }
  return (
    <Dialog label={title} class="confirm" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 dir="auto">{title}</h2>
        <p>{children}</p>
        {word !== undefined && (
          <label class="labelled">
            <span>{say`Write “${word}” to confirm`}</span>
            <input
              value={typed}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="row">
          <Button run={onClose}>{say`Cancel`}</Button>
          <button type="submit" class="danger" aria-disabled={!isReady}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
