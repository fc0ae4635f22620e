import type { Session } from '../db/database'
import { getTimeSettings } from '../db/workspace-settings-store'
import { invalid } from '../http/api-error'
import { readOptional, readZone, requireLength } from '../http/values'
import { isReadDay, readDate } from '../lib/civil/words/date'
import type { TimeContext } from '../lib/civil/words/read'
import type { ReadDay } from '../lib/civil/words/reading'
import { MAX_DATE_WORDS_CHARS, type WordSettings } from './schema'

/** A request whose `due` and `start` may be words, and the settings to read them by. */
interface WordedDates extends WordSettings {
  readonly due?: object | string | null
  readonly start?: object | string | null
}

/** The same request with the dates that the words name, and without the settings. */
export type WithDates<Input extends WordedDates> = Omit<Input, 'due' | 'start' | keyof WordSettings> & {
  due?: Exclude<Input['due'], string>
  start?: Exclude<Input['start'], string>
}

/**
 * Replaces words in `due` and `start` by the dates that they name. An object or null stays as it is.
 * @param present milliseconds since 1970, unless the request has its own `now`
 * @throws ApiError invalid_request unless all of the words are understood, or for an invalid setting
 */
export async function resolveDateWords<Input extends WordedDates>(
  session: Session,
  input: Input,
  present: number,
): Promise<WithDates<Input>> {
  const { time_zone: _, now: __, language: ___, date_order: ____, ...members } = input
  const context = { ...(await readTimeContext(session, input, present)), past: true }
  const dates = { ...members } as { due?: unknown; start?: unknown }
  for (const name of ['due', 'start'] as const) {
    const words = members[name]
    if (typeof words === 'string') dates[name] = readWords(words, context, name)
  }
  return dates as WithDates<Input>
}

function readWords(words: string, context: TimeContext, name: string): ReadDay {
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
  { db, workspace }: Session,
  { time_zone, now, language, date_order }: WordSettings,
  present: number,
) {
  const defaults = await getTimeSettings(db, workspace.id)
  const zone = time_zone === undefined ? defaults.time_zone : time_zone
  return {
    now: readOptional(now ?? null, '/now') ?? present,
    time_zone: zone === null ? null : readZone(zone, '/time_zone'),
    language: language ?? defaults.language ?? 'en',
    dateOrder: date_order ?? null,
  } satisfies TimeContext
}
