import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { inWords } from '../api/client'

interface Props {
  readonly submit: () => unknown
  readonly children: ComponentChildren
}

/** A form whose first field has the focus, unless it is in a closed fold, and that Ctrl Enter submits. */
export function Form({ submit, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('textarea, input:not([type=radio])')?.focus(), [])
  return (
    <form
      class="study-form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
      }}
    >
      {children}
    </form>
  )
}

/** Sends what a form has, once at a time. `fault` is why it failed last, as a sentence; empty: it did not. */
export function useSubmit(send: () => Promise<unknown>) {
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  async function submit(): Promise<void> {
    if (isBusy) return
    setBusy(true)
    setFault('')
    await send().catch((error: unknown) => setFault(inWords(error)))
    setBusy(false)
  }
  return { fault, isBusy, submit }
}
