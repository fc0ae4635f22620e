import type { ToolOutcome } from '../../tools/tool'
import type { EngineRun } from '../engine'
import type { ParsedRequest } from '../request'
import type { NamedItem, TaskSlots, TaskSpan, WriteIntent } from './grammar/intent'
import { nameSlots, type ReadPeriod, writeTaskFilter } from './lists'
import {
  quotePlainTitle,
  readNumberMember,
  readObjectList,
  readObjectMember,
  readTextMember,
  sayFault,
  sayOutcome,
  writeCitationMark,
  writeDue,
} from './outcome'
import { buildTaskFilter, findOneInTrash, findOneNote, findOneTask } from './targets'

/** Tasks or cards that are shown of each list. */
const MAX_SHOWN = 10

const SPAN_FILTERS: Readonly<Record<TaskSpan, string>> = {
  overdue: 'overdue',
  today: '(today or overdue)',
  tomorrow: 'tomorrow',
  week: '(overdue or due < +7d)',
  all: '(open or in_progress)',
}
const SPAN_NAMES: Readonly<Record<TaskSpan, string>> = {
  overdue: 'Overdue',
  today: 'Due today or overdue',
  tomorrow: 'Due tomorrow',
  week: 'Due within a week or overdue',
  all: 'Open tasks',
}

/** Shows what is due: overdue, today, the rest of the week, and the number of cards. Each task is in one part only. */
export async function showAgenda(run: EngineRun): Promise<void> {
  const parts = [
    ['Overdue', 'overdue'],
    ['Today', 'today and !overdue'],
    ['This week', '(due > today and due < +7d)'],
  ] as const
  for (const [name, filter] of parts) {
    if (!(await showPart(run, name, filter))) return
    run.say('\n')
  }
  await countDueCards(run)
}

/** Shows the tasks of a span of time; with `about`, only those with its words. */
export async function showTasks(
  run: EngineRun,
  { span, about }: { readonly span: TaskSpan; readonly about: string | null },
): Promise<void> {
  const filter = about === null ? SPAN_FILTERS[span] : `${SPAN_FILTERS[span]} and (${buildTaskFilter(about)})`
  const name = about === null ? SPAN_NAMES[span] : `${SPAN_NAMES[span]} with words of ${quotePlainTitle(about)}`
  await showPart(run, name, filter)
}

/** Shows the tasks of a question; returns false if its date is none. */
export async function showAskedTasks(run: EngineRun, slots: TaskSlots, readPeriod: ReadPeriod): Promise<boolean> {
  const filter = writeTaskFilter(run, slots, readPeriod)
  if (filter === null) return false
  await showPart(run, nameSlots(slots), filter)
  return true
}

/** Shows how many cards are due, of one deck or of all, and the first of them. */
export async function showDueCards(run: EngineRun, deck?: string): Promise<void> {
  const outcome = await countDueCards(run, deck)
  if (!outcome) return
  for (const [i, item] of readObjectList(outcome.result, 'items').entries()) {
    const source = outcome.sources[i]
    run.say(`\n- ${quotePlainTitle(readTextMember(item, 'front'))}${source ? ` [${run.cite(source)}]` : ''}`)
  }
}

/** Says how many cards are due; says why and returns null if that could not be read. */
async function countDueCards(run: EngineRun, deck?: string): Promise<ToolOutcome | null> {
  const outcome = await run.call('list_due_cards', { limit: MAX_SHOWN, ...(deck !== undefined && { deck }) })
  if (sayFault(run, outcome)) return null
  const counts = readObjectMember(outcome.result, 'counts')
  const [fresh = 0, learning = 0, review = 0] = ['new', 'learning', 'review'].map((name) =>
    readNumberMember(counts, name),
  )
  const all = fresh + learning + review
  run.say(
    all === 0 ? 'Cards due: none.' : `Cards due: ${all} (${fresh} new, ${learning} learning, ${review} to review).`,
  )
  return outcome
}

/** Shows a heading with the count, and a line for each task; says why and returns false if that could not be read. */
async function showPart(run: EngineRun, name: string, filter: string): Promise<boolean> {
  const outcome = await run.call('list_tasks', { filter, limit: MAX_SHOWN })
  if (sayFault(run, outcome)) return false
  const items = readObjectList(outcome.result, 'items')
  const total = Math.max(items.length, readNumberMember(outcome.result, 'total'))
  run.say(`${name}: ${total === 0 ? 'none.' : total}`)
  for (const item of items) {
    const due = readTextMember(item, 'due')
    const mark = writeCitationMark(run, outcome.sources, readTextMember(item, 'id'))
    run.say(`\n- ${quotePlainTitle(readTextMember(item, 'title'))}${due === '' ? '' : `, due ${writeDue(due)}`}${mark}`)
  }
  if (total > items.length) run.say(`\n- and ${total - items.length} more`)
  return true
}

