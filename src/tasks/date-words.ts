import type { Session } from '../db/database'
import { getTimeSettings } from '../db/settings-store'
import { invalid } from '../http/api-error'
import { MAX_DATE_WORDS_CHARS, readOptional, readZone, requireLength, writeInstant } from '../http/values'
import { toDay } from '../lib/civil/day'
import type { TimeContext } from '../lib/civil/words/read'
import type { ReadDay } from '../lib/civil/words/reading'
import { instantOf, parseTimeOfDay } from '../lib/civil/zone'
import type { Reminder, WordSettings } from './schema'

interface WordedDates extends WordSettings {
  readonly due?: object | string | null
  readonly start?: object | string | null
  readonly reminders?: readonly (object | string)[]
}

/** The same request with what the words name, and without the settings. */
export type WithDates<Input extends WordedDates> = Omit<Input, 'due' | 'start' | 'reminders' | keyof WordSettings> & {
  due?: Exclude<Input['due'], string>
  start?: Exclude<Input['start'], string>
  reminders?: Exclude<NonNullable<Input['reminders']>[number], string>[]
}

/**
 * Replaces words in `due`, `start` and `reminders` by what they name. An object or null stays as it is.
 * @param present milliseconds since 1970, unless the request has its own `now`
 * @throws ApiError invalid_request unless all of the words are understood, or for an invalid setting
 */
async function resolveDateWords<Input extends WordedDates>(
  session: Session,
  input: Input,
  present: number,
): Promise<WithDates<Input>> {
  const { time_zone: _, now: __, language: ___, date_order: ____, ...members } = input
  const context = { ...(await readTimeContext(session, input, present)), past: true }
  const dates = { ...members } as { due?: unknown; start?: unknown; reminders?: unknown }
  for (const name of ['due', 'start'] as const) {
    const words = members[name]
    if (typeof words === 'string') dates[name] = await readWords(words, context, name)
  }
  if (members.reminders) {
    const reminders: (object | string)[] = []
    for (const [i, one] of members.reminders.entries())
      reminders.push(typeof one === 'string' ? await readReminderWords(one, context, `reminders/${i}`) : one)
    dates.reminders = reminders
  }
  return dates as WithDates<Input>
}

/**
 * Reads the words of a request ahead of a transaction, so that they do not hold it up. Returns a function that returns
 * the request with its dates, or throws invalid_request: what counts before the words is checked first.
 */
export async function readAhead<Input extends WordedDates>(
  session: Session,
  input: Input,
  present: number,
): Promise<() => WithDates<Input>> {
  try {
    const read = await resolveDateWords(session, input, present)
    return () => read
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Reads `2 days before`, or a day with a time. */
async function readReminderWords(words: string, context: TimeContext, name: string): Promise<Reminder> {
  const { readReminderOffset } = await import('../lib/civil/words/read')
  requireLength(words, MAX_DATE_WORDS_CHARS, `/${name}`)
  const minutes = readReminderOffset(words, context)
  if (minutes !== null) return { at: null, offset_minutes: -minutes, from: 'due' }
  const { date, time, time_zone } = await readWords(words, context, name)
  if (time === null) throw invalid(`/${name}`, 'needs_time', `${name} needs a time of day, such as 9am`)
  if (time_zone === null) throw invalid(`/${name}`, 'needs_zone', `${name} needs a time_zone`)
  const at = writeInstant(instantOf(toDay(date), parseTimeOfDay(time), time_zone))
  return { at, offset_minutes: null, from: null }
}

async function readWords(words: string, context: TimeContext, name: string): Promise<ReadDay> {
  const { isReadDay, readDate } = await import('../lib/civil/words/date')
  const pointer = `/${name}`
  requireLength(words, MAX_DATE_WORDS_CHARS, pointer)
  const read = readDate(words, context)
  if (isReadDay(read)) return read
  throw invalid(pointer, read.code, `${name} cannot be read at "${words.slice(read.start, read.end)}": ${read.detail}`)
}

/**
 * Reads how a request wants its words of time to be read: in the zone and the language of the workspace where it names
 * none.
 * @param present milliseconds since 1970, unless the request has its own `now`
 * @throws ApiError invalid_request
 */
export async function readTimeContext(
  session: Session,
  { time_zone, now, language, date_order }: WordSettings,
  present: number,
) {
  const defaults = await getTimeSettings(session)
  const zone = time_zone === undefined ? defaults.time_zone : time_zone
  return {
    now: readOptional(now ?? null, '/now') ?? present,
    time_zone: zone === null ? null : readZone(zone, '/time_zone'),
    ...(language && { language }),
    ...(defaults.language && { preferred: defaults.language }),
    dateOrder: date_order ?? null,
  } satisfies TimeContext
}
