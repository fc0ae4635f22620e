/** What all screens are made of. */
import type { ComponentChildren } from 'preact'

interface HeaderProps {
  readonly title: string
  /** Beside the title. */
  readonly children?: ComponentChildren
}

export const Header = ({ title, children }: HeaderProps) => (
  <header class="screen-header">
    <h1 tabIndex={-1} dir="auto">
      {title}
    </h1>
    {children}
  </header>
)

interface ActProps {
  readonly run: () => unknown
  readonly children: ComponentChildren
}

/** A button that looks like a link. `label` names it where what it shows does not say enough. */
export const Act = ({ run, label, children }: ActProps & { readonly label?: string | undefined }) => (
  <button type="button" class="link" aria-label={label} onClick={() => run()}>
    {children}
  </button>
)

/** A button in a row of them. */
export const Button = ({ run, children }: ActProps) => (
  <button type="button" onClick={() => run()}>
    {children}
  </button>
)

/** Why something could not be done, read aloud when it is said; empty: it could. */
export const Fault = ({ of: fault }: { of: string }) => (
  <p class="fault" role="alert">
    {fault}
  </p>
)