/** Reads the date, and the time if there is one, that words name; null if they name none, or say more. */
export type ReadWhen = (
  words: string,
  ask: Pick<ParsedRequest, 'timeZone' | 'languages'>,
) => { readonly date: string; readonly time: string | null } | null

type Of<Kind extends WriteIntent['kind']> = Extract<WriteIntent, { readonly kind: Kind }>

const UNDONE_STATES = 'open or in_progress'
const DONE_STATE = 'done'
const ANY_STATE = `${UNDONE_STATES} or ${DONE_STATE}`

/** Adds a task by quick add, which reads dates, repeats, labels and priority from the words. */
export async function addTask(run: EngineRun, { text, language }: Of<'add_task'>): Promise<void> {
  const outcome = await run.call('create_task', { text: withHours(text), ...(language && { language }) })
  const due = readTextMember(outcome.result, 'due')
  sayOutcome(run, outcome, due === '' ? '' : `, due ${writeDue(due)}`)
}

const HOURS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const SPOKEN_HOUR = new RegExp(`"[^"]*"|(?<!\\S)at (?<hour>${HOURS.join('|')})(?: o['’]?clock)?(?=[\\s,.;!?]|$)`, 'giu')

/** Writes hours in words as times for quick add: from seven in the morning to six in the evening. */
function withHours(text: string): string {
  return text.replace(SPOKEN_HOUR, (whole, hour: string | undefined) => {
    if (hour === undefined) return whole
    const said = HOURS.indexOf(hour.toLowerCase()) + 1
    return `at ${String(said < 7 ? said + 12 : said).padStart(2, '0')}:00`
  })
}

/** Completes, reopens, renames, ranks or moves the task with a name. */
export async function changeTask(
  run: EngineRun,
  task: NamedItem,
  change:
    | { readonly done: boolean }
    | { readonly title: string }
    | { readonly priority: number }
    | { readonly due: null }
    | { readonly project: string },
): Promise<void> {
  const target = await findOneTask(run, task, 'done' in change ? (change.done ? UNDONE_STATES : DONE_STATE) : ANY_STATE)
  if (target) sayOutcome(run, await run.call('update_task', { id: target.id, ...change }))
}

/** Moves the task with a name to another date, or says that the date is unclear. Moved to a day, it keeps its time. */
export async function moveTask(run: EngineRun, { task, when }: Of<'move_task'>, readWhen: ReadWhen): Promise<void> {
  const day = readWhen(when, run.ask)
  if (!day)
    return run.say(
      `I do not know when ${quotePlainTitle(when)} is, so I changed nothing. Say a day, such as "friday" or "5 May at 9am".`,
    )
  const target = await findOneTask(run, task, ANY_STATE)
  if (!target) return
  const time = day.time ?? target.due.split('T')[1]
  const due = time === undefined ? day.date : `${day.date}T${time}`
  sayOutcome(run, await run.call('update_task', { id: target.id, due }), `: ${writeDue(due)}`)
}

/**
 * Asks whether to move the note or task with a name to the trash: the action is pending until the caller confirms it.
 */
export async function trashItem(run: EngineRun, { type, named: name }: Of<'trash'>): Promise<void> {
  const target = await findOneItem(run, type, name)
  if (target) sayOutcome(run, await run.call('trash_item', { type, id: target.id }))
}

/** Adds a tag to a note or a label to a task, or takes it away. */
export async function tagItem(run: EngineRun, { type, named, tag, adds }: Of<'tag_item'>): Promise<void> {
  const target = await findOneItem(run, type, named)
  if (target) sayOutcome(run, await run.call(`update_${type}`, { id: target.id, ...(adds ? { tag } : { untag: tag }) }))
}

/** Restores the note or task with a name from the trash. */
export async function restoreItem(run: EngineRun, { type, named }: Of<'restore'>): Promise<void> {
  const target = await findOneInTrash(run, type, named)
  if (target) sayOutcome(run, await run.call('trash_item', { type, id: target.id, restore: true }))
}

/** Finds the note or task with a name; says why if there is not exactly one. */
const findOneItem = (run: EngineRun, type: 'note' | 'task', named: NamedItem) =>
  type === 'note' ? findOneNote(run, named) : findOneTask(run, named, ANY_STATE)

/** Refuses to change all tasks at once, and shows them instead. */
export async function refuseAll(run: EngineRun): Promise<void> {
  run.say('I change one thing at a time, so I did nothing. Name the task, for example: Delete the task "Pay rent".\n')
  await showTasks(run, { span: 'all', about: null })
}
