import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Props {
  readonly title: string
  readonly isBusy?: boolean
  readonly children: ComponentChildren
}

export function Section({ title, isBusy = false, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} aria-busy={isBusy}>
      <div class="section-header">
        <h2 id={id}>{title}</h2>
      </div>
      {children}
    </section>
  )
}
