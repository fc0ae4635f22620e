import type { ComponentChildren } from 'preact'
import { Act } from '../shell/controls'
import { say } from '../words/say'
import type { Loaded } from './use-answer'

interface Props<Answer> {
  readonly of: { readonly state: Loaded<Answer>; readonly retry: () => void }
  readonly children: (answer: Answer) => ComponentChildren
}

/** What was asked for, once it is there; a way on if it failed. */
export function Loading<Answer>({ of: { state, retry }, children }: Props<Answer>) {
  if (state.is === 'there') return <>{children(state.answer)}</>
  if (state.is === 'loading') return <p class="quiet">{say`Loading …`}</p>
  return (
    <p class="notice" role="alert">
      {state.message} <Act run={retry}>{say`Try again`}</Act>
    </p>
  )
}
