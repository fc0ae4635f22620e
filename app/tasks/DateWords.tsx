import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { TimeReading } from '../../src/lib/civil/words/reading'
import { today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import type { readWhen } from '../quick-add/read-task'
import { readingSettings } from '../quick-add/reading-settings'
import { Fault } from '../shell/controls'
import { say } from '../words/say'
import { readingInWords } from './date-words-actions'
import { addDays, nextMonday, nextSaturday, weekdayAndDay } from './dates'

interface Props {
  readonly label: string
  readonly start: string
  /** The words of the button that takes the date. */
  readonly submit: string
  readonly onRead: (reading: TimeReading) => void
  /** Takes a day chosen without words, as YYYY-MM-DD. */
  readonly onDay: (day: string) => void
  /** Takes the date away; without it, there is none to take away. */
  readonly onNone?: () => void
}

/** The days that are chosen most, on a day. */
const NEAR: readonly (readonly [string, (today: string) => string])[] = [
  [say`Today`, (day) => day],
  [say`Tomorrow`, (day) => addDays(day, 1)],
  [say`This weekend`, nextSaturday],
  [say`Next week`, nextMonday],
]

/** A field for a date in words, which says while it is typed how it is understood. It closes the dialog that it is in. */
export function DateWords({ label, start, submit, onRead, onDay, onNone }: Props) {
  const workspace = useWorkspace()
  const [text, setText] = useState(start)
  const [reader, setReader] = useState<{ readWhen: typeof readWhen } | null>(null)
  const [fault, setFault] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  useEffect(() => {
    import('../quick-add/read-task').then(setReader, () =>
      setFault(say`Dates cannot be read now: the server cannot be reached.`),
    )
  }, [])
  const reading = reader && text.trim() !== '' ? reader.readWhen(text, readingSettings(workspace)) : null
  function onSubmit(event: SubmitEvent) {
    if (event.submitter?.id === 'no-date') onNone?.()
    else if (reading && typeof reading !== 'string') onRead(reading)
    else {
      event.preventDefault()
      setFault(reading ?? say`Write a date, such as: tomorrow 9am, next friday, every monday.`)
    }
  }
  return (
    <form method="dialog" class="date-words" onSubmit={onSubmit}>
      <input
        ref={field}
        aria-label={label}
        placeholder={say`tomorrow 9am, next friday, every monday`}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setFault('')
        }}
      />
      <div class="row near-days">
        {NEAR.map(([name, dayOf]) => (
          <button
            key={name}
            type="button"
            onClick={({ currentTarget }) => {
              onDay(dayOf(today.value))
              currentTarget.closest('dialog')?.close()
            }}
          >
            {name} <small class="quiet">{weekdayAndDay(dayOf(today.value))}</small>
          </button>
        ))}
        <input
          type="date"
          aria-label={say`Day of the calendar`}
          min={today.value}
          onChange={({ currentTarget: { value } }) => value !== '' && setText(value)}
        />
      </div>
      <p class="reading" role="status">
        {reading !== null && (typeof reading === 'string' ? '' : readingInWords(reading))}
      </p>
      <Fault of={fault} />
      <div class="row">
        <button type="submit" class="primary">
          {submit}
        </button>
        {onNone && (
          <button type="submit" id="no-date">
            {say`No date`}
          </button>
        )}
      </div>
    </form>
  )
}
