import type { ComponentChildren } from 'preact'
import { Failure } from '../shell/Failure'
import type { useAnswer } from '../shell/use-answer'
import { say } from '../words/say'

interface Props<Value> {
  readonly of: Pick<ReturnType<typeof useAnswer<Value>>, 'answer' | 'again'>
  readonly children: (value: Value) => ComponentChildren
}

/** What the server answered, once it is there; a way on if it failed. */
export function Loading<Value>({ of: { answer, again }, children }: Props<Value>) {
  if (answer.is === 'done') return <>{children(answer.value)}</>
  if (answer.is === 'loading') return <p class="quiet">{say`Loading …`}</p>
  return <Failure {...{ message: answer.message, again }} />
}
