import type { Run, ToolOutcome } from '../run'
import type { Span } from './grammar/intent'
import { itemsOf, markOf, named, numberOf, objectOf, readable, saidFault, textOf } from './outcome'
import { filterOf } from './targets'

/** Tasks shown of each part. */
const SHOWN = 10

const FILTERS: Readonly<Record<Span, string>> = {
  overdue: 'overdue',
  today: '(today or overdue)',
  tomorrow: 'tomorrow',
  week: '(overdue or due < +7d)',
  all: '(open or in_progress)',
}
const NAMES: Readonly<Record<Span, string>> = {
  overdue: 'Overdue',
  today: 'Due today or overdue',
  tomorrow: 'Due tomorrow',
  week: 'Due within a week or overdue',
  all: 'Open tasks',
}

/** What is due: overdue, today, the rest of the week, and how many cards. Counted; what stands in one part is in no other. */
export async function showAgenda(run: Run): Promise<void> {
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
export async function showTasks(run: Run, { span, about }: { span: Span; about: string | null }): Promise<void> {
  const filter = about === null ? FILTERS[span] : `${FILTERS[span]} and (${filterOf(about)})`
  const name = about === null ? NAMES[span] : `${NAMES[span]} with words of ${named(about)}`
  await showPart(run, name, filter)
}

/** How many cards are due, and those that come first. */
export async function showDueCards(run: Run): Promise<void> {
  const outcome = await countDueCards(run)
  if (!outcome) return
  for (const [i, item] of itemsOf(outcome.result, 'items').entries()) {
    const source = outcome.sources[i]
    run.say(`\n- ${named(textOf(item, 'front'))}${source ? ` [${run.cite(source)}]` : ''}`)
  }
}

/** Says how many cards are due; null where that could not be read, which is said. */
async function countDueCards(run: Run): Promise<ToolOutcome | null> {
  const outcome = await run.call('list_due_cards', { limit: SHOWN })
  if (saidFault(run, outcome)) return null
  const counts = objectOf(outcome.result, 'counts')
  const [fresh = 0, learning = 0, review = 0] = ['new', 'learning', 'review'].map((name) => numberOf(counts, name))
  const all = fresh + learning + review
  run.say(
    all === 0 ? 'Cards due: none.' : `Cards due: ${all} (${fresh} new, ${learning} learning, ${review} to review).`,
  )
  return outcome
}

/** A heading with the count and a line for each task; false where it could not be read, which is said. */
async function showPart(run: Run, name: string, filter: string): Promise<boolean> {
  const outcome = await run.call('list_tasks', { filter, limit: SHOWN })
  if (saidFault(run, outcome)) return false
  const items = itemsOf(outcome.result, 'items')
  const total = Math.max(items.length, numberOf(outcome.result, 'total'))
  run.say(`${name}: ${total === 0 ? 'none.' : total}`)
  for (const item of items) {
    const due = textOf(item, 'due')
    const mark = markOf(run, outcome.sources, textOf(item, 'id'))
    run.say(`\n- ${named(textOf(item, 'title'))}${due === '' ? '' : `, due ${readable(due)}`}${mark}`)
  }
  if (total > items.length) run.say(`\n- and ${total - items.length} more`)
  return true
}
