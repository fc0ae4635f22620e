import { say } from '../words/say'

/** Why something could not be shown, and the way to try it again. */
export function Failure({ message, again }: { message: string; again: () => void }) {
  return (
    <p class="notice" role="alert">
      {message}{' '}
      <button type="button" class="link" onClick={again}>
        {say`Try again`}
      </button>
    </p>
  )
}
