/** Cards whose answer is typed: the field, and what was right of it. */
import { useMemo } from 'preact/hooks'
import { compareAnswer, MAX_ANSWER_CHARS } from '../../src/flashcards/cards/compare-answer'
import type { RightAnswers } from '../../src/flashcards/facts/fact'
import { say } from '../words/say'

interface FieldProps {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly onSubmit: () => void
}

export function TypedField({ value, onInput, onSubmit }: FieldProps) {
  return (
    <form
      class="study-typed"
      onSubmit={(event) => {
        event.preventDefault()
        // At once: the next key is a rating, not a part of the answer.
        event.currentTarget.querySelector('input')?.blur()
        onSubmit()
      }}
    >
      <input
        aria-label={say`Your answer`}
        placeholder={say`Type the answer`}
        dir="auto"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={MAX_ANSWER_CHARS}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </form>
  )
}

/** The difference of what was typed to what is right, in words as well as in marks. */
export function TypedResult({ typed, right }: { typed: string; right: RightAnswers }) {
  const { correct, diff, expected } = useMemo(() => compareAnswer(typed, right), [typed, right])
  if (correct)
    return (
      <p class="study-diff">
        <span class="study-verdict">{say`Right:`}</span> <bdi>{expected}</bdi>
      </p>
    )
  return (
    <p class="study-diff">
      <span class="study-verdict">{typed.trim() === '' ? say`Nothing was typed:` : say`Not quite:`}</span>{' '}
      <bdi>
        {diff.map(({ op, text }) => (op === 'equal' ? text : op === 'insert' ? <ins>{text}</ins> : <del>{text}</del>))}
      </bdi>
    </p>
  )
}
