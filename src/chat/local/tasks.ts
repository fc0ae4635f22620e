import type { EngineRun } from '../run'
import { showTasks } from './agenda'
import type { NamedItem, WriteIntent } from './grammar/intent'
import { plainTitle, sayOutcome, textIn, writeDue } from './outcome'
import { oneNote, oneTask } from './targets'

/** The day, and the time if there is one, that words name in a zone; null where they name none, or say more than that. */
export type ReadWhen = (
  words: string,
  timezone: string,
) => { readonly date: string; readonly time: string | null } | null

type Of<Kind extends WriteIntent['kind']> = Extract<WriteIntent, { readonly kind: Kind }>

const UNDONE = 'open or in_progress'
const DONE = 'done'

/** Adds a task in the words of quick add, which reads dates, repeats, labels and priority. */
export async function addTask(run: EngineRun, { text }: Of<'add_task'>): Promise<void> {
  if (text === null) return run.say('What shall I remind you of? For example: "Remind me to call Ann tomorrow at 9am".')
  const outcome = await run.call('create_task', { text: withHours(text) })
  const due = textIn(outcome.result, 'due')
  sayOutcome(run, outcome, due === '' ? '' : `, due ${writeDue(due)}`)
}

const HOURS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const SAID = new RegExp(`"[^"]*"|(?<!\\S)at (?<hour>${HOURS.join('|')})(?: o['’]?clock)?(?=[\\s,.;!?]|$)`, 'giu')

/** The words for quick add: an hour in words is a time of the day, from seven in the morning to six in the evening. */
function withHours(text: string): string {
  return text.replace(SAID, (whole, hour: string | undefined) => {
    if (hour === undefined) return whole
    const said = HOURS.indexOf(hour.toLowerCase()) + 1
    return `at ${String(said < 7 ? said + 12 : said).padStart(2, '0')}:00`
  })
}

/** Completes, reopens, renames or ranks the task of a name. */
export async function changeTask(
  run: EngineRun,
  task: NamedItem,
  change: { readonly done: boolean } | { readonly title: string } | { readonly priority: number } | { due: string },
): Promise<void> {
  const states = 'done' in change ? (change.done ? UNDONE : DONE) : `${UNDONE} or ${DONE}`
  const target = await oneTask(run, task, states)
  if (!target) return
  const outcome = await run.call('update_task', { id: target.id, ...change })
  sayOutcome(run, outcome, 'due' in change ? `: ${writeDue(change.due)}` : '')
}

export async function moveTask(run: EngineRun, { task, when }: Of<'move_task'>, readWhen: ReadWhen): Promise<void> {
  const day = readWhen(when, run.ask.timezone)
  if (!day)
    return run.say(
      `I do not know when ${plainTitle(when)} is, so I changed nothing. Say a day, such as "friday" or "5 May at 9am".`,
    )
  await changeTask(run, task, { due: day.time === null ? day.date : `${day.date}T${day.time}` })
}

/** Asks whether to move the note or task of a name to the trash: the tool is pending until the caller confirms. */
export async function trashItem(run: EngineRun, { type, named: name }: Of<'trash'>): Promise<void> {
  const target = type === 'note' ? await oneNote(run, name) : await oneTask(run, name, `${UNDONE} or ${DONE}`)
  if (target) sayOutcome(run, await run.call('trash_item', { type, id: target.id }))
}

/** All tasks at once are several targets: they are shown, and nothing is done. */
export async function refuseAll(run: EngineRun): Promise<void> {
  run.say('I change one thing at a time, so I did nothing. Name the task, for example: Delete the task "Pay rent".\n')
  await showTasks(run, { span: 'all', about: null })
}
