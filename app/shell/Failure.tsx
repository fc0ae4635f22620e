import { say } from '../words/say'
import { Act } from './controls'

/** Why something could not be shown, and the way to try it again. */
export function Failure({ message, again }: { message: string; again: () => void }) {
  return (
    <p class="notice" role="alert">
      {message} <Act run={again}>{say`Try again`}</Act>
    </p>
  )
}
