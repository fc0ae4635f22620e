import type { EngineRun, ToolOutcome } from '../run'
import type { TaskSpan } from './grammar/intent'
import { citationMark, numberIn, objectIn, objectsIn, plainTitle, saidFault, textIn, writeDue } from './outcome'
import { filterOf } from './targets'

/** Tasks shown of each part. */
const SHOWN = 10

const FILTERS: Readonly<Record<TaskSpan, string>> = {
  overdue: 'overdue',
  today: '(today or overdue)',
  tomorrow: 'tomorrow',
  week: '(overdue or due < +7d)',
  all: '(open or in_progress)',
}
const NAMES: Readonly<Record<TaskSpan, string>> = {
  overdue: 'Overdue',
  today: 'Due today or overdue',
  tomorrow: 'Due tomorrow',
  week: 'Due within a week or overdue',
  all: 'Open tasks',
}

/** What is due: overdue, today, the rest of the week, and how many cards. Counted; what stands in one part is in no other. */
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

/** The tasks of a span of time; with `about`, those of them that hold its words. */
export async function showTasks(
  run: EngineRun,
  { span, about }: { span: TaskSpan; about: string | null },
): Promise<void> {
  const filter = about === null ? FILTERS[span] : `${FILTERS[span]} and (${filterOf(about)})`
  const name = about === null ? NAMES[span] : `${NAMES[span]} with words of ${plainTitle(about)}`
  await showPart(run, name, filter)
}

/** How many cards are due, and those that come first. */
export async function showDueCards(run: EngineRun): Promise<void> {
  const outcome = await countDueCards(run)
  if (!outcome) return
  for (const [i, item] of objectsIn(outcome.result, 'items').entries()) {
    const source = outcome.sources[i]
    run.say(`\n- ${plainTitle(textIn(item, 'front'))}${source ? ` [${run.cite(source)}]` : ''}`)
  }
}

/** Says how many cards are due; null where that could not be read, which is said. */
async function countDueCards(run: EngineRun): Promise<ToolOutcome | null> {
  const outcome = await run.call('list_due_cards', { limit: SHOWN })
  if (saidFault(run, outcome)) return null
  const counts = objectIn(outcome.result, 'counts')
  const [fresh = 0, learning = 0, review = 0] = ['new', 'learning', 'review'].map((name) => numberIn(counts, name))
  const all = fresh + learning + review
  run.say(
    all === 0 ? 'Cards due: none.' : `Cards due: ${all} (${fresh} new, ${learning} learning, ${review} to review).`,
  )
  return outcome
}

/** A heading with the count and a line for each task; false where it could not be read, which is said. */
async function showPart(run: EngineRun, name: string, filter: string): Promise<boolean> {
  const outcome = await run.call('list_tasks', { filter, limit: SHOWN })
  if (saidFault(run, outcome)) return false
  const items = objectsIn(outcome.result, 'items')
  const total = Math.max(items.length, numberIn(outcome.result, 'total'))
  run.say(`${name}: ${total === 0 ? 'none.' : total}`)
  for (const item of items) {
    const due = textIn(item, 'due')
    const mark = citationMark(run, outcome.sources, textIn(item, 'id'))
    run.say(`\n- ${plainTitle(textIn(item, 'title'))}${due === '' ? '' : `, due ${writeDue(due)}`}${mark}`)
  }
  if (total > items.length) run.say(`\n- and ${total - items.length} more`)
  return true
}
