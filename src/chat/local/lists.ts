import { fromDay, weekdayOf } from '../../lib/civil/day'
import { civilOf, clockTime } from '../../lib/civil/zone'
import { allowsKind, isNarrow } from '../../tools/tool'
import type { EngineRun } from '../engine'
import type { ParsedRequest } from '../request'
import type { AskedDate, Intent, TaskSlots } from './grammar/intent'
import { quotePlainTitle, readNumberMember, readObjectList, readTextMember, sayFault } from './outcome'

/** Reads the days that words name, both included, as YYYY-MM-DD; null if they name none. */
export type ReadPeriod = (
  words: string,
  ask: Pick<ParsedRequest, 'timeZone' | 'languages'>,
) => { readonly first: string; readonly last: string } | null

type Of<Kind extends Intent['kind']> = Extract<Intent, { readonly kind: Kind }>

const MAX_SHOWN = 10
/** Items of a list that tools count; a longer list is counted no further. */
const MAX_COUNTED = 2000

/** Days as conditions of the task filter and of the search language. */
interface DayConditions {
  readonly task: (field: string) => string
  readonly note: (field: string) => string
}

/** Reads a date of a question as conditions; null if its words name none. */
export function readAskedDate(
  run: EngineRun,
  { when, relation }: AskedDate,
  readPeriod: ReadPeriod,
): DayConditions | null {
  const days = readPeriod(when, run.ask)
  if (!days) return null
  const { first, last } = days
  switch (relation) {
    case 'in':
      return {
        task: (field) => (first === last ? `${field} = ${first}` : `(${field} >= ${first} and ${field} <= ${last})`),
        note: (field) => `${field}:${first}..${last}`,
      }
    case 'before':
      return { task: (field) => `${field} < ${first}`, note: (field) => `${field}:<${first}` }
    case 'until':
      return { task: (field) => `${field} <= ${last}`, note: (field) => `${field}:<=${last}` }
    case 'after':
      return { task: (field) => `${field} > ${last}`, note: (field) => `${field}:>${last}` }
    case 'from':
      return { task: (field) => `${field} >= ${first}`, note: (field) => `${field}:>=${first}` }
  }
}

/** Writes the filter of a question about tasks; null if its date is none. */
export function writeTaskFilter(
  run: EngineRun,
  { terms, date, field }: TaskSlots,
  readPeriod: ReadPeriod,
): string | null {
  const days = date && readAskedDate(run, date, readPeriod)
  if (date && !days) return null
  // Without a state, tasks to do are meant; the list itself leaves out no state where the filter names one.
  const states = terms.some((term) => STATES.includes(term)) ? [] : ['(open or in_progress)']
  return [...states, ...terms, ...(days ? [days.task(field)] : [])].join(' and ')
}

const STATES = ['done', 'cancelled', 'in_progress']

const nameDate = ({ when, relation }: AskedDate): string =>
  relation === 'in' ? when : `${RELATIONS[relation]} ${when}`
const RELATIONS = { before: 'before', until: 'until', after: 'after', from: 'since' } as const

/** Names the conditions of a question about tasks. */
export function nameSlots({ terms, date, field }: TaskSlots): string {
  const names = terms.map((term) => term.replace(/["()]/g, ''))
  return ['Tasks', ...names, ...(date ? [`${field} ${nameDate(date)}`] : [])].join(', ')
}

/** Lists or counts notes by tag, folder or date; returns false if the date is none. */
export async function showNotes(
  run: EngineRun,
  { tag, folder, date, field, counts, latest, limit }: Of<'list_notes'>,
  {
    readPeriod,
    countNotes,
  }: { readonly readPeriod: ReadPeriod; readonly countNotes: (session: EngineRun['session']) => Promise<number> },
): Promise<boolean> {
  const days = date && readAskedDate(run, date, readPeriod)
  if (date && !days) return false
  const quoted = (name: string, value: string) => `${name}:"${value.replace(/["\\]/g, ' ')}"`
  const conditions = [
    ...(tag === null ? [] : [quoted('tag', tag)]),
    ...(folder === null ? [] : [quoted('folder', folder)]),
    ...(days ? [days.note(field)] : []),
  ]
  const name = [
    latest ? 'Latest notes' : 'Notes',
    ...(tag === null ? [] : [`tag ${tag}`]),
    ...(folder === null ? [] : [`folder ${folder}`]),
    ...(date ? [`${field} ${nameDate(date)}`] : []),
  ].join(', ')
  const { scope } = run.ask
  if (counts && conditions.length === 0 && allowsKind(scope, 'note') && !isNarrow(scope)) {
    run.say(`Notes: ${await countNotes(run.session)}.`)
    return true
  }
  const shown = Math.min(limit ?? MAX_SHOWN, MAX_SHOWN)
  const filter = conditions.length > 0 ? conditions.join(' ') : ANY_NOTE
  const outcome = await run.call('search', { query: '', filter, limit: shown })
  if (!sayFault(run, outcome)) sayItems(run, name, outcome.result, latest ? shown : null)
  return true
}

/** A condition that all notes have. */
const ANY_NOTE = 'created:>=1900-01-01'

/** Shows what is in the trash. */
export async function showTrash(run: EngineRun): Promise<void> {
  const outcome = await run.call('search', { query: '', trashed: true, types: ['note', 'task'], limit: MAX_SHOWN })
  if (!sayFault(run, outcome)) sayItems(run, 'In the trash', outcome.result)
}

/** Shows the notes and tasks that changed in a time; returns false if the date is none. */
export async function showChanges(
  run: EngineRun,
  { date }: Of<'list_changes'>,
  readPeriod: ReadPeriod,
): Promise<boolean> {
  const days = readAskedDate(run, date, readPeriod)
  if (!days) return false
  const notes = await run.call('search', { query: '', filter: days.note('updated'), limit: MAX_SHOWN })
  if (sayFault(run, notes)) return true
  sayItems(run, `Notes, changed ${nameDate(date)}`, notes.result)
  run.say('\n')
  const any = '(open or in_progress or done or cancelled)'
  const tasks = await run.call('list_tasks', { filter: `${any} and ${days.task('updated')}`, limit: MAX_SHOWN })
  if (!sayFault(run, tasks)) sayItems(run, `Tasks, changed ${nameDate(date)}`, tasks.result)
  return true
}

/** Says the number of items and their titles. @param most the wanted number, where it is no count of all */
function sayItems(
  run: EngineRun,
  name: string,
  result: Readonly<Record<string, unknown>>,
  most: number | null = null,
): void {
  const items = readObjectList(result, 'items')
  const total = Math.max(items.length, readNumberMember(result, 'total'))
  const count = total >= MAX_COUNTED ? `${MAX_COUNTED} or more` : total
  run.say(total === 0 ? `${name}: none.` : most === null ? `${name}: ${count}` : `${name}:`)
  for (const item of items) run.say(`\n- ${quotePlainTitle(readTextMember(item, 'title'))}`)
  if (most === null && total > items.length)
    run.say(`\n- and ${total >= MAX_COUNTED ? 'more' : `${total - items.length} more`}`)
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Says the date and the time in the caller's zone. */
export function tellTime(run: EngineRun, now: number): void {
  const { timeZone } = run.ask
  const { day, minutes } = civilOf(now, timeZone)
  run.say(`It is ${WEEKDAYS[weekdayOf(day)]}, ${fromDay(day)}, ${clockTime(minutes)} (${timeZone}).`)
}
