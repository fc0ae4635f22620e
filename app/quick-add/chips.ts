/** What was understood in a line of quick add, each part in words. */
import type { ReadRecurrence, ReadReminder } from '../../src/lib/civil/words/reading'
import type { QuickSpan } from '../../src/tasks/quick/parse'
import { today } from '../data/clock'
import { dateInWords, timeInWords } from '../tasks/dates'
import { lengthInWords, reminderInWords } from '../tasks/reminder-words'
import { repeatInWords } from '../tasks/repeat-words'
import { say } from '../words/say'

/** A part of the text in words: “Tomorrow” for `tmrw`, “every 2 weeks on Friday” for `every other fri`. */
export function spanInWords({ kind, value, text }: QuickSpan): string {
  if (kind === 'date' && typeof value === 'string') return dateInWords(value.slice(0, 10), today.peek())
  if (kind === 'time' && typeof value === 'string') return timeInWords(value)
  if (kind === 'duration' && typeof value === 'number') return lengthInWords(value)
  if (kind === 'priority') return say`Priority ${Number(value)}`
  if (typeof value !== 'object' || value === null) return text
  return kind === 'recurrence' ? repeatWords(value as ReadRecurrence) : reminderInWords(value as ReadReminder)
}

const repeatWords = ({ rrule, mode }: ReadRecurrence) => repeatInWords(rrule, mode)
